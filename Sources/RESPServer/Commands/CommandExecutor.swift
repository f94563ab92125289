import LiveLayers
import NIOCore
import ObjectModel
import SpatialIndexing

/// Work that is too long for an event loop. It writes the whole answer of its command.
typealias LongWork = @Sendable (inout RESPWriter, inout WorkBudget) -> Void

/// What became of a command.
enum CommandOutcome {
  /// It is answered, or will be with the batch of updates that it joined.
  case answered
  /// It is to be tried again in a turn of its own.
  case nextTurn
  /// It goes on elsewhere; the connection waits for it.
  case long(LongWork)
  /// It is answered, and the connection ends.
  case close
}

/// Runs the commands of one connection in their order.
///
/// Plain GEOADD commands of one key that follow each other are gathered and stored as one batch,
/// before any other command runs and before anything is sent.
///
/// It is a value that its connection holds: what a class stores is checked for exclusive access at
/// each use, which took a twelfth of the instructions of an update.
struct CommandExecutor: ~Copyable {
  let services: RedisDoorServices
  let connectionID: Int
  let peer: String
  var name = ""
  var writer: RESPWriter
  /// What the searches of this turn may still do on the event loop.
  var turnBudget = WorkBudget(steps: CommandExecutor.stepsPerTurn)
  private(set) var tally = CommandTally()
  private var updates = PendingUpdates()
  let memory: AnswerMemory
  /// The command before, which most connections repeat; GEOADD is found without it.
  private var lastDescription: CommandDescription?
  /// Where the members of the GEOADD that is read are to be.
  private var places: [CellCode.Place] = []
  var outcomes: [UpdateOutcome] = []
  /// What AUTH has brought; without ``asksForPassword`` it is not looked at.
  var access: DoorAccess?
  /// Whether the command that is tried again next has been counted against the rate.
  var hasPaid = false

  /// Steps of all searches of one turn of the event loop, as for calls of the other wires.
  static let stepsPerTurn = 16_384
  static let objectsPerTurn = RedisDoorServices.objectsPerTurn

  init(
    services: RedisDoorServices, peer: String, allocator: ByteBufferAllocator,
    memory: AnswerMemory
  ) {
    self.services = services
    self.memory = memory
    self.peer = peer
    connectionID = services.connectionOpened()
    writer = RESPWriter(version: 2, buffer: allocator.buffer(capacity: 0))
  }

  var layers: LayerRegistry { services.layers }
  var now: Instant { layers.clock.now() }

  mutating func beginTurn() { turnBudget = WorkBudget(steps: Self.stepsPerTurn) }

  /// Stores what was gathered, and hands on what was counted.
  mutating func endTurn() {
    flushUpdates()
    guard tally.total > 0 else { return }
    services.figures.add(tally)
    tally.clear()
  }

  /// Whether no search of this turn has taken anything yet.
  var isTurnFresh: Bool { turnBudget.remaining == turnBudget.limit }

  /// Runs one command.
  mutating func execute(_ words: CommandWords) -> CommandOutcome {
    // What is due must be gone before anybody looks.
    if services.expiry.isInUse { services.endDueKeys() }
    if words.isOption(0, "geoadd") {
      tally.count(CommandName.geoadd.rawValue)
      guard CommandTable.geoadd.takes(words: words.count) else {
        flushUpdates()
        return refuse(wrongArity("geoadd"))
      }
      do throws(CommandRefusal) {
        if asksForPassword { try admit(CommandTable.geoadd, words) }
        try charge(CommandTable.geoadd)
      } catch {
        flushUpdates()
        return refuse(error)
      }
      return geoadd(words)
    }
    flushUpdates()
    guard let description = description(of: words) else {
      tally.count(CommandTally.unknown)
      return refuse(unknown(words))
    }
    guard description.takes(words: words.count) else {
      tally.count(description.command.rawValue)
      return refuse(wrongArity(description.name))
    }
    let outcome: CommandOutcome
    do throws(CommandRefusal) {
      if asksForPassword { try admit(description, words) }
      try charge(description)
      outcome = try run(description, words)
    } catch {
      outcome = refuse(error)
    }
    // One that is tried again comes a second time.
    if case .nextTurn = outcome {
      hasPaid = true
    } else {
      tally.count(description.command.rawValue)
    }
    return outcome
  }

