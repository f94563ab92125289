import Foundation

/// The folder of shared data beside a checkout, or where `MOYEO_SHARED_DATA` says; absent on most
/// machines, and then the tests that read it are skipped.
enum SharedData {
  static let folder: URL? = {
    if let path = ProcessInfo.processInfo.environment["MOYEO_SHARED_DATA"] {
      return URL(fileURLWithPath: path)
    }
    var folder = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
    while folder.path != "/" {
      folder.deleteLastPathComponent()
      let data = folder.appendingPathComponent("shared/data")
      if FileManager.default.fileExists(atPath: data.path) { return data }
    }
    return nil
  }()

  static var isPresent: Bool { folder != nil }

  static func text(_ name: String) throws -> String {
    try String(contentsOf: folder!.appendingPathComponent(name), encoding: .utf8)
  }

  static func json(_ name: String) throws -> [String: Any] {
    let data = try Data(contentsOf: folder!.appendingPathComponent(name))
    return try JSONSerialization.jsonObject(with: data) as! [String: Any]
  }
}
