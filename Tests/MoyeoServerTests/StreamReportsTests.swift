import Foundation
import GRPCCore
import MoyeoAPI
import LiveLayers
import ObjectModel
import SwiftProtobuf
import Synchronization
import Testing

@testable import MoyeoServer

@Suite struct StreamReportsTests {
  typealias Request = Moyeo_V1_StreamReportsRequest
  typealias Response = Moyeo_V1_StreamReportsResponse

  /// Sends each message after the answer to the one before; `next` makes it from those answers.
  static func converse(
    _ daemon: RunningDaemon, _ next: @escaping @Sendable ([Response]) async throws -> Request?
  ) async throws -> [Response] {
    let (answers, answered) = AsyncStream.makeStream(of: Response.self)
    return try await daemon.positions.streamReports { writer in
      var seen: [Response] = []
      var arriving = answers.makeAsyncIterator()
      while let request = try await next(seen) {
        try await writer.write(request)
        guard let answer = await arriving.next() else { return }
        seen.append(answer)
      }
    } onResponse: { response in
      var all: [Response] = []
      defer { answered.finish() }
      for try await message in response.messages {
        all.append(message)
        answered.yield(message)
      }
      return all
    }
  }

  private static func position(_ id: String, _ latitude: Double, _ longitude: Double)
    -> Moyeo_V1_Position
  {
    .with {
      $0.id = id
      $0.latitude = latitude
      $0.longitude = longitude
      $0.tags = ["tag"]
      $0.attributes = .init(fields: ["level": .init(numberValue: 3)])
    }
  }

  private static func packed(_ handles: [UInt64], _ places: [(Double, Double)]) -> Request {
    .with {
      $0.packed = .with { packed in
        packed.handles = handles
        packed.latitudeE7 = places.map { Int32(($0.0 * 1e7).rounded()) }
        packed.longitudeE7 = places.map { Int32(($0.1 * 1e7).rounded()) }
      }
    }
  }