  private mutating func description(of words: CommandWords) -> CommandDescription? {
    if let last = lastDescription, words.isOption(0, named: last.nameBytes) { return last }
    guard words[0].count <= 32, let found = CommandTable.find(words.lowercasedText(0)) else {
      return nil
    }
    lastDescription = found
    return found
  }

  private mutating func run(
    _ description: CommandDescription, _ words: CommandWords
  ) throws(CommandRefusal) -> CommandOutcome {
    switch description.command {
    case .geoadd: return geoadd(words)
    case .geopos, .geodist, .geohash, .zscore, .zmscore, .zcard, .zrem:
      try runMembers(description.command, words)
    case .geosearch: return try search(words, .search)
    case .geosearchstore: return try search(words, .searchStore)
    case .georadius: return try search(words, .radius(mayStore: true))
    case .georadiusReadOnly: return try search(words, .radius(mayStore: false))
    case .georadiusbymember: return try search(words, .radiusByMember(mayStore: true))
    case .georadiusbymemberReadOnly: return try search(words, .radiusByMember(mayStore: false))
    case .zrange: return try zrange(words)
    case .zscan: return try zscan(words)
    case .delete: return try delete(words, waits: true)
    case .unlink: return try delete(words, waits: false)
    case .exists, .type, .dbsize, .scan, .expire, .pexpire, .ttl, .pttl, .persist:
      try runKeys(description.command, words)
    case .ping, .echo, .select, .client, .command, .info, .hello, .auth, .reset:
      try runConnection(description.command, words)
    case .quit:
      writer.status("OK")
      return .close
    case .multi, .execute, .discard, .watch, .unwatch:
      throw CommandRefusal(
        "ERR \(description.name.uppercased()) is not served: there are no transactions here; send "
          + "the commands in one pipeline, of which updates are applied as a batch",
        .notServed)
    }
    return .answered
  }

  private mutating func refuse(_ refusal: CommandRefusal) -> CommandOutcome {
    writer.refuse(refusal, services)
    return .answered
  }

  private mutating func wrongArity(_ name: String) -> CommandRefusal {
    CommandRefusal("ERR wrong number of arguments for '\(name)' command", .wrongArity)
  }

  private mutating func unknown(_ words: CommandWords) -> CommandRefusal {
    var shown = ""
    for i in 1..<max(1, words.count) {
      let room = 128 - shown.utf8.count
      guard room > 0 else { break }
      shown += "'\(String(decoding: words[i].prefix(room), as: UTF8.self))' "
    }
    let name = String(decoding: words[0].prefix(128), as: UTF8.self)
    return CommandRefusal(
      "ERR unknown command '\(name)', with args beginning with: \(shown)",
      .unknownCommand)
  }
}

// MARK: - Updates

/// GEOADD commands of one key that are stored together. It serves one batch after the other, and
/// keeps key and memory in between.
private struct PendingUpdates: ~Copyable {
  /// The key of this batch, or of the one before.
  private(set) var key = ""
  private(set) var keyBytes: [UInt8] = []
  /// Of this batch; `nil` in between: a layer that is deleted must be able to go.
  private(set) var layer: Layer?
  var batch = ReportBatch()
  /// How many members each command has.
  var commands: [Int] = []
  /// The members of the batch before, for which a new one asks memory at once.
  private var expectedMembers = 1

  /// The most memory of a batch that is kept.
  private static let keptBytes = 8192

  mutating func begin(_ key: String, _ layer: Layer, now: Instant, clockSkewMilliseconds: Int64) {
    if self.key != key {
      self.key = key
      keyBytes = Array(key.utf8)
    }
    self.layer = layer
    batch.begin(for: layer, now: now, clockSkewMilliseconds: clockSkewMilliseconds)
    batch.reserveCapacity(expectedMembers)
  }

  mutating func end() {
    layer = nil
    expectedMembers = max(1, batch.count)
    commands.removeAll(keepingCapacity: true)
    if batch.byteCapacity > Self.keptBytes { batch = ReportBatch() } else { batch.end() }
  }
}

