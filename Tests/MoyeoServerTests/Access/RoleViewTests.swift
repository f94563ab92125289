import Foundation
import GRPCCore
import Identity
import MoyeoAPI
import ObjectModel
import SwiftProtobuf
import Testing

@testable import MoyeoServer

/// What members, others and services see of a party; whose attributes count; what another tenant knows.
@Suite("Views and tenants", .timeLimit(.minutes(10))) struct RoleViewTests {
  private static let places = #"""
    "origin":{"name":"Station","latitude":37.5547,"longitude":126.9707},
    "destination":{"name":"Gangnam","latitude":37.4979,"longitude":127.0276},
    "departureTime":"2026-11-20T15:10:00Z","departureWindowSeconds":600
    """#

  /// Ann's party, without a policy unless one is given.
  private static func create(
    _ daemon: RunningDaemon, as token: String = "ann", more: String = ""
  ) async throws -> HTTPAnswer {
    try await daemon.send("POST", "/v1/parties", "{\(places)\(more)}", as: token)
  }

  private static func run(_ body: @Sendable (RunningDaemon) async throws -> Void) async throws {
    try await PartyWireTests.run(verifier: NamedCallers(), body)
  }

  private static func party(_ answer: HTTPAnswer) -> [String: Any] {
    answer.object["party"] as? [String: Any] ?? [:]
  }

  private static func riders(_ party: [String: Any]) -> [String] {
    (party["riders"] as? [[String: Any]] ?? []).compactMap { $0["riderId"] as? String }
  }

  @Test("Where exactly a snapped party meets, only members and services see")
  func snappedOrigin() async throws {
    try await Self.run { daemon in
      let made = try await Self.create(daemon, more: #","originPrecision":"snapped""#)
      #expect(made.status == 200, "\(made.text)")
      let id = try #require(Self.party(made)["id"] as? String)
      let rough = try #require(Self.party(made)["snappedOrigin"] as? [String: Any])
      #expect(rough["name"] as? String ?? "" == "" && rough["latitude"] as? Double != 37.5547)
      for (token, sees) in [("ann", true), ("server", true), ("ben", false)] {
        let answer = try await daemon.send("GET", "/v1/parties/\(id)", as: token)
        let shown = Self.party(answer)
        let origin = try #require(shown["origin"] as? [String: Any])
        #expect(origin["name"] as? String == (sees ? "Station" : ""), "\(token)")
        #expect((origin["latitude"] as? Double == 37.5547) == sees, "\(token)")
        #expect(shown["originPrecision"] as? String == "snapped")
        #expect(answer.text.contains("37.5547") == sees && answer.text.contains("126.9707") == sees)
        let match = try await daemon.send(
          "POST", "/v1/parties/match",
          #"{"riderId":"\#(token == "server" ? "cid" : token)",\#(Self.places)}"#, as: token)
        if token == "ben" {
          #expect(match.status == 200 && match.text.contains(id), "\(match.text)")
          #expect(!match.text.contains(#""name":"Station""#))
        }
      }
      // The layer of parties, where anybody looks.
      let near = try await daemon.send(
        "GET", "/v1/layers/parties/nearby?latitude=37.5547&longitude=126.9707", as: "ben")
      #expect(near.text.contains(id) && !near.text.contains("37.5547"), "\(near.text)")
      // Who gets in sees it from then on.
      let joined = try await daemon.send(
        "POST", "/v1/parties/\(id)/join", #"{"riderId":"ben"}"#, as: "ben")
      #expect(joined.status == 200, "\(joined.text)")
      #expect((Self.party(joined)["origin"] as? [String: Any])?["name"] as? String == "Station")
      let wrong = try await Self.create(daemon, as: "ben", more: #","originPrecision":"vague""#)
      #expect(wrong.status == 400 && wrong.text.contains("exact or snapped"), "\(wrong.text)")
    }
  }

  @Test("Members and services see who is aboard, others how many")
  func partyViews() async throws {
    try await Self.run { daemon in
      let made = try await Self.create(daemon)
      #expect(made.status == 200, "\(made.text)")
      // Who acts is filled in where a person leaves it out.
      #expect(Self.party(made)["hostId"] as? String == "ann")
      let id = try #require(Self.party(made)["id"] as? String)
      for (token, sees) in [("ann", true), ("server", true), ("ben", false)] {
        let shown = Self.party(try await daemon.send("GET", "/v1/parties/\(id)", as: token))
        let search = try await daemon.send(
          "POST", "/v1/parties/search", #"{"latitude":37.5547,"longitude":126.9707}"#, as: token)
        let found = (search.object["parties"] as? [[String: Any]])?.first ?? [:]
        let batch = try await daemon.send(
          "POST", "/v1/batch", #"{"requests":[{"method":"GET","path":"/v1/parties/\#(id)"}]}"#,
          as: token)
        let item = (batch.object["responses"] as? [[String: Any]])?.first?["body"]
        let inBatch = (item as? [String: Any])?["party"] as? [String: Any] ?? [:]
        for party in [shown, found, inBatch] {
          #expect(party["hostId"] as? String == (sees ? "ann" : nil), "\(token)")
          #expect(Self.riders(party) == (sees ? ["ann"] : []), "\(token)")
          #expect(party["riderCount"] as? Int == 1)
          let shares = (party["fare"] as? [String: Any])?["shares"] as? [Any]
          #expect((shares?.isEmpty ?? true) == !sees, "\(token)")
          #expect(!sees ? !"\(party)".contains("ann") : true)
        }
      }
      // Who joins becomes a member, and who leaves is none any more.
      let joined = try await daemon.send("POST", "/v1/parties/\(id)/join", "{}", as: "ben")
      #expect(Self.riders(Self.party(joined)) == ["ann", "ben"], "\(joined.text)")
      let left = try await daemon.send("POST", "/v1/parties/\(id)/leave", "{}", as: "ben")
      #expect(Self.riders(Self.party(left)) == [], "\(left.text)")
    }
  }

  @Test("A host and services see who asks to join, riders their own request, others how many")
  func joinRequestViews() async throws {
    try await Self.run { daemon in
      let made = try await Self.create(daemon, more: #","approval":"host","holdSeats":true"#)
      let id = try #require(Self.party(made)["id"] as? String, "\(made.text)")
      let asked = try await daemon.send("POST", "/v1/parties/\(id)/join", "{}", as: "ben")
      let request = try #require(asked.object["joinRequest"] as? [String: Any], "\(asked.text)")
      let requestID = try #require(request["id"] as? String)
      #expect(request["state"] as? String == "pending" && request["riderId"] as? String == "ben")
      for (token, sees) in [("ann", true), ("server", true), ("ben", true), ("cat", false)] {
        let shown = Self.party(try await daemon.send("GET", "/v1/parties/\(id)", as: token))
        let search = try await daemon.send(
          "POST", "/v1/parties/search", #"{"latitude":37.5547,"longitude":126.9707}"#, as: token)
        let found = (search.object["parties"] as? [[String: Any]])?.first ?? [:]
        for party in [shown, found] {
          let requests = party["joinRequests"] as? [[String: Any]] ?? []
          #expect(requests.count == (sees ? 1 : 0), "\(token)")
          #expect(party["pendingRequests"] as? Int == 1 && party["seatsFree"] as? Int == 2)
          #expect(sees || !"\(party)".contains("ben"), "\(token)")
        }
      }
      // Neither the rider nor a stranger decides, and only the rider withdraws.
      let path = "/v1/parties/\(id)/requests/\(requestID)"
      for (token, verb, word) in [
        ("ben", "approve", "not_host"), ("cat", "decline", "not_host"),
        ("ann", "withdraw", "unknown_join_request"), ("cat", "withdraw", "unknown_join_request"),
      ] {
        let refused = try await daemon.send("POST", "\(path)/\(verb)", "{}", as: token)
        #expect(refused.text.contains(word), "\(token) \(verb): \(refused.text)")
      }
      let other = try await daemon.send(
        "POST", "\(path)/approve", #"{"hostId":"ann"}"#, as: "ben")
      #expect(other.status == 403, "\(other.text)")
      let approved = try await daemon.send("POST", "\(path)/approve", "{}", as: "ann")
      #expect(Self.riders(Self.party(approved)) == ["ann", "ben"], "\(approved.text)")
      let answer = approved.object["joinRequest"] as? [String: Any]
      #expect(answer?["state"] as? String == "approved")
      // A member is no host: of others' requests they hear how many.
      _ = try await daemon.send("POST", "/v1/parties/\(id)/join", "{}", as: "cat")
      let shown = Self.party(try await daemon.send("GET", "/v1/parties/\(id)", as: "ben"))
      #expect(!"\(shown)".contains("cat") && shown["pendingRequests"] as? Int == 1)
    }
  }

  @Test("A person matches without hearing who is aboard")
  func matchViews() async throws {
    try await Self.run { daemon in
      _ = try await Self.create(daemon)
      let match = try await daemon.send(
        "POST", "/v1/parties/match", "{\(Self.places)}", as: "ben")
      let candidates = try #require(match.object["candidates"] as? [[String: Any]], "\(match.text)")
      #expect(candidates.count == 1)
      #expect(!match.text.contains("\"ann\""))
      let party = try #require(candidates.first?["party"] as? [String: Any])
      let id = try #require(party["id"] as? String)
      let preview = try await daemon.send("POST", "/v1/parties/\(id)/preview", "{}", as: "ben")
      #expect(preview.status == 200, "\(preview.text)")
      #expect(!preview.text.contains("\"ann\""))
      #expect(preview.text.contains("\"ben\""))
    }
  }

  @Test("Who does not belong to a party hears that something happened, not to whom")
  func eventViews() async throws {
    try await Self.run { daemon in
      let id = try #require(Self.party(try await Self.create(daemon))["id"] as? String)
      for (token, sees) in [("ann", true), ("ben", false), ("server", true)] {
        var reader = try await ServerSentEventReader(
          daemon.url + "/v1/parties/\(id)/events?afterVersion=0", token: token)
        let event = try #require(try await reader.next())
        #expect(event.kind == "created")
        #expect(event.data.contains("ann") == sees, "\(token): \(event.data)")
      }
    }
  }

  @Test("What a policy reads comes from the token, or from a service")
  func attributes() async throws {
    try await Self.run { daemon in
      let policy = #","policy":{"sameAttributes":["gender"]}"#
      let lied = try await Self.create(daemon, more: #","attributes":{"gender":"m"}\#(policy)"#)
      #expect(lied.reason == "attribute_protected")
      #expect(lied.fields == ["attributes.gender"])
      let unknown = try await Self.create(daemon, more: #","attributes":{"vip":true}"#)
      #expect(unknown.reason == "attribute_protected")
      let made = try await Self.create(daemon, more: policy)
      let id = try #require(Self.party(made)["id"] as? String, "\(made.text)")
      // Ben's token says what he is, whatever he would like to be.
      let path = "/v1/parties/\(id)/join"
      #expect(
        try await daemon.send("POST", path, #"{"attributes":{"gender":"f"}}"#, as: "ben").reason
          == "attribute_protected")
      #expect(try await daemon.send("POST", path, "{}", as: "ben").reason == "policy_violation")
      let served = try await daemon.send(
        "POST", path, #"{"riderId":"cyd","attributes":{"gender":"f"}}"#, as: "server")
      #expect(served.status == 200, "\(served.text)")
    }
  }

  @Test("A person reports of themselves what their token says", arguments: [true, false])
  func reportedAttributes(usesFastPath: Bool) async throws {
    try await RunningDaemon.runWithTokens(usesFastPath: usesFastPath) { daemon in
      func report(_ gender: String, as token: String) async throws -> String? {
        var request = Moyeo_V1_ReportRequest()
        request.layer = "users"
        request.positions = [
          .with {
            $0.id = "ann"
            $0.latitude = 37.5
            $0.longitude = 127
            $0.attributes.fields["gender"] = .init(stringValue: gender)
          }
        ]
        return try await daemon.reason(
          "/moyeo.v1.PositionService/Report", try request.serializedBytes(), as: token)
      }
      for (gender, token, expected) in [
        ("m", "ann", "attribute_protected"), ("f", "ann", nil), ("m", "server", nil),
      ] as [(String, String, String?)] {
        let reason = try await report(gender, as: token)
        #expect(reason == expected, "\(gender) as \(token)")
      }
    }
  }

  @Test("Nobody is put aboard by another person, and nobody cancels what they do not host")
  func others() async throws {
    try await Self.run { daemon in
      let with = try await Self.create(daemon, more: #","riders":[{"riderId":"ben"}]"#)
      #expect(with.reason == "forbidden")
      #expect(with.fields == ["riders"])
      let id = try #require(Self.party(try await Self.create(daemon))["id"] as? String)
      let path = "/v1/parties/\(id)/cancel"
      #expect(
        try await daemon.send("POST", path, #"{"riderId":"ann"}"#, as: "ben").reason == "forbidden")
      // Without a name it is Ben who cancels, and he is not the host.
      let own = try await daemon.send("POST", path, "{}", as: "ben").reason
      #expect(own == "not_host" || own == "not_member", "\(own ?? "answered")")
      let stored = try await daemon.send(
        "POST", "/v1/parties/match/watch", "{\(Self.places),\"store\":true}", as: "reader")
      #expect(stored.reason == "forbidden")
      #expect(try await daemon.send("POST", path, "{}", as: "ann").status == 200)
    }
  }

  @Test("Another tenant's objects are as unknown as none")
  func tenants() async throws {
    try await Self.run { daemon in
      let position = #"{"positions":[{"id":"ann","latitude":37.5,"longitude":127}]}"#
      let reported = try await daemon.send(
        "POST", "/v1/layers/users/positions", position, as: "ann")
      #expect(reported.status == 200, "\(reported.text)")
      let id = try #require(Self.party(try await Self.create(daemon))["id"] as? String)
      let opened = try await daemon.send(
        "POST", "/v1/tickets", #"{"here":{"latitude":37.5,"longitude":127}}"#, as: "ann")
      #expect(opened.status == 200, "\(opened.text)")
      for (method, path, body, reason) in [
        ("GET", "/v1/layers/users/positions/ann", nil, "unknown_layer"),
        ("GET", "/v1/layers/users/nearby?latitude=37.5&longitude=127", nil, "unknown_layer"),
        ("GET", "/v1/layers/users/tiles/3/6/3.mvt", nil, "unknown_layer"),
        ("GET", "/v1/layers/users/tiles.json", nil, "unknown_layer"),
        ("GET", "/v1/parties/\(id)", nil, "unknown_party"),
        ("GET", "/v1/parties/\(id)/events", nil, "unknown_party"),
        ("POST", "/v1/parties/\(id)/join", "{}", "unknown_party"),
        ("POST", "/v1/parties/\(id)/cancel", "{}", "unknown_party"),
        ("GET", "/v1/tickets/ann", nil, "unknown_ticket"),
        ("GET", "/v1/tickets/ann/events", nil, "unknown_ticket"),
      ] as [(String, String, String?, String)] {
        let answer = try await daemon.send(
          method, path, body, as: "north-ann",
          headers: path.hasSuffix("events") ? [("accept", "text/event-stream")] : [])
        #expect(answer.reason == reason, "\(path): \(answer.text)")
        #expect(answer.status == 404)
      }
      let layers = try await daemon.send("GET", "/v1/layers", as: "north-server")
      #expect(!layers.text.contains("\"users\""), "\(layers.text)")
      let feed = try await daemon.send("GET", "/v1/events", as: "north-server")
      #expect((feed.object["events"] as? [Any])?.isEmpty == true, "\(feed.text)")
      // The same ids and the same key are the other tenant's own.
      for token in ["ann", "north-ann"] {
        let answer = try await daemon.send(
          "POST", "/v1/parties", "{\(Self.places.replacing("T15:", with: "T19:"))}", as: token,
          headers: [("idempotency-key", "one")])
        #expect(answer.status == 200, "\(answer.text)")
      }
      let own = try await daemon.send("GET", "/v1/parties", as: "north-ann")
      #expect((own.object["parties"] as? [Any])?.count == 1)
      let first = try await daemon.send("GET", "/v1/parties", as: "ann")
      #expect((first.object["parties"] as? [Any])?.count == 2)
    }
  }

  @Test("More tenants than may be served are refused")
  func tenantQuota() async throws {
    try await RunningDaemon.runWithTokens { daemon in
      #expect(try await daemon.send("GET", "/v1/layers", as: "north-server").status == 200)
      #expect(try await daemon.send("GET", "/v1/layers", as: "south-server").status == 200)
      let answer = try await daemon.send("GET", "/v1/layers", as: "east-server")
      #expect(answer.reason == "quota_exceeded")
      #expect(try await daemon.send("GET", "/v1/layers", as: "server").status == 200)
    }
  }
}
