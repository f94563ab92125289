import Foundation
import GRDB
import GeoMath
import ObjectModel
import RoutePlanning
import Testing

@testable import MoyeoStorage

/// A grid of streets as `spatialite_osm_net` writes it: ways stay whole where others cross them.
struct StreetGrid {
  static let size = 6
  let path: String

  static func place(row: Int, column: Int) -> Coordinate {
    Coordinate(
      uncheckedLatitude: 37.55 + 0.002 * Double(row),
      longitude: 126.97 + 0.0025 * Double(column))
  }

  /// Row 1 is one way, to the east.
  init(extra: [[Coordinate]] = []) throws {
    path = NSTemporaryDirectory() + "moyeo-roads-\(UUID().uuidString).sqlite"
    let database = try RoadNetworkDatabase(path: path, mustExist: false)
    try database.queue.writeWithoutTransaction { db in
      try db.execute(sql: "SELECT InitSpatialMetaData(1)")
      try db.execute(
        sql: """
          CREATE TABLE roads (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
            osm_id INTEGER NOT NULL, class TEXT NOT NULL, node_from INTEGER NOT NULL,
            node_to INTEGER NOT NULL, name TEXT NOT NULL, oneway_fromto INTEGER NOT NULL,
            oneway_tofrom INTEGER NOT NULL, length DOUBLE NOT NULL, cost DOUBLE NOT NULL);
          SELECT AddGeometryColumn('roads', 'geometry', 4326, 'LINESTRING', 'XY');
          """)
      func add(_ name: String, _ line: [Coordinate], oneWay: Bool = false) throws {
        let meters = RoadGraph.meters(line[...])
        try db.execute(
          sql: """
            INSERT INTO roads VALUES (NULL, 1, 'residential', 0, 0, ?, 1, ?, ?, ?,
              GeomFromWKB(?, 4326))
            """,
          arguments: [
            name, !oneWay, meters, meters / (30 / 3.6), Data(LineStringWKB.encode(line)),
          ])
      }
      try db.inTransaction {
        for row in 0..<Self.size {
          try add(
            "row \(row)", (0..<Self.size).map { Self.place(row: row, column: $0) },
            oneWay: row == 1)
        }
        for column in 0..<Self.size {
          try add("column \(column)", (0..<Self.size).map { Self.place(row: $0, column: column) })
        }
        for line in extra { try add("extra", line) }
        return .commit
      }
    }
  }

  func remove() {
    for suffix in ["", "-journal", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: path + suffix)
    }
  }
}

@Suite struct VirtualRoutingTests {
  static let departure = Instant(seconds: 1_795_183_800)

  /// Shortest ways over the grid by relaxing all edges until nothing changes (Bellman-Ford).
  static func oracle(from: (Int, Int), to: (Int, Int)) -> Double {
    let size = StreetGrid.size
    var best = Array(repeating: Array(repeating: Double.infinity, count: size), count: size)
    best[from.0][from.1] = 0
    for _ in 0..<(size * size) {
      for row in 0..<size {
        for column in 0..<size {
          for (dr, dc) in [(0, 1), (0, -1), (1, 0), (-1, 0)] {
            let (r, c) = (row + dr, column + dc)
            guard (0..<size).contains(r), (0..<size).contains(c) else { continue }
            if row == 1 && dr == 0 && dc == -1 { continue }
            let meters = StreetGrid.place(row: row, column: column).distanceMeters(
              to: StreetGrid.place(row: r, column: c))
            best[r][c] = min(best[r][c], best[row][column] + meters)
          }
        }
      }
    }
    return best[to.0][to.1]
  }

  @Test func linksAreSplitAtCrossings() throws {
    let grid = try StreetGrid(extra: [
      // A road of its own elsewhere, and a bridge: it crosses without a shared vertex.
      [
        Coordinate(uncheckedLatitude: 37.6, longitude: 127),
        Coordinate(uncheckedLatitude: 37.601, longitude: 127),
      ]
    ])
    defer { grid.remove() }
    let report = try RoadNetwork.prepare(path: grid.path)
    let n = StreetGrid.size
    #expect(report.sourceLinks == 2 * n + 1 && report.splitLinks == 2 * n)
    #expect(report.links == 2 * n * (n - 1) + 1)
    #expect(report.nodes == n * n + 2 && report.strayNodes == 2)
    // Again, over what is there.
    #expect(try RoadNetwork.prepare(path: grid.path) == report)
  }