extension CommandExecutor {
  /// The most members that are gathered.
  private static let updatesPerBatch = 1024

  /// Reads a GEOADD, and gathers or stores it.
  private mutating func geoadd(_ words: CommandWords) -> CommandOutcome {
    do throws(CommandRefusal) {
      let options = try ReportOptions(words, limits: services.limits)
      try options.readPlaces(words, into: &places)
      try gather(words, options)
      // Of a command as large as one may be nothing stays with the connection.
      if places.capacity > Self.updatesPerBatch { places = [] }
    } catch {
      flushUpdates()
      writer.refuse(error, services)
    }
    return .answered
  }

  private mutating func gather(
    _ words: CommandWords, _ options: ReportOptions
  ) throws(CommandRefusal) {
    for i in places.indices { try check(words, options.first + 3 * i + 2) }
    let isSameKey = words.isWord(1, updates.keyBytes)
    if !isSameKey { flushUpdates() }
    let name = isSameKey ? updates.key : words.text(1)
    // XX begins no layer.
    if options.isOnlyUpdate, services.layer(name) == nil {
      flushUpdates()
      guard LayerName.isValid(name) else { throw CommandRefusal(.badLayerName(name)) }
      return writer.integer(0)
    }
    let layer = if let layer = updates.layer { layer } else { try begin(name) }
    if !layer.settings.allowsNullIsland,
      places.contains(where: { $0.latitude == 0 && $0.longitude == 0 })
    {
      throw CommandRefusal(
        "ERR 0, 0 is refused: it is what clients send when they have no position; "
          + "layers.\(name).allowNullIsland takes it")
    }
    guard options.isPlain else {
      flushUpdates()
      return writer.integer(storeChecked(words, options, places, in: layer))
    }
    append(words, options)
    if updates.batch.count >= Self.updatesPerBatch { flushUpdates() }
  }

  /// Begins a batch. - Returns: The layer of its key.
  private mutating func begin(_ key: String) throws(CommandRefusal) -> Layer {
    if services.expiry.isInUse, services.existing(key) == nil { services.expiry.clear(key) }
    do throws(LayerError) {
      let layer = try layers.layerForReports(key)
      updates.begin(
        key, layer, now: now, clockSkewMilliseconds: services.limits.clockSkewMilliseconds)
      return layer
    } catch {
      throw CommandRefusal(error)
    }
  }

  private mutating func append(_ words: CommandWords, _ options: ReportOptions) {
    options.report.attributes.withUnsafeBytes { attributes in
      for (i, place) in places.enumerated() {
        updates.batch.append(
          id: words[options.first + 3 * i + 2], latitude: place.latitude,
          longitude: place.longitude, tags: options.report.tags, attributes: attributes,
          ttlMilliseconds: options.report.ttlMilliseconds, observedAt: nil)
      }
    }
    updates.commands.append(places.count)
  }

  private mutating func check(_ words: CommandWords, _ index: Int) throws(CommandRefusal) {
    let id = words[index]
    guard (1...services.limits.idBytes).contains(id.count) else {
      throw CommandRefusal(
        "ERR a member has 1 to \(services.limits.idBytes) bytes; one here has \(id.count)")
    }
    guard isUTF8(id) else {
      throw CommandRefusal("ERR a member is UTF-8 text; encode other bytes, as base64 does")
    }
  }

