import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import ObjectModel

/// The map page and its files, read once at start: nothing is fetched from any network.
struct MapPage: Sendable {
  private struct File: Sendable {
    let type: String
    let buffer: ByteBuffer
    let etag: String
  }

  private var files: [String: File] = [:]

  /// Reads all files; what a missing directory would hold is not served.
  ///
  /// - Parameters:
  ///   - directory: Holds `index.html` and what it loads.
  ///   - leaflet: Debian's libjs-leaflet, served under `/leaflet/`.
  ///   - baseMapURL: Raster tiles under the map; told to the page in `/page-config.json`.
  ///   - attribution: Whose tiles they are, told to the page beside the URL.
  ///   - isOpen: Whether nobody is asked who they are, which the page says.
  init(
    directory: URL?, leaflet: URL?, baseMapURL: String?, attribution: String?, isOpen: Bool = true
  ) {
    if let directory { add(directory, prefix: "/") }
    if let leaflet { add(leaflet, prefix: "/leaflet/") }
    files["/"] = files["/index.html"]
    var settings: [String: String] = [:]
    settings["baseMapURL"] = baseMapURL
    settings["attribution"] = attribution
    settings["authMode"] = isOpen ? "open" : "tokens"
    if let data = try? JSONEncoder().encode(settings) {
      files["/page-config.json"] = File(
        type: "application/json", buffer: ByteBuffer(bytes: data),
        etag: "\"\(Self.digest(data))\"")
    }
  }

  private mutating func add(_ directory: URL, prefix: String) {
    let root = directory.resolvingSymlinksInPath()
    guard
      let names = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)?
        .allObjects as? [URL]
    else { return }
    for url in names {
      guard let type = Self.types[url.pathExtension], let data = try? Data(contentsOf: url) else {
        continue
      }
      let name = url.path.dropFirst(root.path.count + 1)
      files[prefix + name] = File(
        type: type, buffer: ByteBuffer(bytes: data), etag: "\"\(Self.digest(data))\"")
    }
  }

  private static let types = [
    "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8", "png": "image/png", "svg": "image/svg+xml",
    "json": "application/json", "geojson": "application/geo+json", "ico": "image/x-icon",
  ]

  private static func digest(_ data: Data) -> String {
    String(data.withUnsafeBytes { StableHash.hash64($0) }, radix: 16)
  }

  func response(path: String, request: Request) -> Response? {
    guard let file = files[path] else { return nil }
    var headers: HTTPFields = [
      .contentType: file.type, .eTag: file.etag, .cacheControl: "no-cache",
    ]
    // A compressed answer had the weak form (RFC 9110, section 8.8.3.2).
    let known = request.headers[.ifNoneMatch]
    if known == file.etag || known == "W/" + file.etag {
      return Response(status: .notModified, headers: headers)
    }
    headers[.contentLength] = "\(file.buffer.readableBytes)"
    return Response(status: .ok, headers: headers, body: .init(byteBuffer: file.buffer))
  }
}
