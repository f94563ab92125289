import Foundation

/// The folder of real data beside the checkout; tests that need it are skipped when it is absent.
enum SharedData {
  static let folder: URL? = {
    let manager = FileManager.default
    if let path = ProcessInfo.processInfo.environment["MOYEO_SHARED_DATA"] {
      return manager.fileExists(atPath: path) ? URL(fileURLWithPath: path) : nil
    }
    var folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    while folder.path != "/" {
      let candidate = folder.appendingPathComponent("shared/data")
      if manager.fileExists(atPath: candidate.path) { return candidate }
      folder.deleteLastPathComponent()
    }
    return nil
  }()

  static var isPresent: Bool { folder != nil }

  static func lines(_ name: String) throws -> [Substring] {
    let url = try require(folder).appendingPathComponent(name)
    return try String(contentsOf: url, encoding: .utf8).split(whereSeparator: \.isNewline)
  }

  private static func require<T>(_ value: T?) throws -> T {
    guard let value else { throw CocoaError(.fileNoSuchFile) }
    return value
  }
}

/// SplitMix64 (S. Vigna): fixed seeds for the tests.
struct SplitMix64: RandomNumberGenerator {
  var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
    return z ^ z >> 31
  }
}
