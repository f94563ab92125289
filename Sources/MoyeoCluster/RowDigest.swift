import DurableCommands
import GeoMath
import ObjectModel

/// Counts rows and sums their hashes, so that two sets of rows are compared whatever their order. A check
/// against mistakes, not against somebody who forges rows.
struct RowDigest: Hashable {
  private(set) var count = 0
  private var low: UInt64 = 0
  private var high: UInt64 = 0

  mutating func add(_ row: RowBytes) {
    count += 1
    row.bytes.withUnsafeBytes {
      low &+= StableHash.hash64($0, seed: 1)
      high &+= StableHash.hash64($0, seed: 2)
    }
  }

  var words: [UInt64] { [UInt64(count), low, high] }
}

/// The columns of a row, one behind the other.
struct RowBytes {
  private(set) var bytes: [UInt8] = []

  mutating func number(_ value: UInt64) {
    withUnsafeBytes(of: value.littleEndian) { bytes += $0 }
  }

  mutating func number(_ value: Int64) { number(UInt64(bitPattern: value)) }

  mutating func number(_ value: Double) { number(value.bitPattern) }

  mutating func raw(_ value: [UInt8]) {
    number(UInt64(value.count))
    bytes += value
  }

  mutating func text(_ value: String) { raw(Array(value.utf8)) }

  mutating func optional<T>(_ value: T?, _ add: (inout RowBytes, T) -> Void) {
    bytes.append(value == nil ? 0 : 1)
    if let value { add(&self, value) }
  }
}

/// The digests of a record's tables, by name.
struct RecordDigest: Hashable {
  private(set) var tables: [String: RowDigest] = [:]

  mutating func add(_ stored: StoredAggregate) {
    let summary = stored.summary
    var row = RowBytes()
    row.text(stored.key.tenant)
    row.text(stored.key.id)
    row.number(stored.version)
    row.raw(stored.bytes)
    for text in [summary.state, summary.originName, summary.destinationName, summary.currency] {
      row.text(AggregateColumns.shown(text))
    }
    row.text(summary.ownerID)
    for number in [summary.origin.latitude, summary.origin.longitude] { row.number(number) }
    row.optional(summary.destination) {
      $0.number($1.latitude)
      $0.number($1.longitude)
    }
    for number in [
      summary.startsAt.milliseconds, summary.endsAt.milliseconds, Int64(summary.seats),
      Int64(summary.seatsFree), summary.expectedFare,
    ] {
      row.number(number)
    }
    row.optional(summary.endedAt) { $0.number($1.milliseconds) }
    tables[stored.key.kind.rawValue, default: RowDigest()].add(row)
  }

  mutating func add(_ claim: TimeClaim) {
    var row = RowBytes()
    for text in [
      claim.tenant, claim.userID, claim.aggregate.kind.rawValue, claim.aggregate.id,
    ] {
      row.text(text)
    }
    row.number(claim.from.milliseconds)
    row.number(claim.through.milliseconds)
    tables["claim", default: RowDigest()].add(row)
  }

  mutating func add(_ event: StoredEvent) {
    var row = RowBytes()
    for text in [event.tenant, event.kind, event.aggregateID] { row.text(text) }
    row.optional(event.matchID) { $0.text($1) }
    row.number(UInt64(event.userIDs.count))
    for user in event.userIDs { row.text(user) }
    for number in [event.sequence, event.version] { row.number(number) }
    row.number(event.at.milliseconds)
    row.raw(event.body)
    tables["event", default: RowDigest()].add(row)
  }

  mutating func add(_ reply: StoredReply) {
    var row = RowBytes()
    row.text(reply.tenant)
    row.text(reply.aggregateID)
    for number in [reply.key.high, reply.key.low, reply.requestHash, reply.version] {
      row.number(number)
    }
    row.number(reply.at.milliseconds)
    tables["reply", default: RowDigest()].add(row)
  }

  /// Which events a tenant has.
  mutating func addFeed(_ tenant: String, oldest: UInt64, newest: UInt64) {
    var row = RowBytes()
    row.text(tenant)
    row.number(oldest)
    row.number(newest)
    tables["feed", default: RowDigest()].add(row)
  }

  mutating func addErasure(_ id: String) {
    var row = RowBytes()
    row.text(id)
    tables["erasure", default: RowDigest()].add(row)
  }

  /// In one order, so that it can be stored and compared.
  var bytes: [UInt8] {
    var out = RowBytes()
    for (name, digest) in tables.sorted(by: { $0.key < $1.key }) {
      out.text(name)
      for word in digest.words { out.number(word) }
    }
    return out.bytes
  }
}
