/// What a viewport or a tile shows.
public struct ClusterReading: Sendable {
  /// The newest change among the blocks read. Equal versions mean equal answers.
  public var version: UInt64
  /// The clusters in the order of their ids.
  public var clusters: [LiveCluster]
  /// Whether there were more clusters than the limit.
  public var isTruncated: Bool
}

/// Reads that may be long hold the lock in portions of about 100 us.
///
/// Summaries (masks, aggregates, bounds) are recomputed first, from the finest on; what one portion
/// did is not lost. Filtered reads gather candidates. If what they read changed between two
/// portions they begin anew, and the last attempt holds the lock until it is through, so that
/// an answer is always one state. The exact test of a filter runs without the lock.
extension LiveClusters {
  /// The number of items looked at under one hold of the lock.
  private static let portion = 2_000
  private static let attempts = 3
  /// The number of portions after which a read recomputes the rest at once.
  private static let portions = 1_000

  func read(
    _ box: UnitBox, zoom: Int, filter: ClusterFilter?, details: ClusterDetails, limit: Int
  ) -> ClusterReading {
    if let filter {
      return filtered(
        filter, details, limit: limit,
        in: box, version: { $0.newestChange(in: box, zoom: zoom, visible: false) },
        parts: { $0.parts(in: box, zoom, filter) }
      ) ?? ClusterReading(version: 0, clusters: [], isTruncated: false)
    }
    if needsSummaries(details) && zoom <= Self.maximumClusterZoom {
      freshen { net in
        net.drawnSeeds(in: box, zoom, limit: 1_024).drawn.map { .seed($0.item, zoom: zoom) }
      }
    }
    return reading { net in
      let found = net.clusters(in: box, zoom: zoom, details: details, limit: limit)
      return ClusterReading(
        version: net.newestChange(in: box, zoom: zoom, visible: true), clusters: found.clusters,
        isTruncated: found.isTruncated)
    }
  }

  /// Returns the features that `parts` names, `nil` if it names none.
  func read(
    _ filter: ClusterFilter?, _ details: ClusterDetails,
    _ parts: (borrowing ClusterNet) -> [ClusterNet.Part]?
  ) -> [LiveCluster]? {
    if let filter {
      return filtered(
        filter, details, limit: .max, in: nil, version: { $0.versions.current }, parts: parts
      )?.clusters
    }
    if needsSummaries(details) { freshen { parts($0) ?? [] } }
    return reading { net in parts(net)?.map { net.answer($0, details) } }
  }

  private func needsSummaries(_ details: ClusterDetails) -> Bool {
    configuration.hasAggregates || details.contains(.bounds)
  }

  private func freshen(_ parts: (borrowing ClusterNet) -> [ClusterNet.Part]) {
    for _ in 0..<Self.portions {
      let isDone = reading { net in
        var budget = Self.portion
        for case .seed(let item, let zoom) in parts(net) {
          guard net.freshen(item, zoom, &budget) else { return false }
        }
        return true
      }
      if isDone { return }
    }
  }

  private func filtered(
    _ filter: ClusterFilter, _ details: ClusterDetails, limit: Int, in box: UnitBox?,
    version: (borrowing ClusterNet) -> UInt64,
    parts: (borrowing ClusterNet) -> [ClusterNet.Part]?
  ) -> ClusterReading? {
    for attempt in 1...Self.attempts {
      let budget = attempt == Self.attempts ? Int.max : Self.portion
      var gathering = Gathering(in: box)
      var start: UInt64?
      var isKnown = true
      var isDone = false
      while !isDone {
        let isCurrent = reading { net in
          let now = version(net)
          guard start == nil || start == now else { return false }
          if start == nil {
            start = now
            guard let found = parts(net) else {
              isKnown = false
              isDone = true
              return true
            }
            gathering.parts = found.reversed()
          }
          isDone = net.gather(&gathering, filter, budget: budget)
          return true
        }
        if !isCurrent { break }
      }
      guard isKnown else { return nil }
      if isDone {
        let found = gathering.clusters(filter, details, limit: limit)
        return ClusterReading(
          version: start ?? 0, clusters: found.clusters, isTruncated: found.isTruncated)
      }
    }
    return nil
  }
}
