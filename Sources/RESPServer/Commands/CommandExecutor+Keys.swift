import LiveLayers
import ObjectModel
import SpatialIndexing

/// Commands about keys as a whole.
extension CommandExecutor {
  mutating func runKeys(_ command: CommandName, _ words: CommandWords) throws(CommandRefusal) {
    switch command {
    case .exists:
      writer.integer((1..<words.count).count { services.existing(words.text($0)) != nil })
    case .type:
      if services.existing(words.text(1)) != nil {
        writer.status("zset")
      } else {
        writer.status("none")
      }
    case .dbsize: writer.integer(services.keys().count)
    case .scan: try scan(words)
    case .expire: try expire(words, millisecondsPerUnit: 1000, name: "expire")
    case .pexpire: try expire(words, millisecondsPerUnit: 1, name: "pexpire")
    case .persist:
      let key = words.text(1)
      writer.integer(services.existing(key) != nil && services.expiry.clear(key) ? 1 : 0)
    case .pttl: writer.integer(millisecondsLeft(words.text(1)))
    default:
      let left = millisecondsLeft(words.text(1))
      writer.integer(left < 0 ? left : (left + 500) / 1000)
    }
  }

  /// Returns -2 without the key, -1 without a deadline.
  private mutating func millisecondsLeft(_ key: String) -> Int64 {
    guard services.existing(key) != nil else { return -2 }
    guard let deadline = services.expiry.deadline(of: key) else { return -1 }
    return max(0, deadline.milliseconds(since: now))
  }

  private mutating func expire(
    _ words: CommandWords, millisecondsPerUnit: Int64, name: String
  ) throws(CommandRefusal) {
    let options = try ExpireOptions(words)
    guard let time = words.integer(2) else { throw .notAnInteger }
    let (milliseconds, overflow) = time.multipliedReportingOverflow(by: millisecondsPerUnit)
    let now = now
    let (deadline, isBeyond) = now.milliseconds.addingReportingOverflow(milliseconds)
    guard !overflow, !isBeyond else {
      throw CommandRefusal("ERR invalid expire time in '\(name)' command")
    }
    let key = words.text(1)
    guard !LayerName.reserved.contains(key) else { throw CommandRefusal(.reservedLayer(key)) }
    guard services.existing(key) != nil else { return writer.integer(0) }
    let isSet = services.expiry.set(key, Instant(milliseconds: deadline)) { before in
      options.allow(before?.milliseconds, deadline)
    }
    // A deadline of the past ends the key at once.
    if isSet, deadline <= now.milliseconds { services.endDueKeys() }
    writer.integer(isSet ? 1 : 0)
  }

  /// Ends keys: DEL waits until their members are gone.
  mutating func delete(_ words: CommandWords, waits: Bool) throws(CommandRefusal) -> CommandOutcome
  {
    var ended: [EndedLayer] = []
    var count = 0
    for i in 1..<words.count {
      let key = words.text(i)
      guard !LayerName.reserved.contains(key) else { throw CommandRefusal(.reservedLayer(key)) }
      guard services.existing(key) != nil, let layer = try? layers.endLayer(key) else { continue }
      services.expiry.clear(key)
      ended.append(layer)
      count += 1
    }
    let objects = ended.reduce(0) { $0 + $1.objectCount }
    guard waits, objects > Self.objectsPerTurn else {
      services.removeInBackground(ended)
      writer.integer(count)
      return .answered
    }
    return .long { [ended, count] writer, _ in
      for layer in ended { layer.removeEverything() }
      writer.integer(count)
    }
  }

  private mutating func scan(_ words: CommandWords) throws(CommandRefusal) {
    let options = try ScanOptions(words, cursorAt: 1, takesType: true)
    // There are few keys; all of them come with the first cursor.
    let isWanted = options.cursor == 0 && (options.type ?? "zset") == "zset"
    let keys =
      isWanted
      ? services.keys().map(\.name).filter { name in
        options.pattern.map { $0.matches(name.utf8) } ?? true
      } : []
    writer.scanHead(next: 0, count: keys.count)
    for key in keys { writer.bulk(key) }
  }
}

/// NX, XX, GT and LT of EXPIRE.
private struct ExpireOptions {
  private var isOnlyNew = false
  private var isOnlyChange = false
  private var isOnlyLater = false
  private var isOnlyEarlier = false

  init(_ words: CommandWords) throws(CommandRefusal) {
    for i in 3..<max(3, words.count) {
      if words.isOption(i, "nx") {
        isOnlyNew = true
      } else if words.isOption(i, "xx") {
        isOnlyChange = true
      } else if words.isOption(i, "gt") {
        isOnlyLater = true
      } else if words.isOption(i, "lt") {
        isOnlyEarlier = true
      } else {
        throw CommandRefusal("ERR Unsupported option \(words.text(i))")
      }
    }
    if isOnlyNew, isOnlyChange || isOnlyLater || isOnlyEarlier {
      throw CommandRefusal(
        "ERR NX and XX, GT or LT options at the same time are not compatible")
    }
    if isOnlyLater, isOnlyEarlier {
      throw CommandRefusal("ERR GT and LT options at the same time are not compatible")
    }
  }

  /// A key without a deadline ends later than any.
  func allow(_ before: Int64?, _ after: Int64) -> Bool {
    if isOnlyNew, before != nil { return false }
    if isOnlyChange, before == nil { return false }
    if isOnlyLater, after <= before ?? .max { return false }
    if isOnlyEarlier, after >= before ?? .max { return false }
    return true
  }
}
