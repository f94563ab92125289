import Foundation
import FareEstimation

/// Shipped files: `data/` and `page/`.
enum Resources {
  private static let entries = ["data/seoul-hotspots.csv", "page/index.html"]

  /// The named folder, or the nearest parent of the executable or the working directory that
  /// holds `data/` and `page/`; `nil` when there is none.
  static func find(named: String?) throws -> URL? {
    if let named {
      guard ResourceDirectory.holds(named, entries) else {
        throw SettingError(
          key: "resources.directory", problem: "\(named) does not hold data/ and page/")
      }
      return URL(fileURLWithPath: named, isDirectory: true)
    }
    return ResourceDirectory.nearest(holding: entries)
      .map { URL(fileURLWithPath: $0, isDirectory: true) }
  }
}