  @Test func routesAreShortestAndObeyOneWays() async throws {
    let grid = try StreetGrid()
    defer { grid.remove() }
    _ = try RoadNetwork.prepare(path: grid.path)
    let provider = try VirtualRoutingProvider(path: grid.path)
    for (from, to) in [
      ((0, 0), (5, 5)), ((1, 4), (1, 1)), ((1, 1), (1, 4)), ((3, 2), (3, 2)), ((5, 0), (0, 3)),
      ((2, 5), (1, 0)), ((4, 4), (4, 3)),
    ] {
      let request = try RouteRequest(
        origin: StreetGrid.place(row: from.0, column: from.1),
        destination: StreetGrid.place(row: to.0, column: to.1), departure: Self.departure)
      let route = try await provider.route(request)
      #expect(route.source == .network && route.legs.count == 1)
      #expect((route.distanceMeters - Self.oracle(from: from, to: to)).magnitude < 0.01)
      #expect(route.path.first == request.origin && route.path.last == request.destination)
      #expect(route.durationSeconds >= route.distanceMeters / (30 / 3.6) - 1e-6)
      #expect(zip(route.path, route.path.dropFirst()).allSatisfy { $0 != $1 })
      try RoutePlausibility().check(route, for: request)
    }
  }

  @Test func placesSnapAndStopsMakeLegs() async throws {
    let grid = try StreetGrid()
    defer { grid.remove() }
    _ = try RoadNetwork.prepare(path: grid.path)
    let provider = try VirtualRoutingProvider(path: grid.path)
    let beside = try Coordinate(latitude: 37.5503, longitude: 126.9699)
    let request = try RouteRequest(
      origin: beside, stops: [StreetGrid.place(row: 0, column: 3)],
      destination: StreetGrid.place(row: 3, column: 3), departure: Self.departure)
    let route = try await provider.route(request)
    let gap = beside.distanceMeters(to: StreetGrid.place(row: 0, column: 0))
    #expect(route.legs.count == 2)
    #expect(
      (route.legs[0].distanceMeters - gap - Self.oracle(from: (0, 0), to: (0, 3))).magnitude < 0.01)
    #expect(
      (route.legs[1].distanceMeters - Self.oracle(from: (0, 3), to: (3, 3))).magnitude < 0.01)
  }

  @Test func whereThereIsNoRoadThereIsNoRoute() async throws {
    let grid = try StreetGrid()
    defer { grid.remove() }
    _ = try RoadNetwork.prepare(path: grid.path)
    let provider = try VirtualRoutingProvider(path: grid.path)
    let far = try Coordinate(latitude: 35, longitude: 129)
    let request = try RouteRequest(
      origin: StreetGrid.place(row: 0, column: 0), destination: far, departure: Self.departure)
    await #expect(throws: RouteError.noRoute("no road within 500 m")) {
      try await provider.route(request)
    }
    let route = try await FallbackRouteProvider(provider).route(request)
    #expect(route.source == .estimate && route.fallbackReason?.reason == "no_route")
  }

  @Test func aDeadEndOneWayHasNoWayBack() async throws {
    // Joined to the grid, but only outwards.
    let grid = try StreetGrid()
    defer { grid.remove() }
    let end = try Coordinate(latitude: 37.5480, longitude: 126.9700)
    do {
      let database = try RoadNetworkDatabase(path: grid.path, mustExist: true)
      try await database.queue.write { db in
        try db.execute(
          sql: """
            INSERT INTO roads VALUES (NULL, 1, 'service', 0, 0, 'out', 1, 0, 200, 20,
              GeomFromWKB(?, 4326))
            """,
          arguments: [
            Data(LineStringWKB.encode([StreetGrid.place(row: 0, column: 0), end]))
          ])
      }
    }
    _ = try RoadNetwork.prepare(path: grid.path)
    let provider = try VirtualRoutingProvider(path: grid.path)
    let out = try RouteRequest(
      origin: StreetGrid.place(row: 0, column: 0), destination: end, departure: Self.departure)
    #expect(try await provider.route(out).distanceMeters > 200)
    let back = try RouteRequest(
      origin: end, destination: StreetGrid.place(row: 0, column: 0), departure: Self.departure)
    await #expect(throws: RouteError.noRoute("the network does not join the places")) {
      try await provider.route(back)
    }
  }

  @Test func filesThatAreNoNetworkAreRefused() throws {
    let missing = NSTemporaryDirectory() + "moyeo-none-\(UUID().uuidString).sqlite"
    #expect(throws: RoadNetworkError.self) { try RoadNetwork.prepare(path: missing) }
    #expect(!FileManager.default.fileExists(atPath: missing))
    let text = NSTemporaryDirectory() + "moyeo-text-\(UUID().uuidString).sqlite"
    try Data(repeating: 65, count: 5_000).write(to: URL(fileURLWithPath: text))
    defer { try? FileManager.default.removeItem(atPath: text) }
    #expect(throws: RoadNetworkError.self) { try VirtualRoutingProvider(path: text) }
    let grid = try StreetGrid()
    defer { grid.remove() }
    #expect(throws: RoadNetworkError.notPrepared) { try VirtualRoutingProvider(path: grid.path) }
    #expect(throws: RoadNetworkError.badTableName("a b; --")) {
      try RoadNetwork.prepare(path: grid.path, linksTable: "a b; --")
    }
    #expect(throws: RoadNetworkError.notANetwork("there is no table streets")) {
      try RoadNetwork.prepare(path: grid.path, linksTable: "streets")
    }
    #expect(throws: RoadNetworkError.self) {
      try RoadNetwork.prepare(path: grid.path, linksTable: "spatial_ref_sys")
    }
  }

  @Test func roadsAreFoundByPlace() async throws {
    let grid = try StreetGrid()
    defer { grid.remove() }
    #expect(throws: RoadNetworkError.notPrepared) { try NetworkRoadMap(path: grid.path) }
    _ = try RoadNetwork.prepare(path: grid.path)
    // Prepared again, the R-tree is made anew.
    _ = try RoadNetwork.prepare(path: grid.path)
    let map = try NetworkRoadMap(path: grid.path)
    let all = try await map.roads(in: .world, limit: 1000)
    let n = StreetGrid.size
    #expect(all.count == 2 * n * (n - 1))
    #expect(all.allSatisfy { ($0.freeFlowSpeed - 30).magnitude < 0.01 && $0.line.count == 2 })
    let corner = StreetGrid.place(row: 0, column: 0)
    let near = try GeoBox(
      west: corner.longitude - 0.0005, south: corner.latitude - 0.0005,
      east: corner.longitude + 0.0005, north: corner.latitude + 0.0005)
    #expect(Set(try await map.roads(in: near, limit: 1000).map(\.name)) == ["row 0", "column 0"])
    #expect(try await map.roads(in: .world, limit: 7).count == 7)
    let elsewhere = try GeoBox(west: 10, south: 10, east: 11, north: 11)
    #expect(try await map.roads(in: elsewhere, limit: 1000).isEmpty)
  }

  @Test func thePreparationTellsHowFarItIs() throws {
    let grid = try StreetGrid()
    defer { grid.remove() }
    var told: [RoadNetwork.Step: [Int]] = [:]
    let report = try RoadNetwork.prepare(path: grid.path) { step, done, all in
      told[step, default: []].append(done)
      #expect(all == (step == .reading ? 2 * StreetGrid.size : 60))
    }
    #expect(told[.reading] == Array(1...report.sourceLinks))
    #expect(told[.writing] == Array(0..<report.links))
  }

  @Test func lineStrings() throws {
    let line = (0..<5).map { StreetGrid.place(row: $0, column: 2 * $0) }
    let bytes = LineStringWKB.encode(line)
    #expect(LineStringWKB.decode(bytes) == line)
    for bad in [
      [], Array(bytes.dropLast()), bytes + [0], [0] + bytes.dropFirst(), Array(bytes.prefix(9)),
      [1, 1, 0, 0, 0, 0, 0, 0, 0], [1, 2, 0, 0, 0, 255, 255, 255, 255],
      LineStringWKB.encode(line).enumerated().map { $0.offset == 16 ? 127 : $0.element },
    ] as [[UInt8]] {
      #expect(LineStringWKB.decode(bad) == nil)
    }
  }
}
