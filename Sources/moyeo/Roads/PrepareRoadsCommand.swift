import ArgumentParser
import Foundation
import MoyeoStorage
import WireFormat

/// Makes a road database that `spatialite_osm_net` built ready for `routes.provider network`.
struct PrepareRoadsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prepare-roads",
    abstract: "Make a road network of spatialite_osm_net ready for routing.",
    discussion: """
      Two commands make a network from an OpenStreetMap extract (Debian package spatialite-bin):

        spatialite_osm_net -o seoul.osm.pbf -d roads.sqlite -T roads --roads
        moyeo prepare-roads roads.sqlite

      Then start the daemon with routes.provider network and routes.network roads.sqlite. Roads are \
      split where they cross, which spatialite_osm_net leaves undone.
      """)

  @Argument(help: "The SQLite file that spatialite_osm_net wrote.")
  var file: String
  @Option(help: "Its table of roads.")
  var table = "roads"
  @Flag(help: "Print the figures as JSON.")
  var json = false

  func run() throws {
    var progress = ProgressLine(after: .seconds(1))
    defer { progress.clear() }
    let report = try RoadNetwork.prepare(path: file, linksTable: table) { step, done, all in
      progress.update(step.words, done, of: all)
    }
    progress.clear()
    if json {
      print(
        JSONPieces.object { text in
          text.string("file", file)
          text.integer("nodes", Int64(report.nodes))
          text.integer("links", Int64(report.links))
          text.integer("sourceLinks", Int64(report.sourceLinks))
          text.integer("splitLinks", Int64(report.splitLinks))
          text.integer("strayNodes", Int64(report.strayNodes))
        })
      return
    }
    print(
      """
      \(file) is ready: \(report.nodes) crossings, \(report.links) links \
      (from \(report.sourceLinks); \(report.splitLinks) after splitting at crossings; \
      \(report.strayNodes) crossings are cut off and not used).
      """)
  }
}

extension RoadNetwork.Step {
  fileprivate var words: String {
    switch self {
    case .reading: "reading roads"
    case .writing: "writing links"
    }
  }
}
