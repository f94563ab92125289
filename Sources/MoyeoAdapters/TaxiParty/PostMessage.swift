import FareEstimation
import GeoMath
import ObjectModel
import Parties
import RideMatching
import WireFormat

/// A party as the app's post: `content` is the start, `content1` the destination, `content2` how many
/// people, `content3` the departure.
struct PostMessage {
  /// `next_cursor` of the last page.
  static let lastPage = "0"

  /// Attributes of riders in which the parts of a post are kept that a party has no field for. Whoever
  /// joins by a like carries them too, so that they outlast the host.
  enum Attribute {
    static let title = "post.title"
    static let product = "post.product"
    static let departure = "post.departure"
    static let all = [title, product, departure]
  }

  /// The parts of a post that its riders carry, from the first who carries any.
  static func kept(_ party: Party) -> [String: String] {
    for rider in party.riders {
      let kept = rider.attributes.filter { Attribute.all.contains($0.key) }
      if !kept.isEmpty { return kept }
    }
    return [:]
  }

  let profiles: ProfileSource
  /// Where a departure is told whose text is not known: 9 hours east, as in Korea.
  static let standardOffsetSeconds = 9 * 3600

  /// Who reads a post: its members, and a reader of open mode, see who is aboard; others see how many.
  enum Reader {
    case everything
    case person(String)

    func seesPeople(of party: Party) -> Bool {
      switch self {
      case .everything: true
      case .person(let id): party.riders.contains { $0.id == id }
      }
    }
  }

  func post(_ party: Party, to reader: Reader) -> [UInt8] {
    JSONWriter.object { write(party, to: reader, &$0) }
  }

  func page(_ parties: [Party], nextCursor: String?, to reader: Reader) -> [UInt8] {
    JSONWriter.object { out in
      out.objects("data", parties) { write($0, to: reader, &$1) }
      out.string("next_cursor", nextCursor ?? Self.lastPage)
    }
  }

  private func write(_ party: Party, to reader: Reader, _ out: inout JSONWriter) {
    let kept = Self.kept(party)
    out.string("post_id", party.id)
    out.string("title", kept[Attribute.title] ?? "\(party.origin.name) → \(party.destination.name)")
    out.string("content", Self.text(party.origin))
    out.string("content1", Self.text(party.destination))
    out.string("content2", "\(party.seats)")
    out.string("content3", Self.departure(party, kept))
    out.string("product_id", kept[Attribute.product] ?? party.tags.first ?? "")
    out.string("createdAt", RFC3339.utc(party.createdAt))
    let seesPeople = reader.seesPeople(of: party)
    out.object("creator") { creator in
      let profile = profiles.profile(of: party.hostID).attributes
      let own = party.riders.first?.attributes ?? [:]
      let id = seesPeople ? party.hostID : ""
      creator.string("user_id", id)
      creator.string("nick", Profile.nick(own.merging(profile) { _, newer in newer }, userID: id))
      if let image = profile["profileImage"] { creator.string("profileImage", image) }
    }
    // The host is the creator, not one who likes. The app counts what is left by the length.
    out.strings("likes", party.riders.dropFirst().map { seesPeople ? $0.id : "" })
  }

  private static func text(_ place: RidePlace) -> String {
    PostText.text(name: place.name, place.coordinate)
  }

  /// As the host wrote it, unless the party leaves at another time by now.
  private static func departure(_ party: Party, _ kept: [String: String]) -> String {
    if let text = kept[Attribute.departure], (try? PostText.time(text)) == party.window.time {
      return text
    }
    return PostText.text(party.window.time, offsetSeconds: standardOffsetSeconds)
  }

  /// Whether a party belongs to a product; one that was not made by this app belongs to each.
  static func belongs(_ party: Party, to product: String?) -> Bool {
    guard let product, let own = kept(party)[Attribute.product] else { return true }
    return own == product
  }
}

/// A route and its fare in the shape of Naver's Directions.
enum DirectionsMessage {
  /// How the app may ask for a route; the answer stands under the same word.
  static let options = ["trafast", "tracomfort", "traoptimal", "traavoidtoll", "traavoidcaronly"]

  struct Way: Sendable {
    var origin: Coordinate
    var destination: Coordinate
    var departure: Instant
    var distanceMeters: Double
    var durationSeconds: Double
    /// Minor units; nil where no tariff is known.
    var fare: Int64?
    var path: [Coordinate]
  }

  static func body(_ way: Way, option: String, now: Instant) -> [UInt8] {
    JSONWriter.object { out in
      out.integer("code", 0)
      out.string("message", way.fare == nil ? "no tariff is known here: taxiFare is 0" : "ok")
      out.string("currentDateTime", RFC3339.utc(now))
      out.object("route") { route in
        route.objects(option, [way]) { way, out in
          out.object("summary") { summary in
            summary.object("start") { $0.raw("location", pair(way.origin)) }
            summary.object("goal") { $0.raw("location", pair(way.destination)) }
            summary.integer("distance", Int64(way.distanceMeters.rounded()))
            summary.integer("duration", Int64((way.durationSeconds * 1000).rounded()))
            summary.string("departureTime", RFC3339.utc(way.departure))
            summary.raw("bbox", list(corners(of: way.path + [way.origin, way.destination])))
            summary.integer("tollFare", 0)
            summary.integer("taxiFare", way.fare ?? 0)
            summary.integer("fuelPrice", 0)
          }
          out.raw("path", list(way.path))
        }
      }
    }
  }

  private static func pair(_ place: Coordinate) -> [UInt8] {
    var out: [UInt8] = [UInt8(ascii: "[")]
    JSONText.append(place.longitude, to: &out)
    out.append(UInt8(ascii: ","))
    JSONText.append(place.latitude, to: &out)
    out.append(UInt8(ascii: "]"))
    return out
  }

  private static func list(_ places: [Coordinate]) -> [UInt8] {
    var out: [UInt8] = [UInt8(ascii: "[")]
    for (i, place) in places.enumerated() {
      if i > 0 { out.append(UInt8(ascii: ",")) }
      out += pair(place)
    }
    out.append(UInt8(ascii: "]"))
    return out
  }

  /// South-west, then north-east.
  private static func corners(of places: [Coordinate]) -> [Coordinate] {
    let latitudes = places.map(\.latitude)
    let longitudes = places.map(\.longitude)
    return [
      Coordinate(
        uncheckedLatitude: latitudes.min() ?? 0, longitude: longitudes.min() ?? 0),
      Coordinate(
        uncheckedLatitude: latitudes.max() ?? 0, longitude: longitudes.max() ?? 0),
    ]
  }
}
