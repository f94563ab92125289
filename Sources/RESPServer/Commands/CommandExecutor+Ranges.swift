import LiveLayers
import ObjectModel
import SpatialIndexing

/// Commands that list members of a key in the order of their scores.
extension CommandExecutor {
  mutating func zrange(_ words: CommandWords) throws(CommandRefusal) -> CommandOutcome {
    let range = try MemberRange(words)
    guard let layer = services.existing(words.text(1)) else {
      writer.array(0)
      return .answered
    }
    let services = services
    let work: LongWork = { writer, budget in
      let members = ScoredMembers(layer, services)
      do throws(LayerError) {
        var hits = try members.sorted(budget: &budget)
        guard !hits.isOverfull else { return writer.refuse(.answerTooLarge, services) }
        range.write(&hits, to: &writer)
      } catch {
        writer.refuse(CommandRefusal(error), services)
      }
    }
    guard services.objectCount(layer) <= Self.objectsPerTurn else { return .long(work) }
    guard spendTurn(Self.objectsPerTurn) else { return .nextTurn }
    // Members that come meanwhile do not end it.
    var budget = WorkBudget(steps: 16 * Self.objectsPerTurn)
    work(&writer, &budget)
    return .answered
  }

  mutating func zscan(_ words: CommandWords) throws(CommandRefusal) -> CommandOutcome {
    let layer = services.existing(words.text(1))
    // Without the key the options are not looked at.
    let read = layer == nil ? words.prefix(3) : words
    let options = try ScanOptions(read, cursorAt: 2, takesType: false)
    guard let layer else {
      writer.scanHead(next: 0, count: 0)
      return .answered
    }
    // Redis, too, answers small sets whole and in order.
    if services.objectCount(layer) <= 128 {
      guard spendTurn(256) else { return .nextTurn }
      var budget = WorkBudget(steps: Self.stepsPerTurn)
      do throws(LayerError) {
        let hits = try ScoredMembers(layer, services).sorted(budget: &budget)
        write(hits, options, next: 0)
      } catch {
        throw CommandRefusal(error)
      }
      return .answered
    }
    guard spendTurn(1024) else { return .nextTurn }
    let now = now
    var hits = GeoHits(maximumBytes: services.configuration.replyBytes)
    // Slots are 27 bits; a cursor beyond them is at the end.
    let next =
      options.cursor > 1 << 27
      ? nil
      : layer.index.forEachObject(from: Int(options.cursor), now: now) { hits.append($0) }
    write(hits, options, next: next ?? 0)
    return .answered
  }

  /// Takes steps from the turn. - Returns: Whether there were as many left.
  private mutating func spendTurn(_ steps: Int) -> Bool {
    guard turnBudget.remaining >= steps else { return false }
    return (try? turnBudget.spend(steps)) != nil
  }

  private mutating func write(_ hits: GeoHits, _ options: ScanOptions, next: Int) {
    let chosen = hits.list.filter { hit in
      options.pattern.map { $0.matches(hits.id(hit)) } ?? true
    }
    writer.scanHead(next: next, count: 2 * chosen.count)
    for hit in chosen {
      writer.bulk(hits.id(hit))
      writer.scoreText(hit.score)
    }
  }
}

extension RESPWriter {
  mutating func scanHead(next: Int, count: Int) {
    array(2)
    bulk("\(next)")
    array(count)
  }
}

extension GeoHits {
  mutating func append(_ hit: HitView) {
    let contents = hit.contents
    guard
      let code = CellCode.ScoredPlace(
        longitude: contents.longitude, latitude: contents.latitude)
    else { return }
    append(id: contents.id, code)
  }
}

/// All members of a layer by score.
private struct ScoredMembers {
  let layer: Layer
  let services: RedisDoorServices

  init(_ layer: Layer, _ services: RedisDoorServices) {
    self.layer = layer
    self.services = services
  }

  /// - Throws: `tooMuchWork`, `abandoned`.
  func sorted(budget: inout WorkBudget) throws(LayerError) -> GeoHits {
    let now = services.layers.clock.now()
    var hits = GeoHits(maximumBytes: services.configuration.replyBytes)
    var cursor: Int? = 0
    while let start = cursor {
      let before = hits.list.count
      cursor = layer.index.forEachObject(from: start, now: now) { hits.append($0) }
      do throws(WorkBudget.Exhaustion) {
        try budget.spend(1 + hits.list.count - before)
      } catch {
        switch error {
        case .steps(let limit): throw .tooMuchWork(limit: limit, field: "limit")
        case .deadlinePassed, .cancelled: throw .abandoned
        }
      }
    }
    hits.sortByScore()
    return hits
  }
}

