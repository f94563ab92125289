import Foundation
import GRPCCore
import MoyeoAPI
import ObjectModel
import Testing

@testable import MoyeoServer

/// Watch of positions in both forms.
@Suite(.timeLimit(.minutes(10))) struct PositionWatchTests {
  private static let circle =
    "/v1/layers/users/watch?latitude=37.5&longitude=127&radiusMeters=500&intervalMilliseconds=50"

  private static func item(
    _ id: String, _ latitude: Double, tags: [String] = [], ttl: Int = 60
  ) -> String {
    let tags = tags.map { "\"\($0)\"" }.joined(separator: ",")
    return
      #"{"id":"\#(id)","latitude":\#(latitude),"longitude":127,"tags":[\#(tags)],"ttlSeconds":\#(ttl)}"#
  }

  @Test func presentOnesThenEnterMoveExit() async throws {
    try await RunningDaemon.run { daemon in
      _ = try await daemon.report([
        Self.item("a", 37.5), Self.item("b", 37.501), Self.item("far", 38),
      ])
      var reader = try await ServerSentEventReader(daemon.url + Self.circle)
      var tokens: [String] = []
      var present: Set<String> = []
      for _ in 0..<2 {
        let event = try #require(try await reader.next())
        #expect(event.kind == "enter")
        #expect(event.json["snapshot"] as? Bool == true)
        present.insert(try #require(event.json["id"] as? String))
        tokens.append(try #require(event.id))
      }
      #expect(present == ["a", "b"])
      _ = try await daemon.report([Self.item("far", 37.5005, tags: ["x"])])
      let enter = try #require(try await reader.next())
      #expect(enter.kind == "enter" && enter.json["id"] as? String == "far")
      #expect(enter.json["snapshot"] == nil)
      #expect(enter.json["latitude"] as? Double == 37.5005)
      #expect((enter.json["tags"] as? [String]) == ["x"])
      let distance = try #require(enter.json["distanceMeters"] as? Double)
      #expect(distance > 50 && distance < 60)
      _ = try await daemon.report([Self.item("a", 37.5001)])
      let move = try #require(try await reader.next())
      #expect(move.kind == "move" && move.json["id"] as? String == "a")
      _ = try await daemon.report([Self.item("b", 38)])
      let exit = try #require(try await reader.next())
      #expect(exit.kind == "exit" && exit.json["id"] as? String == "b")
      _ = try await daemon.request("DELETE", "/v1/layers/users/positions/a")
      #expect(try await reader.next()?.json["id"] as? String == "a")
      // The token after the snapshot: everything since, and no reset.
      var again = try await ServerSentEventReader(daemon.url + Self.circle, lastEventID: tokens[1])
      var kinds: [String: String] = [:]
      for _ in 0..<3 {
        let event = try #require(try await again.next())
        kinds[try #require(event.json["id"] as? String)] = event.kind
      }
      #expect(kinds == ["far": "enter", "a": "exit", "b": "exit"])
      // One from inside the snapshot, and one of another start.
      for token in [tokens[0], "1-1-5"] {
        var reset = try await ServerSentEventReader(
          daemon.url + Self.circle + "&resumeToken=\(token)")
        #expect(try await reset.next()?.kind == "reset")
        #expect(try await reset.next()?.json["id"] as? String == "far")
      }
    }
  }

  @Test func whatExpiresLeaves() async throws {
    try await RunningDaemon.run { daemon in
      _ = try await daemon.report([Self.item("a", 37.5, ttl: 5)])
      var reader = try await ServerSentEventReader(daemon.url + Self.circle)
      #expect(try await reader.next()?.kind == "enter")
      daemon.clock.advance(milliseconds: 5_001)
      let exit = try await reader.next()
      #expect(exit?.kind == "exit" && exit?.json["id"] as? String == "a")
    }
  }

  @Test func filtersKindsAndFences() async throws {
    try await RunningDaemon.run { daemon in
      _ = try await daemon.report([
        Self.item("a", 37.5, tags: ["swift"]), Self.item("b", 37.5),
      ])
      let body = """
        {"fences":[
          {"id":"west","latitude":37.5,"longitude":127,"radiusMeters":100},
          {"id":"north","box":{"west":126.9,"south":37.6,"east":127.1,"north":37.7}}],
         "tags":["swift"],"kinds":["enter","exit"],"intervalMilliseconds":50}
        """
      var reader = try await ServerSentEventReader(
        daemon.url + "/v1/layers/users/watch", method: "POST", body: body)
      #expect(reader.status == 200)
      let first = try #require(try await reader.next())
      #expect(first.json["id"] as? String == "a" && first.json["fenceId"] as? String == "west")
      // A move inside is not told; then a goes to the other fence.
      _ = try await daemon.report([Self.item("a", 37.5001, tags: ["swift"])])
      _ = try await daemon.report([Self.item("a", 37.65, tags: ["swift"])])
      _ = try await daemon.report([Self.item("b", 37.65)])
      var heard: Set<String> = []
      for _ in 0..<2 {
        let event = try #require(try await reader.next())
        heard.insert("\(event.kind) \(event.json["fenceId"] as? String ?? "-")")
        #expect(event.json["id"] as? String == "a")
      }
      #expect(heard == ["exit west", "enter north"])
      // Losing the tag is leaving, too.
      _ = try await daemon.report([Self.item("a", 37.65)])
      let exit = try await reader.next()
      #expect(exit?.kind == "exit" && exit?.json["fenceId"] as? String == "north")
    }
  }

  @Test func gRPCTellsTheSame() async throws {
    try await RunningDaemon.run { daemon in
      _ = try await daemon.report([Self.item("a", 37.5)])
      var request = Moyeo_V1_WatchPositionsRequest()
      request.layer = "users"
      (request.latitude, request.longitude, request.radiusMeters) = (37.5, 127, 500)
      request.intervalMilliseconds = 50
      let first = request
      let token = try await daemon.positions.watch(first) { response in
        for try await event in response.messages {
          #expect(event.kind == "enter" && event.id == "a" && event.snapshot)
          return event.resumeToken
        }
        return ""
      }
      _ = try await daemon.report([Self.item("b", 37.5)])
      request.resumeToken = token
      try await daemon.positions.watch(request) { response in
        for try await event in response.messages {
          #expect(event.kind == "enter" && event.id == "b" && !event.snapshot)
          return
        }
      }
    }
  }

  @Test func aWatchThatIsNoAreaIsRefused() async throws {
    try await RunningDaemon.run { daemon in
      _ = try await daemon.report([Self.item("a", 37.5)])
      let path = "/v1/layers/users/watch"
      let cases = [
        (path, "missing_field", "latitude"),
        (path + "?latitude=1&longitude=1", "missing_field", "radiusMeters"),
        (path + "?latitude=91&longitude=1&radiusMeters=1", "latitude_out_of_range", "latitude"),
        (
          path + "?latitude=1&longitude=1&radiusMeters=1&west=0&south=0&east=1&north=1",
          "conflicting_fields", "within"
        ),
        (path + "?west=0&south=0&east=1", "missing_field", "north"),
        (Self.circle + "&kinds=leave", "bad_value", "kinds[0]"),
        (Self.circle + "&nope=1", "unknown_field", "nope"),
        (
          path + "?latitude=1&longitude=1&radiusMeters=1&intervalMilliseconds=1",
          "limit_out_of_range", "intervalMilliseconds"
        ),
        (
          "/v1/layers/none/watch?latitude=1&longitude=1&radiusMeters=1", "unknown_layer", "layer"
        ),
      ]
      for (path, reason, field) in cases {
        let answer = try await daemon.get(path)
        #expect(answer.reason == reason && answer.fields == [field], "\(path): \(answer.text)")
      }
      let bodies = [
        (#"{"fences":[{"id":"a"}]}"#, "missing_field", "fences[0].latitude"),
        (
          #"{"fences":[{"id":"a","latitude":1,"longitude":1,"radiusMeters":-1}]}"#,
          "limit_out_of_range", "fences[0].radiusMeters"
        ),
        (
          #"{"fences":[{"latitude":1,"longitude":1,"radiusMeters":1}]}"#, "missing_field",
          "fences[0].id"
        ),
        (
          #"{"fences":[{"id":"a","latitude":1,"longitude":1,"radiusMeters":1},{"id":"a"}]}"#,
          "bad_id", "fences[1].id"
        ),
        (
          #"{"latitude":1,"longitude":1,"radiusMeters":1,"fences":[{"id":"a","latitude":1,"longitude":1,"radiusMeters":1}]}"#,
          "conflicting_fields", "fences"
        ),
      ]
      for (body, reason, field) in bodies {
        let answer = try await daemon.post(path, body)
        #expect(answer.reason == reason && answer.fields == [field], "\(body): \(answer.text)")
      }
    }
  }
}
