import Foundation
import FareEstimation

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
    guard let folder = ResourceDirectory.nearest(holding: ["data/" + name]) else {
      throw CommandFailure(
        message: "data/\(name) was not found near the program or here; say --resources FOLDER")
    }
    return folder + "/data/" + name
  }
}
