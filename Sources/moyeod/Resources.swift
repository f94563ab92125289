import Foundation

/// Shipped files: `data/` and `page/`.
enum Resources {
  /// The named folder, or the nearest parent of the executable or the working directory that
  /// holds `data/` and `page/`; `nil` when there is none.
  static func find(named: String?) throws -> URL? {
    if let named {
      let url = URL(fileURLWithPath: named, isDirectory: true)
      guard holdsResources(url) else {
        throw SettingError(
          key: "resources.directory", problem: "\(named) does not hold data/ and page/")
      }
      return url
    }
    var starts = [URL(fileURLWithPath: FileManager.default.currentDirectoryPath)]
    if let executable = Bundle.main.executableURL {
      starts.insert(executable.resolvingSymlinksInPath().deletingLastPathComponent(), at: 0)
    }
    for start in starts {
      var url = start
      while true {
        if holdsResources(url) { return url }
        let parent = url.deletingLastPathComponent()
        if parent.path == url.path { break }
        url = parent
      }
    }
    return nil
  }

  private static func holdsResources(_ url: URL) -> Bool {
    ["data/seoul-hotspots.csv", "page/index.html"].allSatisfy {
      FileManager.default.fileExists(atPath: url.appendingPathComponent($0).path)
    }
  }
}
