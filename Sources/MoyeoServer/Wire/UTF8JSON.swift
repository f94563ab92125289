import Foundation

/// Reads JSON text as RFC 8259 defines it for the network: UTF-8 without a byte order mark.
enum UTF8JSON {
  /// Parses one JSON value.
  ///
  /// Foundation guesses an encoding from zero bytes and byte order marks, so that a text with
  /// a zero byte is read as UTF-16 and means something else than it says. Neither can stand in
  /// JSON text: a zero byte is allowed only escaped.
  ///
  /// - Parameter text: The bytes of the text.
  /// - Returns: The value as Foundation's types, or nil if the bytes are not JSON in UTF-8.
  static func value(of text: Data) -> Any? {
    guard !text.contains(0), !text.starts(with: [0xEF, 0xBB, 0xBF]),
      !text.starts(with: [0xFE, 0xFF]), !text.starts(with: [0xFF, 0xFE])
    else { return nil }
    return try? JSONSerialization.jsonObject(with: text, options: [.fragmentsAllowed])
  }
}