  private mutating func isUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
    if isASCII(bytes) { return true }
    return String(validating: bytes, as: UTF8.self) != nil
  }

  private mutating func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var seen: UInt64 = 0
    var i = 0
    while i + 8 <= bytes.count {
      seen |= bytes.loadUnaligned(fromByteOffset: i, as: UInt64.self)
      i += 8
    }
    while i < bytes.count {
      seen |= UInt64(bytes[i])
      i += 1
    }
    return seen & 0x8080_8080_8080_8080 == 0
  }

  /// Stores what was gathered and writes the answers.
  mutating func flushUpdates() {
    guard let layer = updates.layer else { return }
    defer { updates.end() }
    guard !updates.commands.isEmpty else { return }
    services.writing(to: layer) { layer.apply(updates.batch, outcomes: &outcomes) }
    var i = 0
    for count in updates.commands {
      var inserted = 0
      var isWhole = true
      for _ in 0..<count {
        if outcomes[i] == .inserted {
          inserted += 1
        } else if outcomes[i] == .full {
          isWhole = false
        }
        i += 1
      }
      if isWhole { writer.integer(inserted) } else { writer.refuse(Self.isFull, services) }
    }
  }

  private static let isFull = CommandRefusal(
    "ERR the layer, or all layers together, hold as many objects as they may: not every member "
      + "is stored (limits.objectsPerLayer, limits.objects, limits.objectBytes)",
    .quotaExceeded)

  /// Stores a GEOADD with NX, XX or CH, member after member.
  ///
  /// - Returns: The number that Redis answers.
  private mutating func storeChecked(
    _ words: CommandWords, _ options: ReportOptions, _ places: [CellCode.Place], in layer: Layer
  ) -> Int {
    services.writing(to: layer) {
      let now = now
      var batch = layer.reportBatch(now: now, limits: services.limits)
      // The scores of the members of this command, as it leaves them.
      var scores: [String: UInt64] = [:]
      var (added, changed) = (0, 0)
      options.report.attributes.withUnsafeBytes { attributes in
        for (i, place) in places.enumerated() {
          let word = words[options.first + 3 * i + 2]
          let id = String(decoding: word, as: UTF8.self)
          let before = scores[id] ?? Self.score(of: id, in: layer, now: now)
          guard before == nil ? !options.isOnlyUpdate : !options.isOnlyNew else { continue }
          let score = CellCode.score(longitude: place.longitude, latitude: place.latitude)
          if before == nil { added += 1 } else if before != score { changed += 1 }
          scores[id] = score ?? 0
          batch.append(
            id: word, latitude: place.latitude, longitude: place.longitude,
            tags: options.report.tags, attributes: attributes,
            ttlMilliseconds: options.report.ttlMilliseconds, observedAt: nil)
        }
      }
      layer.apply(batch, outcomes: &outcomes)
      let refused = outcomes.count { $0 == .full }
      return max(0, added - refused) + (options.countsChanged ? changed : 0)
    }
  }

  /// Returns the score of a member; `nil` if there is none.
  static func score(of id: String, in layer: Layer, now: Instant) -> UInt64? {
    layer.index.withObject(id: id, now: now) {
      CellCode.score(longitude: $0.longitude, latitude: $0.latitude)
    } ?? nil
  }
}

/// The options of a GEOADD, and where its members begin.
private struct ReportOptions {
  private(set) var isOnlyNew = false
  private(set) var isOnlyUpdate = false
  private(set) var countsChanged = false
  private(set) var report = OwnOptions.Report()
  private(set) var first = 2

  /// Whether the command can be stored with others.
  var isPlain: Bool { !isOnlyNew && !isOnlyUpdate && !countsChanged }

  init(_ words: CommandWords, limits: LayerLimits) throws(CommandRefusal) {
    while first < words.count {
      // Most commands begin with a number here.
      if let byte = words[first].first, byte < UInt8(ascii: "A") { break }
      if words.isOption(first, "nx") {
        isOnlyNew = true
      } else if words.isOption(first, "xx") {
        isOnlyUpdate = true
      } else if words.isOption(first, "ch") {
        countsChanged = true
      } else {
        var own = OwnOptions(words, at: first, limits: limits)
        guard try own.readReportOption(into: &report) else { break }
        first = own.position
        continue
      }
      first += 1
    }
    if (words.count - first) % 3 != 0 || (isOnlyNew && isOnlyUpdate) {
      guard first < words.count else { throw .syntax }
      throw OwnOptions.refusal(of: words, first, among: ["TAGS", "ATTR"])
    }
  }

  /// Reads the places of all members, or refuses them all.
  func readPlaces(
    _ words: CommandWords, into places: inout [CellCode.Place]
  ) throws(CommandRefusal) {
    places.removeAll(keepingCapacity: true)
    for i in stride(from: first, to: words.count, by: 3) { places.append(try words.place(at: i)) }
  }
}
