import FareEstimation
import Foundation
import GeoMath
import ObjectModel
import Parties
import RoutePlanning

@testable import RouteProviders
@testable import moyeo

/// CSV, GeoJSON and lines of JSON, as `moyeo import` reads them.
///
/// The first byte chooses format and size of the pieces: where a piece ends changes nothing.
enum ImportTarget {
  @Sendable
  static func feed(_ bytes: UnsafeRawBufferPointer) {
    guard let (choice, rest) = bytes.choice else { return }
    let all = Array(rest)
    let format = Int(choice % 3)
    let whole = items(format, all, chunkBytes: 1 << 20)
    let pieces = items(format, all, chunkBytes: 1 + Int(choice / 3))
    hold(whole == pieces, "\(whole) items in one piece, \(pieces) in several")
  }

  /// Rows and refusals, and whether the file ended well.
  private struct Outcome: Equatable {
    var rows = 0
    var refused: [RefusedRow] = []
    var isComplete = true
  }

  private static func items(_ format: Int, _ bytes: [UInt8], chunkBytes: Int) -> Outcome {
    let source = ByteSource(name: "f", bytes: bytes, chunkBytes: chunkBytes)
    var outcome = Outcome()
    do {
      switch format {
      case 0: try drain(CSVImport(source, mapping: RowMapping()), into: &outcome)
      case 1: try drain(GeoJSONImport(source, mapping: RowMapping()), into: &outcome)
      default: try drain(NDJSONImport(source, mapping: RowMapping()), into: &outcome)
      }
    } catch {
      outcome.isComplete = false
    }
    return outcome
  }

  private static func drain(_ source: some ImportSource, into outcome: inout Outcome) throws {
    var source = source
    while let item = try source.next() {
      switch item {
      case .row: outcome.rows += 1
      case .refused(let row): outcome.refused.append(row)
      }
    }
  }
}

/// Tariffs, policies and areas that an operator writes.
enum DocumentTarget {
  @Sendable
  static func feed(_ bytes: UnsafeRawBufferPointer) {
    guard let (choice, rest) = bytes.choice else { return }
    let data = Data(rest)
    switch choice % 3 {
    case 0: _ = try? TariffDocument.read(data, file: "f")
    case 1: _ = try? PolicyPackDocument.read(data, file: "f")
    default:
      guard let map = try? AreaMap.read(data, file: "f"),
        let place = try? Coordinate(latitude: 37.5, longitude: 127)
      else { return }
      hold(map.ids(at: place).allSatisfy { map.area($0) != nil }, "a place in an unknown area")
    }
  }
}

/// Answers of route providers: a route that is believed has a leg between each two places.
enum RouteTarget {
  private static let clock = ManualClock(Instant(seconds: 1_795_183_800))
  private static let dialects: [any RouteDialect] = [
    OSRMDialect(baseURL: "x"), ValhallaDialect(baseURL: "x"),
    NaverDialect(keyID: "i", key: "k"), KakaoDialect(key: "k", clock: clock),
  ]
  private static let request = try? RouteRequest(
    origin: Coordinate(latitude: 37.5547, longitude: 126.9707),
    destination: Coordinate(latitude: 37.4979, longitude: 127.0276),
    departure: Instant(seconds: 1_795_183_800))

  @Sendable
  static func feed(_ bytes: UnsafeRawBufferPointer) {
    guard let (choice, rest) = bytes.choice, let request else { return }
    _ = EncodedPolyline.decode(String(decoding: rest, as: UTF8.self))
    let reply = RouteReply(status: choice & 4 == 0 ? 200 : 400, body: Array(rest))
    // A dialect reads what stands there; ``RoutePlausibility`` decides what is taken.
    guard let route = try? dialects[Int(choice & 3)].route(from: reply, for: request),
      (try? RoutePlausibility().check(route, for: request)) != nil
    else { return }
    hold(route.legs.count == request.places.count - 1, "\(route.legs.count) legs")
    hold(
      route.distanceMeters.isFinite && route.durationSeconds.isFinite,
      "\(route.distanceMeters) m, \(route.durationSeconds) s")
  }
}
