import Foundation
import HummingbirdCore

/// The map page, the reference page of the calls (`/docs`) and their files.
struct MapPage: Sendable {
  private var files = PageFiles()

  /// Reads all files; what a missing directory would hold is not served.
  ///
  /// - Parameters:
  ///   - directory: Holds `index.html` and what it loads; the operator's page in it is left out.
  ///   - leaflet: Debian's libjs-leaflet, served under `/leaflet/`.
  ///   - clientModule: The JavaScript client, a file; served as `/moyeo.js`.
  ///   - baseMapURL: Raster tiles under the map; told to the page in `/page-config.json`.
  ///   - attribution: Whose tiles they are, told to the page beside the URL.
  ///   - hasRoads: Whether there are roads to draw, which the page is told.
  ///   - isOpen: Whether nobody is asked who they are, which the page says.
  init(
    directory: URL?, leaflet: URL?, clientModule: URL? = nil, baseMapURL: String?,
    attribution: String?, hasRoads: Bool = false, isOpen: Bool = true
  ) {
    if let directory { files.add(directory, prefix: "/", except: AdminPage.folder) }
    if let leaflet { files.add(leaflet, prefix: "/leaflet/") }
    if let clientModule { files.add(file: clientModule, at: "/moyeo.js") }
    files.serve("/index.html", at: "/")
    for path in ["/docs", "/docs/"] { files.serve("/docs/index.html", at: path) }
    var settings: [String: String] = [:]
    settings["baseMapURL"] = baseMapURL
    settings["attribution"] = attribution
    if hasRoads { settings["roadsURL"] = RoadTileRoutes.pagePath }
    settings["authMode"] = isOpen ? "open" : "tokens"
    if let data = try? JSONEncoder().encode(settings) {
      files.add(data, type: "application/json", at: "/page-config.json")
    }
  }

  func serves(_ path: String) -> Bool { files.contains(path) }

  func response(path: String, request: Request) -> Response? {
    files.response(path: path, request: request)
  }
}
