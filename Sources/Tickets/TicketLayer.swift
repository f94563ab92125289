import GeoMath
import LiveLayers
import ObjectModel
import PeerMatching
import PointClustering

/// People who wait as objects of the layer `tickets`, where others see them: for nearby, clusters,
/// tiles and watches, none of which is ever told anything else.
struct TicketLayer: Sendable {
  static let name = "tickets"
  let layer: Layer

  /// - Throws: `tooManyLayers`.
  init(_ layers: LayerRegistry) throws(LayerError) {
    layer = try layers.existingOrNewLayer(Self.name)
  }

  /// Publishing: newest states, each person once. Who no longer waits is taken out.
  func show(_ tickets: [(ticket: Ticket, position: Coordinate?)], now: Instant) {
    var shown: [ContributingObject] = []
    for (ticket, position) in tickets {
      if let position, ticket.isWaiting(at: now) {
        shown.append(Self.object(ticket, at: position))
      } else {
        _ = layer.remove(id: ticket.userID, now: now)
      }
    }
    if !shown.isEmpty { layer.upsert(shown, now: now) }
  }

  /// Takes people out.
  func remove(_ ids: [String], now: Instant) {
    for id in ids { _ = layer.remove(id: id, now: now) }
  }

  /// Commit thread: the layer holds these and no others.
  func replaceAll(_ waiting: [ContributingObject], gone: [String], now: Instant) {
    layer.replace(with: waiting, removing: gone, now: now)
  }

  static func object(_ ticket: Ticket, at position: Coordinate) -> ContributingObject {
    return ContributingObject(
      id: ticket.userID, latitude: position.latitude, longitude: position.longitude,
      tags: distinct(ticket.tags),
      attributes: AttributeEncoding.encode(
        ticket.attributes.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) }),
      expiresAt: ticket.expiresAt,
      contribution: ClusterContribution(
        seatsFree: 0, earliestDeparture: .max, lowestFarePerPerson: .max))
  }

  /// Each of a person's few tags once, in their order.
  private static func distinct(_ tags: [String]) -> [String] {
    var out: [String] = []
    out.reserveCapacity(tags.count)
    for tag in tags where !out.contains(tag) { out.append(tag) }
    return out
  }
}
