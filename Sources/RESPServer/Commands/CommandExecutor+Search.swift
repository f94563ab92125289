import LiveLayers
import ObjectModel
import SpatialIndexing

extension CommandExecutor {
  /// Runs GEOSEARCH and its other forms.
  mutating func search(
    _ words: CommandWords, _ form: GeoSearchReader.Form
  ) throws(CommandRefusal) -> CommandOutcome {
    let now = now
    let key: String
    if case .searchStore = form { key = words.text(2) } else { key = words.text(1) }
    let layer = services.existing(key)
    var reader = GeoSearchReader(
      words, form: form, limits: services.limits, keyExists: layer != nil
    ) { id in
      guard let id, let layer, let score = Self.score(of: id, in: layer, now: now) else {
        return nil
      }
      return CellCode.place(score)
    }
    let request = try reader.request()
    if let destination = request.destination {
      let store = StoredSearch(
        services: services, request: request, source: layer, destination: destination)
      return .long { writer, budget in store.run(budget: &budget, to: &writer) }
    }
    guard let layer else {
      writer.array(0)
      return .answered
    }
    return try answer(GeoSearch(request, in: layer, now: now))
  }

  /// Answers a search here, if it is short.
  private mutating func answer(_ search: GeoSearch) throws(CommandRefusal) -> CommandOutcome {
    var hits = memory.takeHits(maximumBytes: services.configuration.replyBytes)
    defer { memory.give(hits) }
    var budget = turnBudget
    do throws(LayerError) {
      try search.run(budget: &budget, into: &hits)
    } catch {
      guard case .tooMuchWork = error else { throw CommandRefusal(error) }
      guard isTurnFresh else { return .nextTurn }
      turnBudget = budget
      let (request, layer, services) = (search.request, search.layer, services)
      return .long { writer, budget in
        let search = GeoSearch(request, in: layer, now: services.layers.clock.now())
        var hits = GeoHits(maximumBytes: services.configuration.replyBytes)
        do throws(LayerError) {
          try search.run(budget: &budget, into: &hits)
          writer.hits(hits, request, services)
        } catch {
          writer.refuse(CommandRefusal(error), services)
        }
      }
    }
    turnBudget = budget
    writer.hits(hits, search.request, services)
    return .answered
  }
}

extension RESPWriter {
  /// Writes why there is no answer, and counts it.
  mutating func refuse(_ refusal: CommandRefusal, _ services: RedisDoorServices) {
    services.figures.refused(refusal.reason)
    error(refusal.text)
  }

  /// Writes the members that a search found.
  mutating func hits(_ hits: GeoHits, _ request: GeoSearchRequest, _ services: RedisDoorServices) {
    guard !hits.isOverfull else { return refuse(.answerTooLarge, services) }
    let columns = request.columns
    array(hits.list.count)
    hits.ids.withUnsafeBytes { ids in
      for first in stride(from: 0, to: hits.list.count, by: Self.membersOfPiece) {
        let part = hits.list[first..<min(hits.list.count, first + Self.membersOfPiece)]
        let most = part.reduce(0) { $0 + Self.memberBytes + $1.idCount }
        piece(atMost: most) { bytes in
          for hit in part {
            if columns.count > 0 { bytes.array(1 + columns.count) }
            bytes.bulk(
              UnsafeRawBufferPointer(rebasing: ids[hit.idStart..<hit.idStart + hit.idCount]))
            if columns.distance { bytes.distance(hit.distance / request.shape.metersPerUnit) }
            if columns.hash { bytes.integer(hit.score) }
            guard columns.coordinate else { continue }
            bytes.array(2)
            bytes.coordinate(hit.place.longitude)
            bytes.coordinate(hit.place.latitude)
          }
        }
      }
    }
  }

  /// Members that are written at once: some 12 KiB are asked of the buffer for them.
  private static let membersOfPiece = 32
  /// The most bytes of a member beside its id: the list of its columns, the id's head and end, distance,
  /// hash, and a pair of coordinates.
  private static let memberBytes =
    3 * RESPBytes.headBytes + 2 + 3 * RESPBytes.numberBytes + RESPBytes.headBytes

  /// Writes longitude and latitude.
  mutating func place(_ place: CellCode.Place) {
    array(2)
    coordinate(place.longitude)
    coordinate(place.latitude)
  }
}

/// A search whose members go under another key, in place of what is there.
private struct StoredSearch: Sendable {
  let services: RedisDoorServices
  let request: GeoSearchRequest
  let source: Layer?
  let destination: String

  func run(budget: inout WorkBudget, to writer: inout RESPWriter) {
    do throws(LayerError) {
      guard LayerName.isValid(destination) else { throw .badLayerName(destination) }
      guard !LayerName.reserved.contains(destination) else { throw .reservedLayer(destination) }
      var hits = GeoHits(maximumBytes: services.configuration.replyBytes)
      let now = services.layers.clock.now()
      if let source {
        try GeoSearch(request, in: source, now: now).run(budget: &budget, into: &hits)
      }
      guard !hits.isOverfull else { return writer.refuse(.answerTooLarge, services) }
      // The members are known, so that the source may be the destination.
      services.expiry.clear(destination)
      if services.layer(destination) != nil { try services.layers.deleteLayer(destination) }
      guard !hits.list.isEmpty else { return writer.integer(0) }
      let layer = try services.layers.layerForReports(destination)
      writer.integer(store(hits, in: layer, now: now))
    } catch {
      writer.refuse(CommandRefusal(error), services)
    }
  }

  /// Stores the members at the middles of their cells. - Returns: How many there was room for.
  private func store(_ hits: GeoHits, in layer: Layer, now: Instant) -> Int {
    var batch = layer.reportBatch(now: now, limits: services.limits)
    for hit in hits.list {
      hits.id(hit).withUnsafeBytes { id in
        batch.append(
          id: id, latitude: hit.place.latitude, longitude: hit.place.longitude, tags: [],
          attributes: UnsafeRawBufferPointer(start: nil, count: 0), ttlMilliseconds: 0,
          observedAt: nil)
      }
    }
    var outcomes: [UpdateOutcome] = []
    services.writing(to: layer) { layer.apply(batch, outcomes: &outcomes) }
    return outcomes.count { $0 != .full }
  }
}
