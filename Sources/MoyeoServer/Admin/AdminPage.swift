import Foundation
import HTTPTypes
import HummingbirdCore

/// The operator's page, which only the operator's port serves. Its files hold nothing of anybody: what it
/// shows it asks for with the operator's token.
struct AdminPage: Sendable {
  /// In the folder of the map page.
  static let folder = "admin"

  /// Nothing but the page's own files, no script or style in the page itself, in no other page's frame.
  static let policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    + "img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

  private var files = PageFiles()

  /// - Parameters:
  ///   - directory: Of the map page; nil: there is no page.
  ///   - isOpen: Whether nobody is asked who they are, which the page says.
  init(directory: URL?, isOpen: Bool) {
    guard let directory else { return }
    files.headers[.contentSecurityPolicy] = Self.policy
    files.headers[.xContentTypeOptions] = "nosniff"
    if let name = HTTPField.Name("referrer-policy") { files.headers[name] = "no-referrer" }
    files.add(directory.appendingPathComponent(Self.folder), prefix: "/")
    // Both pages ask for tokens in one way.
    files.add(file: directory.appendingPathComponent("js/token.js"), at: "/js/token.js")
    files.add(file: directory.appendingPathComponent("favicon.svg"), at: "/favicon.svg")
    files.serve("/index.html", at: "/")
    let mode = isOpen ? "open" : "tokens"
    files.add(
      Data("{\"authMode\":\"\(mode)\"}".utf8), type: "application/json", at: "/page-config.json")
  }

  func serves(_ path: String) -> Bool { files.contains(path) }

  func response(path: String, request: Request) -> Response? {
    guard request.method == .get || request.method == .head else { return nil }
    return files.response(path: path, request: request)
  }
}
