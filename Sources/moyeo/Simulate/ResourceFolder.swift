import Foundation

/// Files that ship with the product, below a folder that holds `data/`.
enum ResourceFolder {
  /// The path of `data/<name>`: below `given`, else below the nearest parent of the executable or
  /// the working directory that holds it.
  static func path(ofData name: String, given: String?) throws -> String {
    if let given {
      for candidate in [given + "/data/" + name, given + "/" + name]
      where FileManager.default.fileExists(atPath: candidate) {
        return candidate
      }
      throw CommandFailure.usage("there is no data/\(name) below \(given)")
    }
    let executable = URL(fileURLWithPath: CommandLine.arguments.first ?? "").standardized
    for start in [
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        .map { URL(fileURLWithPath: $0) } ?? executable,
      URL(fileURLWithPath: FileManager.default.currentDirectoryPath + "/."),
    ] {
      var folder = start.deletingLastPathComponent()
      while true {
        let candidate = folder.appendingPathComponent("data/" + name).path
        if FileManager.default.fileExists(atPath: candidate) { return candidate }
        let parent = folder.deletingLastPathComponent()
        if parent.path == folder.path || folder.path == "/" { break }
        folder = parent
      }
    }
    throw CommandFailure(
      message: "data/\(name) was not found near the program or here; say --resources FOLDER")
  }
}
