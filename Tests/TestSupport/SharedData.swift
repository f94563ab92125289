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

  public static func lines(_ name: String) throws -> [Substring] {
    let url = try require(folder).appendingPathComponent(name)
    return try String(contentsOf: url, encoding: .utf8).split(whereSeparator: \.isNewline)
  }

  private static func require<T>(_ value: T?) throws -> T {
    guard let value else { throw CocoaError(.fileNoSuchFile) }
    return value
  }
}
