import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore
import ObjectModel

/// Files of a page, read once at start: nothing is fetched from any network.
struct PageFiles: Sendable {
  private struct File: Sendable {
    let type: String
    let buffer: ByteBuffer
    let etag: String
  }

  /// Sent with each file.
  var headers = HTTPFields()
  private var files: [String: File] = [:]

  private static let types = [
    "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8", "png": "image/png", "svg": "image/svg+xml",
    "json": "application/json", "geojson": "application/geo+json", "ico": "image/x-icon",
  ]

  /// Reads a folder with all that is in it; what a missing one would hold is not served.
  ///
  /// - Parameters:
  ///   - directory: Where the files lie.
  ///   - prefix: What their paths begin with, `/` at the end.
  ///   - except: A folder in it that is left out.
  mutating func add(_ directory: URL, prefix: String, except: String? = nil) {
    let root = directory.resolvingSymlinksInPath()
    guard
      let names = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)?
        .allObjects as? [URL]
    else { return }
    for url in names {
      let name = String(url.path.dropFirst(root.path.count + 1))
      if let except, name.hasPrefix(except + "/") { continue }
      add(file: url, at: prefix + name)
    }
  }

  /// Reads one file; nothing happens where there is none, or none of a page.
  mutating func add(file url: URL, at path: String) {
    guard let type = Self.types[url.pathExtension], let data = try? Data(contentsOf: url) else {
      return
    }
    add(data, type: type, at: path)
  }

  /// Adds what was made here.
  mutating func add(_ data: Data, type: String, at path: String) {
    let digest = String(data.withUnsafeBytes { StableHash.hash64($0) }, radix: 16)
    files[path] = File(type: type, buffer: ByteBuffer(bytes: data), etag: "\"\(digest)\"")
  }

  /// Has a path, such as that of a folder, answer with a file that is there already.
  mutating func serve(_ file: String, at path: String) { files[path] = files[file] }

  func contains(_ path: String) -> Bool { files[path] != nil }

  func response(path: String, request: Request) -> Response? {
    guard let file = files[path] else { return nil }
    var headers = headers
    headers[.contentType] = file.type
    headers[.eTag] = file.etag
    headers[.cacheControl] = "no-cache"
    // A compressed answer had the weak form (RFC 9110, section 8.8.3.2).
    let known = request.headers[.ifNoneMatch]
    if known == file.etag || known == "W/" + file.etag {
      return Response(status: .notModified, headers: headers)
    }
    headers[.contentLength] = "\(file.buffer.readableBytes)"
    return Response(status: .ok, headers: headers, body: .init(byteBuffer: file.buffer))
  }
}
