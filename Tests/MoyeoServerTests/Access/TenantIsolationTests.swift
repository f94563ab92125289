import Foundation
import GRPCCore
import GRPCServerTransport
import MoyeoAPI
import Testing
import WireFormat

@testable import MoyeoServer

/// Every call of another tenant, naming by their ids what there is in this one: nothing of it is told
/// and nothing of it changes, over gRPC, HTTP, the batch call and tiles. Calls come from the route table.
@Suite("Isolation of tenants", .timeLimit(.minutes(10))) struct TenantIsolationTests {
  /// Stands in every object of the tenant, and nowhere else.
  private static let mark = "verborgen"
  private static let foreigners = ["north-ann", "north-server"]

  /// What is asked for: a party, a ride request and a cluster by their ids.
  private struct Seeds {
    var party = ""
    var request = ""
    var cluster = ""

    func id(of service: String, _ rpc: String) -> String {
      guard service.hasSuffix("PartyService") else { return "x" }
      return rpc.contains("RideRequest") ? request : party
    }
  }

  private static func seed(_ daemon: RunningDaemon) async throws -> Seeds {
    func made(_ path: String, _ body: String, as token: String) async throws -> HTTPAnswer {
      let answer = try await daemon.send("POST", path, body, as: token)
      try #require(answer.status == 200, "\(path): \(answer.text)")
      return answer
    }
    _ = try await made(
      "/v1/layers/users/positions",
      #"{"positions":[{"id":"x","latitude":37.4979,"longitude":127.0276,"#
        + #""tags":["swift","kotlin","\#(mark)"],"attributes":{"level":3},"ttlSeconds":0}]}"#,
      as: "server")
    let place = #""latitude":37.5551,"longitude":126.9368"#
    let trip =
      #""origin":{"name":"\#(mark)",\#(place)},"destination":{"name":"\#(mark)","#
      + #""latitude":37.4979,"longitude":127.0276}"#
    let party = try await made(
      "/v1/parties", #"{\#(trip),"departureTime":"2030-05-22T18:00:00+09:00"}"#, as: "ann")
    let stored = try await ServerSentEventReader(
      daemon.url + "/v1/parties/match/watch", method: "POST",
      body:
        #"{"riderId":"ben",\#(trip),"departureTime":"2030-05-22T20:00:00+09:00","store":true}"#,
      token: "ben")
    try #require(stored.status == 200)
    let standing = try await daemon.send("GET", "/v1/ride-requests?riderId=ben", as: "ben")
    let requests = try #require(standing.object["requests"] as? [[String: Any]])
    _ = try await made(
      "/v1/tickets",
      #"{"here":{"latitude":37.4979,"longitude":127.0276},"tags":["swift","\#(mark)"]}"#, as: "ann")
    let cluster = try await daemon.send(
      "GET", "/v1/layers/users/clusters?west=126&south=37&east=128&north=38&zoom=3", as: "server")
    let clusters = try #require(cluster.object["clusters"] as? [[String: Any]])
    return Seeds(
      party: try #require((party.object["party"] as? [String: Any])?["id"] as? String),
      request: try #require(requests.first?["id"] as? String),
      cluster: try #require(clusters.first?["id"] as? String))
  }

  /// Fields that a call may need beside who acts and what is meant.
  private static let numbers = [
    "latitude": 37.498, "longitude": 127.0277, "radiusMeters": 2000, "west": 126, "south": 37,
    "east": 128, "north": 38,
  ]

  private static func path(
    _ segments: [Substring], _ id: String, _ seeds: Seeds
  ) -> (path: String, names: Set<String>) {
    let known = [
      "layer": "users", "userId": "ann", "riderId": "ben", "zoom": "3", "x": "6", "y": "3",
      "clusterId": seeds.cluster,
    ]
    var names: Set<String> = []
    let path = segments.reduce(into: "") { path, segment in
      path += "/"
      guard let open = segment.firstIndex(of: "{"), let close = segment.firstIndex(of: "}") else {
        path += segment
        return
      }
      let name = String(segment[segment.index(after: open)..<close])
      names.insert(name)
      path += segment[..<open] + (known[name] ?? id) + segment[segment.index(after: close)...]
    }
    return (path, names)
  }

  private static func asked(
    _ operation: MoyeoServer.Operation, _ route: MoyeoServer.Operation.Route, _ seeds: Seeds
  ) -> (method: String, path: String, body: String?) {
    let (path, names) = path(route.segments, seeds.id(of: operation.service, operation.rpc), seeds)
    guard route.method != "POST" else {
      let call = operation.service.split(separator: ".").last.map(String.init) ?? ""
      let example = RequestExamples.body(of: "\(call).\(operation.rpc)") ?? [String: Any]()
      let body = (try? JSONSerialization.data(withJSONObject: example)) ?? Data("{}".utf8)
      return (route.method, path, String(decoding: body, as: UTF8.self))
    }
    var query = numbers.filter { !names.contains($0.key) }
      .filter { operation.requestSchema.field(jsonName: $0.key) != nil }
      .map { "\($0.key)=\($0.value)" }
    for (name, value) in [("riderId", "ann"), ("q", mark), ("zoom", "3")]
    where !names.contains(name) && operation.requestSchema.field(jsonName: name) != nil {
      query.append("\(name)=\(value)")
    }
    return (route.method, query.isEmpty ? path : path + "?" + query.joined(separator: "&"), nil)
  }

  private static func message(_ operation: MoyeoServer.Operation, _ seeds: Seeds) -> [UInt8] {
    var writer = ProtobufWriter(capacity: 128)
    let texts = [
      ("layer", "users"), ("id", seeds.id(of: operation.service, operation.rpc)),
      ("userId", "ann"), ("riderId", "ann"), ("clusterId", seeds.cluster),
    ]
    for (name, value) in texts {
      if let field = operation.requestSchema.field(jsonName: name) {
        writer.string(field.number, value)
      }
    }
    for (name, value) in numbers {
      if let field = operation.requestSchema.field(jsonName: name), case .double = field.kind {
        writer.double(field.number, value)
      }
    }
    return writer.bytes
  }

  /// What a call is answered with over gRPC; the text of the refusal otherwise.
  private static func answer(
    _ daemon: RunningDaemon, _ operation: MoyeoServer.Operation, _ seeds: Seeds, as token: String
  ) async throws -> String {
    let parts = operation.grpcPath.split(separator: "/")
    do {
      let bytes: [UInt8] = try await daemon.grpc.unary(
        request: ClientRequest(
          message: message(operation, seeds), metadata: ["authorization": "Bearer \(token)"]),
        descriptor: MethodDescriptor(
          fullyQualifiedService: String(parts[0]), method: String(parts[1])),
        serializer: BytesSerializer(), deserializer: BytesDeserializer(),
        options: CallOptions.defaults
      ) { try $0.message }
      return String(decoding: bytes, as: UTF8.self)
    } catch let error as RPCError {
      return error.message
    }
  }

  @Test("Nothing is told and nothing changes, whoever of another tenant asks")
  func isolation() async throws {
    try await PartyWireTests.run(verifier: NamedCallers()) { daemon in
      let seeds = try await Self.seed(daemon)
      let before = try await Self.state(daemon, seeds)
      var toldAtHome: Set<String> = []
      for operation in daemon.room.operations {
        for token in Self.foreigners {
          let told = try await Self.answer(daemon, operation, seeds, as: token)
          #expect(!told.contains(Self.mark), "\(operation.name) as \(token), gRPC: \(told)")
        }
        for route in operation.routes {
          let asked = Self.asked(operation, route, seeds)
          for token in Self.foreigners {
            let answer = try await daemon.send(asked.method, asked.path, asked.body, as: token)
            // A refusal of a search for the mark may name it.
            #expect(
              !answer.text.contains(Self.mark) || asked.path.contains(Self.mark),
              "\(asked) as \(token): \(answer.text)")
            guard operation.isRead else { continue }
            let batch = try await daemon.send(
              "POST", "/v1/batch", Self.batch(asked), as: token)
            #expect(!batch.text.contains(Self.mark), "\(asked) as \(token) in a batch")
          }
          guard operation.isRead else { continue }
          let home = try await daemon.send(asked.method, asked.path, asked.body, as: "server")
          if home.text.contains(Self.mark) { toldAtHome.insert(operation.name) }
        }
      }
      // Roads are nobody's: they are those of the daemon's own network.
      for raw in daemon.room.raw where raw.name != "GetRoadTile" {
        let (path, _) = Self.path(raw.route.segments, "x", seeds)
        for token in Self.foreigners {
          let answer = try await daemon.send("GET", path, as: token)
          #expect(answer.reason == "unknown_layer", "\(path) as \(token): \(answer.status)")
        }
        let home = try await daemon.send("GET", path, as: "server")
        #expect(home.status == 200, "\(path): \(home.text)")
      }
      // The same requests do find what they name where it belongs.
      #expect(toldAtHome.count >= 8, "\(toldAtHome.sorted())")
      let after = try await Self.state(daemon, seeds)
      #expect(before == after)
    }
  }

  private static func batch(_ asked: (method: String, path: String, body: String?)) -> String {
    let body = asked.body.map { #","body":\#($0)"# } ?? ""
    return #"{"requests":[{"method":"\#(asked.method)","path":"\#(asked.path)"\#(body)}]}"#
  }

  /// The tenant's objects, as one of its services sees them.
  private static func state(_ daemon: RunningDaemon, _ seeds: Seeds) async throws -> [String] {
    var out: [String] = []
    for path in ["/v1/parties/\(seeds.party)", "/v1/layers/users/positions/x", "/v1/tickets/ann"] {
      let answer = try await daemon.send("GET", path, as: "server")
      try #require(answer.status == 200, "\(path): \(answer.text)")
      let object = answer.object["party"] ?? answer.object["ticket"] ?? answer.object["position"]
      let fields = object as? [String: Any] ?? [:]
      out.append("\(fields["version"] ?? "") \(fields["state"] ?? "") \(fields["tags"] ?? "")")
    }
    return out
  }
}
