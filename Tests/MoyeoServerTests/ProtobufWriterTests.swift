import Foundation
import GeoMath
import MoyeoAPI
import LiveLayers
import ObjectModel
import SpatialIndexing
import SwiftProtobuf
import Testing

@testable import MoyeoServer
import WireFormat

/// The hand-written encoding against the generated types'.
@Suite struct MessageWriterTests {
  @Test(arguments: [
    0, 1, 999, 1000, 1001, -1, -999, -1000, -1001, 1_795_183_800_123, -62_135_596_800_000,
    253_402_300_799_999, Int64.min, Int64.max,
  ])
  func timestamps(milliseconds: Int64) throws {
    var writer = ProtobufWriter()
    writer.timestamp(9, milliseconds: milliseconds)
    let decoded = try Moyeo_V1_StoredPosition(serializedBytes: writer.bytes).observedAt
    #expect((0..<1_000_000_000).contains(decoded.nanos))
    let (seconds, remainder) = milliseconds.quotientAndRemainder(dividingBy: 1000)
    #expect(decoded.seconds == (remainder < 0 ? seconds - 1 : seconds))
    #expect(Int64(decoded.nanos) == (remainder < 0 ? remainder + 1000 : remainder) * 1_000_000)
  }

  @Test(arguments: [0, 1, 127, 128, 300, 16_383, 16_384, 2_097_151, 2_097_152, 200_000_000])
  func lengthsAreWrittenInAsManyBytesAsTheyTake(count: Int) {
    var writer = ProtobufWriter()
    writer.rawVarint(UInt64(count))
    #expect(writer.bytes.count == varintLength(UInt64(count)))
  }

  @Test func scalarsAreWhatTheGeneratedCodeWrites() throws {
    var writer = ProtobufWriter()
    writer.int32(1, -5)
    writer.string(2, "모여")
    writer.string(3, "")
    #expect(
      try Moyeo_V1_Rejection(serializedBytes: writer.bytes)
        == .with {
          $0.index = -5
          $0.id = "모여"
          $0.field = ""
        })
    writer = ProtobufWriter()
    writer.bool(1, false)
    let removed = try Moyeo_V1_RemovePositionResponse(serializedBytes: writer.bytes)
    #expect(removed.hasRemoved && !removed.removed)
  }

  @Test(arguments: [
    (UInt32(0), UInt64(0)), (1, 15), (15, 16), (16, 255), (0xA0B1_C2D3, 256), (.max, .max),
    (0x0FFF_FFFF, 0x1_0000_0000), (9, 0xABCDEF),
  ])
  func versions(epoch: UInt32, counter: UInt64) throws {
    let version = LayerVersion(epoch: epoch, counter: counter)
    var written = ProtobufWriter()
    written.version(3, version)
    var expected = ProtobufWriter()
    expected.string(3, version.text)
    #expect(written.bytes == expected.bytes)
  }

  /// Random objects through the layers: what the writer copies from the index, against the same
  /// answer built from generated messages.
  @Test(arguments: [UInt64(5), 6])
  func hitsEqualGeneratedMessages(seed: UInt64) throws {
    let clock = ManualClock(RunningDaemon.start)
    let layers = LayerRegistry(clock: clock, epoch: 7)
    let operations = PositionOperations(layers: layers)
    var data = OracleData(seed: seed, now: clock.now().milliseconds)
    let objects = data.objects(300)
    var request = Moyeo_V1_ReportRequest()
    request.layer = "users"
    request.positions = try objects.map { try Moyeo_V1_Position(jsonString: $0.json) }
    // A long id and a payload of more than 127 bytes, so that lengths take two bytes.
    request.positions[0].id = String(repeating: "길", count: 42)
    request.positions[0].tags = (0..<20).map { "tag number \($0)" }
    request.positions[1].clearAttributes()
    request.positions[1].tags = []
    _ = try operations.report(request)
    let positions = Dictionary(uniqueKeysWithValues: request.positions.map { ($0.id, $0) })

    let origin = Coordinate(uncheckedLatitude: 37.5, longitude: 127)
    let bytes = try operations.nearby(
      .with {
        $0.layer = "users"
        $0.latitude = origin.latitude
        $0.longitude = origin.longitude
        $0.limit = 1000
      })
    let answer = try Moyeo_V1_NearbyResponse(serializedBytes: bytes)
    #expect(answer.hits.count == 300)
    let now = clock.now().milliseconds
    for hit in answer.hits {
      let position = try #require(positions[hit.id])
      let place = Coordinate(uncheckedLatitude: position.latitude, longitude: position.longitude)
      var expected = Moyeo_V1_Hit()
      expected.id = position.id
      expected.latitude = position.latitude
      expected.longitude = position.longitude
      expected.distanceMeters =
        Double(
          DistanceOrigin(origin).millimeters(
            latitude: place.latitude, longitude: place.longitude)) / 1000
      expected.bearingDegrees = origin.bearingDegrees(to: place)
      expected.ageSeconds = Double(now - Instant(position.observedAt).milliseconds) / 1000
      expected.tags = position.tags
      expected.attributes = position.attributes
      #expect(hit == expected)
      #expect(hit.unknownFields.data.isEmpty)
    }
    // Nothing but canonical bytes: the same length when encoded by SwiftProtobuf.
    let canonical: [UInt8] = try answer.serializedBytes()
    #expect(canonical.count == bytes.count)
    try storedPositionsEqual(operations, positions)
  }

  private func storedPositionsEqual(
    _ operations: PositionOperations, _ positions: [String: Moyeo_V1_Position]
  ) throws {
    for (id, position) in positions {
      let bytes = try operations.get(
        .with {
          $0.layer = "users"
          $0.id = id
        })
      let stored = try Moyeo_V1_GetPositionResponse(serializedBytes: bytes).position
      #expect(stored.id == id && stored.tags == position.tags)
      #expect(stored.attributes == position.attributes)
      #expect(stored.observedAt == position.observedAt)
      #expect(stored.hasExpiresAt == (position.ttlSeconds != 0))
      if stored.hasExpiresAt {
        #expect(
          Instant(stored.expiresAt).milliseconds(since: Instant(position.observedAt))
            == Int64(position.ttlSeconds * 1000))
      }
    }
  }
}
