import Foundation
import MoyeoStorage

/// Where traces are to go, if the settings say so: the environment before the file, as moyeod has it.
struct TracingCheck {
  static let variable = "MOYEO_TRACING_ENDPOINT"

  /// - Parameters:
  ///   - file: A JSON file of settings; nil: none.
  ///   - environment: Of this process.
  /// - Returns: Nothing where no endpoint is set.
  static func finding(
    file: String?, environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> StoreDoctor.Finding? {
    guard let endpoint = environment[variable] ?? file.flatMap(endpoint), !endpoint.isEmpty else {
      return nil
    }
    guard let parts = URLComponents(string: endpoint), parts.host?.isEmpty == false,
      ["http", "https"].contains(parts.scheme?.lowercased())
    else {
      return .init(
        .wrong, "tracing",
        "tracing.endpoint is no address of HTTP: give it like http://127.0.0.1:4318.")
    }
    // What stands before an @ is a password.
    let place = "\(parts.scheme ?? "")://\(parts.host ?? "")\(parts.port.map { ":\($0)" } ?? "")"
    return .init(.fine, "tracing", "Traces go to \(place).")
  }

  private static func endpoint(inFile file: String) -> String? {
    guard let data = FileManager.default.contents(atPath: file),
      let object = try? JSONSerialization.jsonObject(with: data) as? [String: Any]
    else { return nil }
    return (object["tracing"] as? [String: Any])?["endpoint"] as? String
  }
}
