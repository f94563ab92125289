import LiveLayers
import ObjectModel
import SpatialIndexing

/// Commands that look at members of one key, one by one.
extension CommandExecutor {
  mutating func runMembers(
    _ command: CommandName, _ words: CommandWords
  ) throws(CommandRefusal) {
    let layer = services.layer(words.text(1))
    switch command {
    case .zcard: writer.integer(layer.map(services.objectCount) ?? 0)
    case .zrem: try zrem(words)
    case .geodist: try geodist(words, layer)
    case .zscore:
      if let score = score(words, 2, layer, now) { writer.score(score) } else { writer.null() }
    case .geopos:
      forEachScore(words, layer) { writer, score in
        if let score { writer.place(CellCode.place(score)) } else { writer.nullArray() }
      }
    case .geohash:
      forEachScore(words, layer) { writer, score in
        if let score {
          writer.bulk(CellCode.geohash(CellCode.place(score)))
        } else {
          writer.null()
        }
      }
    default:
      forEachScore(words, layer) { writer, score in
        if let score { writer.score(score) } else { writer.null() }
      }
    }
  }

  private mutating func forEachScore(
    _ words: CommandWords, _ layer: Layer?, _ write: (inout RESPWriter, UInt64?) -> Void
  ) {
    let now = now
    writer.array(words.count - 2)
    for i in 2..<max(2, words.count) { write(&writer, score(words, i, layer, now)) }
  }

  private mutating func score(
    _ words: CommandWords, _ index: Int, _ layer: Layer?, _ now: Instant
  ) -> UInt64? {
    guard let layer, let id = words.id(index) else { return nil }
    return Self.score(of: id, in: layer, now: now)
  }

  private mutating func geodist(_ words: CommandWords, _ layer: Layer?) throws(CommandRefusal) {
    guard words.count <= 5 else { throw .syntax }
    let metersPerUnit = words.count == 5 ? try words.metersPerUnit(at: 4) : 1
    let now = now
    guard let first = score(words, 2, layer, now), let second = score(words, 3, layer, now) else {
      return writer.null()
    }
    writer.distance(
      CellCode.distance(CellCode.place(first), CellCode.place(second)) / metersPerUnit)
  }

  private mutating func zrem(_ words: CommandWords) throws(CommandRefusal) {
    let key = words.text(1)
    guard !LayerName.reserved.contains(key) else { throw CommandRefusal(.reservedLayer(key)) }
    guard let layer = services.layer(key) else { return writer.integer(0) }
    let now = now
    let removed = services.writing(to: layer) {
      (2..<words.count).count { i in
        words.id(i).map { layer.remove(id: $0, now: now) } ?? false
      }
    }
    if services.expiry.isInUse, services.objectCount(layer) == 0 { services.expiry.clear(key) }
    writer.integer(removed)
  }
}