/// The options of ZRANGE.
private struct MemberRange: Sendable {
  private enum Bounds: Sendable {
    case ranks(Int64, Int64)
    case scores(minimum: Limit, maximum: Limit)
  }

  private struct Limit: Sendable {
    var value: Double
    var isExclusive: Bool
  }

  private var bounds: Bounds
  private var isReversed = false
  private var hasScores = false
  private var offset: Int64 = 0
  private var limit: Int64 = -1

  init(_ words: CommandWords) throws(CommandRefusal) {
    var byScore = false
    var hasLimit = false
    var i = 4
    while i < words.count {
      if words.isOption(i, "withscores") {
        hasScores = true
      } else if !isReversed, words.isOption(i, "rev") {
        isReversed = true
      } else if !byScore, words.isOption(i, "byscore") {
        byScore = true
      } else if words.isOption(i, "bylex") {
        throw CommandRefusal("ERR BYLEX is not served: members have places, which order them")
      } else if words.isOption(i, "limit"), i + 2 < words.count {
        guard let offset = words.integer(i + 1), let limit = words.integer(i + 2) else {
          throw .notAnInteger
        }
        (self.offset, self.limit, hasLimit) = (offset, limit, true)
        i += 2
      } else {
        throw .syntax
      }
      i += 1
    }
    if hasLimit, !byScore {
      throw CommandRefusal(
        "ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX")
    }
    if byScore {
      let (low, high) = isReversed ? (3, 2) : (2, 3)
      guard let minimum = Self.limit(words, low), let maximum = Self.limit(words, high) else {
        throw CommandRefusal("ERR min or max is not a float")
      }
      bounds = .scores(minimum: minimum, maximum: maximum)
    } else {
      guard let first = words.integer(2), let last = words.integer(3) else { throw .notAnInteger }
      bounds = .ranks(first, last)
    }
  }

  private static func limit(_ words: CommandWords, _ index: Int) -> Limit? {
    let word = words[index]
    let isExclusive = word.first == UInt8(ascii: "(")
    let number = isExclusive ? UnsafeRawBufferPointer(rebasing: word.dropFirst()) : word
    return WordNumber.bound(number).map { Limit(value: $0, isExclusive: isExclusive) }
  }

  /// Writes the part of all members, which are sorted by score.
  func write(_ hits: inout GeoHits, to writer: inout RESPWriter) {
    if isReversed { hits.list.reverse() }
    let chosen: ArraySlice<GeoHit>
    switch bounds {
    case .ranks(let first, let last):
      let count = Int64(hits.list.count)
      let from = max(0, first < 0 ? first + count : first)
      let to = min(count - 1, last < 0 ? last + count : last)
      chosen = from > to ? [] : hits.list[Int(from)...Int(to)]
    case .scores(let minimum, let maximum):
      let within = hits.list.filter { hit in
        let score = Double(hit.score)
        return (minimum.isExclusive ? score > minimum.value : score >= minimum.value)
          && (maximum.isExclusive ? score < maximum.value : score <= maximum.value)
      }
      let rest = offset < 0 ? [] : within.dropFirst(Int(min(offset, 1 << 40)))
      chosen = limit < 0 ? rest : rest.prefix(Int(min(limit, 1 << 40)))
    }
    write(chosen, of: hits, to: &writer)
  }

  private func write(
    _ chosen: ArraySlice<GeoHit>, of hits: GeoHits, to writer: inout RESPWriter
  ) {
    writer.array(hasScores && writer.version == 2 ? 2 * chosen.count : chosen.count)
    for hit in chosen {
      if hasScores, writer.version > 2 { writer.array(2) }
      writer.bulk(hits.id(hit))
      if hasScores { writer.score(hit.score) }
    }
  }
}

/// The options of SCAN and ZSCAN.
struct ScanOptions {
  private(set) var cursor: UInt64
  private(set) var pattern: GlobPattern?
  /// In lower case.
  private(set) var type: String?

  init(_ words: CommandWords, cursorAt first: Int, takesType: Bool) throws(CommandRefusal) {
    guard let cursor = WordNumber.cursor(words[first]) else {
      throw CommandRefusal("ERR invalid cursor")
    }
    self.cursor = cursor
    var i = first + 1
    while i < words.count {
      guard i + 1 < words.count else { throw .syntax }
      if words.isOption(i, "count") {
        guard let count = words.integer(i + 1) else { throw .notAnInteger }
        guard count >= 1 else { throw .syntax }
      } else if words.isOption(i, "match") {
        pattern = GlobPattern(Array(words[i + 1]))
      } else if takesType, words.isOption(i, "type") {
        type = words.lowercasedText(i + 1)
      } else {
        throw .syntax
      }
      i += 2
    }
  }
}