  @Test(arguments: [[], ["level"]])
  func positionsHandlesAndPackedColumns(columns: [String]) async throws {
    let configuration = LayerRegistryConfiguration(layerSettings: { _ in
      var settings = LayerSettings()
      settings.columns = columns
      return settings
    })
    try await RunningDaemon.run(configuration: configuration) { daemon in
      let answers = try await Self.converse(daemon) { seen in
        switch seen.count {
        case 0:
          return .with {
            $0.layer = "bikes"
            $0.sequence = 41
            $0.positions = [
              Self.position("a", 37, 127), Self.position("b", 95, 127), Self.position("c", 38, 127),
            ]
          }
        case 1: return .with { $0.register = .with { $0.ids = ["a", "nobody", "c"] } }
        case 2:
          let handles = seen[1].handles
          return Self.packed(
            [handles[0], handles[2], 0, 12_345 << 32 | 9, handles[0]],
            [(37.25, 127.5), (38.5, 127.25), (1, 1), (1, 1), (91, 1)])
        default: return nil
        }
      }
      #expect(answers.count == 3)
      #expect(answers[0].accepted == 2 && answers[0].sequence == 41)
      #expect(answers[0].rejections.map(\.index) == [1])
      #expect(answers[0].rejections.first?.reason == "latitude_out_of_range")
      #expect(answers[1].handles.count == 3 && answers[1].handles[1] == 0)
      #expect(answers[1].rejections.map(\.id) == ["nobody"])
      #expect(answers[1].rejections.first?.reason == "unknown_object")
      #expect(answers[2].accepted == 2)
      #expect(answers[2].rejections.map(\.index) == [2, 3, 4])
      #expect(
        answers[2].rejections.map(\.reason)
          == ["unknown_object", "unknown_object", "latitude_out_of_range"])
      // Moved, with what was known of it kept.
      let a = try await daemon.positions.get(
        .with {
          $0.layer = "bikes"
          $0.id = "a"
          $0.minVersion = answers[2].version
        }
      ).position
      #expect(a.latitude == 37.25 && a.longitude == 127.5 && a.tags == ["tag"])
      #expect(a.attributes.fields["level"]?.numberValue == 3)
      let found = try await daemon.get(
        "/v1/layers/bikes/nearby?latitude=37&longitude=127&where=%7B%22attribute%22%3A%22level%22%2C%22equals%22%3A3%7D"
      )
      #expect(found.ids == ["a", "c"])
    }
  }

  @Test func expiredHandlesComeBackAsRejections() async throws {
    try await RunningDaemon.run { daemon in
      let answers = try await Self.converse(daemon) { seen in
        switch seen.count {
        case 0:
          return .with {
            $0.layer = "bikes"
            $0.positions = [Self.position("a", 37, 127)]
          }
        case 1: return .with { $0.register = .with { $0.ids = ["a"] } }
        case 2:
          daemon.clock.advance(milliseconds: 59_999)
          return Self.packed([seen[1].handles[0]], [(37.5, 127)])
        case 3:
          daemon.clock.advance(milliseconds: 60_000)
          return Self.packed([seen[1].handles[0]], [(38, 127)])
        case 4:
          // Another object may have the slot now; the old handle must not move it.
          return .with { $0.positions = [Self.position("b", 1, 1)] }
        case 5: return Self.packed([seen[1].handles[0]], [(38, 127)])
        default: return nil
        }
      }
      #expect(answers.map(\.accepted) == [1, 0, 1, 0, 1, 0])
      for i in [3, 5] { #expect(answers[i].rejections.map(\.reason) == ["unknown_object"]) }
      let b = try await daemon.get("/v1/layers/bikes/nearby?latitude=1&longitude=1")
      #expect(b.ids == ["b"])
      #expect(b.hits.first?["latitude"] as? Double == 1)
    }
  }

  /// A late packed message is answered item by item; the stream lives on.
  @Test func lateOrOddTimesDoNotEndTheStream() async throws {
    try await RunningDaemon.run { daemon in
      let now = daemon.clock.now().milliseconds
      let answers = try await Self.converse(daemon) { seen in
        func at(_ milliseconds: Int64, ttl: Double? = nil) -> Request {
          var request = Self.packed([seen[1].handles[0]], [(37.5, 127)])
          request.packed.observedAtMilliseconds = milliseconds
          if let ttl { request.packed.ttlSeconds = ttl }
          return request
        }
        switch seen.count {
        case 0:
          return .with {
            $0.layer = "bikes"
            $0.positions = [Self.position("a", 37, 127)]
          }
        case 1: return .with { $0.register = .with { $0.ids = ["a"] } }
        case 2: return at(now - 100_000)
        case 3: return at(now - 1)
        case 4: return at(.min, ttl: 0)
        case 5: return at(.max, ttl: 0)
        default: return nil
        }
      }
      #expect(answers.map(\.accepted) == [1, 0, 0, 0, 0, 1])
      for i in 2...4 { #expect(answers[i].rejections.map(\.reason) == ["stale"], "\(i)") }
      let stored = try await daemon.get("/v1/layers/bikes/positions/a")
      let position = stored.object["position"] as? [String: Any]
      #expect(position?["observedAt"] as? String == "2026-11-20T14:10:00Z", "\(stored.text)")
      #expect(position?["expiresAt"] == nil)
    }
  }

  @Test func badMessagesEndTheStreamWithAReason() async throws {
    try await RunningDaemon.run { daemon in
      _ = try await daemon.report([ReportTests.good], layer: "bikes")
      let named = Request.with { $0.layer = "bikes" }
      var uneven = Self.packed([1, 2], [(1, 1), (2, 2)])
      uneven.packed.latitudeE7.removeLast()
      var odd = Self.packed([1], [(1, 1)])
      odd.packed.ttlSeconds = 0.5
      let moved = Request.with { $0.layer = "others" }
      let cases: [([Request], String)] = [
        ([Request()], "missing_field"),
        (
          [.with { $0.layer = "NO" }, .with { $0.positions = [Self.position("a", 1, 1)] }],
          "bad_layer"
        ),
        (
          [.with { $0.layer = "nobody-yet" }, .with { $0.register = .with { $0.ids = ["a"] } }],
          "unknown_layer"
        ),
        (
          [
            .with {
              $0.layer = "parties"; $0.positions = [Self.position("a", 1, 1)]
            }
          ], "reserved_layer"
        ),
        // Handles would move what the service itself has put there.
        (
          [
            .with {
              $0.layer = "parties"; $0.register = .with { $0.ids = ["a"] }
            }
          ], "reserved_layer"
        ),
        ([.with { $0.layer = "tickets" }, Self.packed([1], [(1, 1)])], "reserved_layer"),
        ([named, uneven], "malformed_request"), ([named, odd], "ttl_out_of_range"),
        ([named, moved], "conflicting_fields"),
        (
          [
            named, .with { $0.positions = Array(repeating: Self.position("a", 1, 1), count: 1001) },
          ], "too_many_items"
        ),
      ]
      for (messages, reason) in cases {
        let refusal = try await GRPCRefusal.of {
          _ = try await Self.converse(daemon) { seen in
            seen.count < messages.count ? messages[seen.count] : nil
          }
        }
        #expect(refusal.reason == reason)
      }
      #expect(try await daemon.get("/v1/layers/bikes/positions/ok").status == 200)
    }
  }
}
