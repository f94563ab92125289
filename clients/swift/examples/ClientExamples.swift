import MoyeoClient

/// An example for each group of calls: `swift run ClientExamples nearby http://127.0.0.1:8080`.
@main
enum ClientExamples {
  static let all: [String: @Sendable (MoyeoClient) async throws -> Void] = [
    "clusters": clusters, "commutes": commutes, "events": events, "fares": fares,
    "nearby": nearby, "parties": parties, "places": places, "positions": positions,
    "riderequests": rideRequests, "tickets": tickets,
  ]

  static func main() async throws {
    let words = CommandLine.arguments.dropFirst()
    guard words.count == 2, let name = words.first, let example = all[name],
      let address = words.last
    else {
      print("usage: ClientExamples \(all.keys.sorted().joined(separator: "|")) ADDRESS")
      return
    }
    // http://…, or grpc://host:port.
    let moyeo = try MoyeoClient(Endpoint.grpc(address) ?? .http(address))
    try await example(moyeo)
    await moyeo.close()
  }
}

/// Ends a stream from within.
struct Enough: Error {}
