#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension StaticClusters {
  private static var unvisited: Int { .max }

  mutating func build() {
    var level = Level()
    for (index, point) in points.enumerated() {
      guard let point else { continue }
      let x = Double(Float(Self.x(longitude: point.longitude)))
      let y = Double(Float(Self.y(latitude: point.latitude)))
      level.append(x: x, y: y, visited: Self.unvisited, id: index, parent: -1, count: 1)
    }
    level.index(side: radius(options.maxZoom))
    var coarser: [Level] = []
    for zoom in stride(from: options.maxZoom, through: options.minZoom, by: -1) {
      var next = cluster(&level, zoom)
      next.index(side: radius(zoom - 1))
      coarser.append(level)
      level = next
    }
    coarser.append(level)
    levels = coarser.reversed()
  }

  /// Returns the radius of a zoom's clusters in a world whose side is 1.
  func radius(_ zoom: Int) -> Double {
    options.radius / (options.extent * pow(2, Double(zoom)))
  }

  private mutating func cluster(_ level: inout Level, _ zoom: Int) -> Level {
    let r = radius(zoom)
    var next = Level()
    var near: [Int] = []
    for i in level.x.indices {
      if level.visited[i] <= zoom { continue }
      level.visited[i] = zoom
      level.grid.within(x: level.x[i], y: level.y[i], radius: r, into: &near)
      let own = level.count[i]
      var count = own
      for k in near where level.visited[k] > zoom { count += level.count[k] }
      if count > own && count >= options.minPoints {
        let id = (i << 5) + zoom + 1 + points.count
        merge(&level, i: i, near: near, zoom: zoom, id: id, count: count, into: &next)
      } else {
        next.append(copyOf: i, in: level)
        guard count > 1 else { continue }
        for k in near where level.visited[k] > zoom {
          level.visited[k] = zoom
          next.append(copyOf: k, in: level)
        }
      }
    }
    return next
  }

  private mutating func merge(
    _ level: inout Level, i: Int, near: [Int], zoom: Int, id: Int, count: Int,
    into next: inout Level
  ) {
    var wx = level.x[i] * Double(level.count[i])
    var wy = level.y[i] * Double(level.count[i])
    var aggregateIndex = -1
    for k in near where level.visited[k] > zoom {
      level.visited[k] = zoom
      wx += level.x[k] * Double(level.count[k])
      wy += level.y[k] * Double(level.count[k])
      level.parent[k] = id
      if let reduce {
        if aggregateIndex < 0 {
          aggregateIndex = aggregates.count
          aggregates.append(aggregate(level, i))
        }
        reduce(&aggregates[aggregateIndex], aggregate(level, k))
      }
    }
    level.parent[i] = id
    next.append(
      x: wx / Double(count), y: wy / Double(count), visited: Self.unvisited, id: id, parent: -1,
      count: count, aggregate: aggregateIndex)
  }

  private func aggregate(_ level: Level, _ i: Int) -> Aggregate {
    if level.count[i] > 1 { return aggregates[level.aggregate[i]] }
    guard let map else { preconditionFailure("static clusters have a reduce function, but no map") }
    return map(level.id[i])
  }
}

extension StaticClusters.Level {
  mutating func append(
    x: Double, y: Double, visited: Int, id: Int, parent: Int, count: Int, aggregate: Int = -1
  ) {
    self.x.append(x)
    self.y.append(y)
    self.visited.append(visited)
    self.id.append(id)
    self.parent.append(parent)
    self.count.append(count)
    self.aggregate.append(aggregate)
  }

  mutating func append(copyOf i: Int, in other: Self) {
    append(
      x: other.x[i], y: other.y[i], visited: other.visited[i], id: other.id[i],
      parent: other.parent[i], count: other.count[i], aggregate: other.aggregate[i])
  }

  mutating func index(side: Double) { grid = BucketGrid(x: x, y: y, side: side) }
}
