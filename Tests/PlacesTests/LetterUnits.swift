import Testing

@testable import Places

/// Kept beside the suites: how they spell letters.
func units(_ text: String) -> [UInt16] { Array(text.utf16) }
