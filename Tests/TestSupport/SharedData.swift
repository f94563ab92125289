public import Foundation

/// The folder of real data beside the checkout; tests that need it are skipped when it is absent.
public enum SharedData {
  public static let folder: URL? = {
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

  public static var isPresent: Bool { folder != nil }

  /// The lines of a file, empty ones left out.
  public static func lines(_ name: String) throws -> [Substring] {
    try String(contentsOf: url(of: name), encoding: .utf8).split(whereSeparator: \.isNewline)
  }

  /// A file's JSON object.
  public static func json(_ name: String) throws -> [String: Any] {
    let value = try JSONSerialization.jsonObject(with: Data(contentsOf: url(of: name)))
    return try require(value as? [String: Any])
  }

  private static func url(of name: String) throws -> URL {
    try require(folder).appendingPathComponent(name)
  }

  private static func require<T>(_ value: T?) throws -> T {
    guard let value else { throw CocoaError(.fileNoSuchFile) }
    return value
  }
}
