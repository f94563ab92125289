import GeoMath
import ObjectModel
import PointClustering
import RideMatching
import WireFormat
import LiveLayers

/// Open and full parties as objects of the layer `parties`: for nearby, clusters and tiles.
struct PartyLayer: Sendable {
  static let name = "parties"
  let layer: Layer

  /// - Throws: `tooManyLayers`.
  init(_ layers: LayerRegistry) throws(LayerError) {
    layer = try layers.existingOrNewLayer(Self.name)
  }

  /// Publishing. A party that is no longer under way is taken out.
  func show(_ parties: [Party], now: Instant) {
    var last: [String: Int] = [:]
    for (i, party) in parties.enumerated() { last[party.id] = i }
    var shown: [ContributingObject] = []
    for (i, party) in parties.enumerated() where last[party.id] == i {
      if party.isActive {
        shown.append(Self.object(party))
      } else {
        _ = layer.remove(id: party.id, now: now)
      }
    }
    if !shown.isEmpty { layer.upsert(shown, now: now) }
  }

  func remove(_ ids: [String], now: Instant) {
    for id in ids { _ = layer.remove(id: id, now: now) }
  }

  /// Commit thread: the layer holds these and no others.
  func replaceAll(_ open: [ContributingObject], gone: [String], now: Instant) {
    layer.replace(with: open, removing: gone, now: now)
  }

  static func object(_ party: Party) -> ContributingObject {
    let seatsFree = party.seatsFree
    // By name, which spares sorting them. A ride without a price shows none.
    var attributes: [(String, AttributeValue)] = []
    if party.hasPrice { attributes.append(("currency", .string(party.fare.currency))) }
    attributes += [
      ("departure", .number(Double(party.window.time.milliseconds / 1000))),
      ("departure_time", .string(RFC3339.utc(party.window.time))),
      ("destination", .string(party.destination.name)),
      ("destination_latitude", .number(party.destination.coordinate.latitude)),
      ("destination_longitude", .number(party.destination.coordinate.longitude)),
    ]
    if party.hasPrice {
      attributes += [
        ("fare_per_person", .number(Double(party.fare.perPersonNow))),
        ("lowest_fare_per_person", .number(Double(party.fare.perPersonIfFull))),
      ]
    }
    attributes += [
      ("origin", .string(party.origin.name)),
      ("seats", .number(Double(party.seats))),
      ("seats_free", .number(Double(seatsFree))),
      ("state", .string(party.state.rawValue)),
    ]
    return ContributingObject(
      id: party.id, latitude: party.origin.coordinate.latitude,
      longitude: party.origin.coordinate.longitude, tags: party.tags,
      attributes: AttributeEncoding.encode(attributes),
      expiresAt: party.window.end,
      contribution: ClusterContribution(
        seatsFree: Int32(clamping: seatsFree),
        earliestDeparture: party.window.time.milliseconds,
        lowestFarePerPerson: party.hasPrice ? party.fare.perPersonIfFull : .max))
  }
}
