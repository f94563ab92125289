import Foundation

/// Where the shipped files (`data/tariffs`, `data/areas`, the page) are.
package enum ResourceDirectory {
  /// Where a program looks when it is told no folder: around itself, then around the working
  /// directory.
  package static var usualPlaces: [String] {
    [Bundle.main.executablePath, FileManager.default.currentDirectoryPath].compactMap(\.self)
  }

  /// The nearest parent of one of the places, or a place itself, that holds `entries`; nil when
  /// none does.
  package static func nearest(
    to places: [String] = usualPlaces, holding entries: [String] = ["data/tariffs"]
  ) -> String? {
    for place in places {
      var here = URL(fileURLWithPath: place).resolvingSymlinksInPath().standardizedFileURL
      while true {
        if holds(here.path, entries) { return here.path }
        let parent = here.deletingLastPathComponent()
        guard parent.path != here.path else { break }
        here = parent
      }
    }
    return nil
  }

  /// Whether all `entries` are below the folder.
  package static func holds(_ folder: String, _ entries: [String]) -> Bool {
    entries.allSatisfy { FileManager.default.fileExists(atPath: folder + "/" + $0) }
  }
}
