import Foundation

/// Where the shipped files (`data/tariffs`, `data/areas`, the page) are.
public enum ResourceDirectory {
  /// The nearest parent of one of the places that holds `data/tariffs`; nil when none does.
  /// - Parameter places: For example the executable and the working directory.
  public static func nearest(to places: [String]) -> String? {
    for place in places {
      var here = URL(fileURLWithPath: place).resolvingSymlinksInPath().standardizedFileURL
      while true {
        var isDirectory: ObjCBool = false
        let path = here.appendingPathComponent("data/tariffs").path
        if FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory),
          isDirectory.boolValue
        {
          return here.path
        }
        let parent = here.deletingLastPathComponent()
        guard parent.path != here.path else { break }
        here = parent
      }
    }
    return nil
  }
}
