import GeoMath

/// Links split wherever two of them share a vertex.
///
/// `spatialite_osm_net` leaves a way whole where another crosses its interior, so that nobody can
/// turn there. OpenStreetMap draws a crossing on one level as a shared node, and a bridge without
/// one: equal vertices are therefore crossings, to 1e-7 degrees.
struct RoadGraph {
  struct Source {
    let name: String
    let forward: Bool
    let backward: Bool
    /// Seconds over the whole line.
    let cost: Double
    let line: [Coordinate]
  }

  struct Link {
    let name: String
    let from: Int
    let to: Int
    let forward: Bool
    let backward: Bool
    let cost: Double
    let line: ArraySlice<Coordinate>
  }

  /// A vertex to the unit of OpenStreetMap.
  private struct Vertex: Hashable {
    let latitude: Int32
    let longitude: Int32

    init(_ place: Coordinate) {
      latitude = Int32((place.latitude * 1e7).rounded())
      longitude = Int32((place.longitude * 1e7).rounded())
    }
  }

  private(set) var nodes: [Coordinate] = []
  private(set) var links: [Link] = []
  /// Links of the source that were cut.
  private(set) var splitCount = 0
  /// By node: whether it belongs to the largest connected part. Places snap to these only.
  private(set) var isInLargestPart: [Bool] = []

  init(_ sources: [Source]) {
    var uses: [Vertex: Int] = [:]
    for source in sources {
      for place in source.line { uses[Vertex(place), default: 0] += 1 }
      for place in [source.line.first, source.line.last] {
        if let place { uses[Vertex(place), default: 0] += 1 }
      }
    }
    var ids: [Vertex: Int] = [:]
    for source in sources { add(source, uses, &ids) }
    markLargestPart()
  }

  private mutating func add(
    _ source: Source, _ uses: [Vertex: Int], _ ids: inout [Vertex: Int]
  ) {
    let line = source.line
    guard line.count >= 2 else { return }
    let total = Self.meters(line[...])
    var start = 0
    var pieces = 0
    for end in 1..<line.count where uses[Vertex(line[end]), default: 0] > 1 {
      let piece = line[start...end]
      let meters = Self.meters(piece)
      // Two equal neighbours make a link of no length; it would be a loop.
      if meters > 0 {
        links.append(
          Link(
            name: source.name, from: node(line[start], &ids), to: node(line[end], &ids),
            forward: source.forward, backward: source.backward,
            cost: source.cost * meters / total, line: piece))
        pieces += 1
      }
      start = end
    }
    if pieces > 1 { splitCount += 1 }
  }

  private mutating func node(_ place: Coordinate, _ ids: inout [Vertex: Int]) -> Int {
    let vertex = Vertex(place)
    if let id = ids[vertex] { return id }
    ids[vertex] = nodes.count
    nodes.append(place)
    return nodes.count - 1
  }

  private mutating func markLargestPart() {
    // Union-find with path halving (R. Tarjan, J. van Leeuwen, 1984).
    var parent = Array(nodes.indices)
    func root(_ node: Int) -> Int {
      var node = node
      while parent[node] != node {
        parent[node] = parent[parent[node]]
        node = parent[node]
      }
      return node
    }
    for link in links { parent[root(link.from)] = root(link.to) }
    var sizes: [Int: Int] = [:]
    for node in nodes.indices { sizes[root(node), default: 0] += 1 }
    let largest = sizes.max { ($0.value, -$0.key) < ($1.value, -$1.key) }?.key
    isInLargestPart = nodes.indices.map { root($0) == largest }
  }

  static func meters(_ line: ArraySlice<Coordinate>) -> Double {
    zip(line, line.dropFirst()).reduce(0) { $0 + $1.0.distanceMeters(to: $1.1) }
  }
}
