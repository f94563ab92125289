import ObjectModel
import QueryCoalescing
import Threading

/// What a map asks for when it has moved.
struct ViewportRequest {
  let time: Nanoseconds
  let client: Int
  let zoom: Int
  let west: UInt32
  let north: UInt32
  let east: UInt32
  let south: UInt32
}

/// People with a map of a city in hand: they look at a popular place, drag for a second or two
/// while the map asks ten times a second, zoom in or out, read for a while, and go on.
enum MapPanTrace {
  /// A box of 60 km around Seoul in 32-bit Mercator units: 1 unit is 7.4 mm there.
  static let cityWest: UInt32 = 3_658_400_000
  static let cityNorth: UInt32 = 1_660_000_000
  static let citySide: UInt32 = 8_000_000
  /// Screen of 390 x 780 points, in which zoom z shows 2^(24 - z) units a point (tiles of 256).
  static let screenWidth = 390.0
  static let screenHeight = 780.0

  /// All requests of all clients, in order of time.
  static func requests(clients: Int, seconds: Double, seed: UInt64) -> [ViewportRequest] {
    var requests: [ViewportRequest] = []
    requests.reserveCapacity(Int(Double(clients) * seconds * 3))
    let spots = hotSpots(seed)
    for client in 0..<clients {
      var random = SplitMix64(seed: seed &+ UInt64(client) &* 0x1_0000_0001)
      append(&requests, client, spots, until: seconds, &random)
    }
    return requests.sorted { ($0.time, $0.client) < ($1.time, $1.client) }
  }

  private static func hotSpots(_ seed: UInt64) -> [(x: Double, y: Double)] {
    var random = SplitMix64(seed: seed ^ 0xC17)
    return (0..<48).map { _ in (random.unit(), random.unit()) }
  }

  private static func append(
    _ requests: inout [ViewportRequest], _ client: Int, _ spots: [(x: Double, y: Double)],
    until end: Double, _ random: inout SplitMix64
  ) {
    let side = Double(citySide)
    // Heavier places first: place i is chosen with a weight of about 1 / i.
    func place(_ random: inout SplitMix64) -> (x: Double, y: Double) {
      let rank = Int(48 * random.unit() * random.unit() * random.unit())
      return (spots[rank].x * side, spots[rank].y * side)
    }
    var center = place(&random)
    var zoom = 11 + random.below(5)
    var now = random.unit() * 5
    while now < end {
      // A quarter opens the map anew at a place, as an app does that starts at "my position".
      if random.below(4) == 0 { center = place(&random) }
      if random.below(3) == 0 { zoom = max(10, min(16, zoom + (random.below(2) == 0 ? 1 : -1))) }
      let unitsPerPoint = Double(UInt32(1) << UInt32(24 - zoom))
      // A gesture: 0.3 to 2 s, up to 300 points a second, ten requests a second.
      let steps = 3 + random.below(18)
      let velocityX = (random.unit() - 0.5) * 600 * unitsPerPoint
      let velocityY = (random.unit() - 0.5) * 600 * unitsPerPoint
      for _ in 0..<steps where now < end {
        center.x = max(0, min(side, center.x + velocityX / 10))
        center.y = max(0, min(side, center.y + velocityY / 10))
        requests.append(viewport(center, unitsPerPoint, zoom, client, now))
        now += 0.1
      }
      // Reading: 1 to 8 s.
      now += 1 + random.unit() * 7
    }
  }

  private static func viewport(
    _ center: (x: Double, y: Double), _ unitsPerPoint: Double, _ zoom: Int, _ client: Int,
    _ now: Double
  ) -> ViewportRequest {
    let (halfWidth, halfHeight) = (
      screenWidth / 2 * unitsPerPoint, screenHeight / 2 * unitsPerPoint
    )
    let (x, y) = (Double(cityWest) + center.x, Double(cityNorth) + center.y)
    return ViewportRequest(
      time: Nanoseconds(now * 1e9), client: client, zoom: zoom, west: UInt32(x - halfWidth),
      north: UInt32(y - halfHeight), east: UInt32(x + halfWidth), south: UInt32(y + halfHeight))
  }
}
