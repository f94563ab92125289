import DurableCommands
import GeoMath
import ObjectModel

/// How an aggregate stands in its kind's table.
enum AggregateColumns {
  static let loaded = """
    tenant, id, version, bytes, state, owner_id, origin_latitude, origin_longitude, origin_name,
    destination_latitude, destination_longitude, destination_name, starts_at, ends_at, seats,
    seats_free, currency, expected_fare, ended_at
    """

  /// Inserts aggregates or replaces their states.
  ///
  /// - Parameters:
  ///   - table: Of their kind.
  ///   - all: Each once.
  ///   - commits: The number of this commit, by tenant.
  /// - Returns: One statement for all of them.
  static func upsert(
    _ table: String, _ all: [StoredAggregate], commits: (_ tenant: String) -> Int64
  ) -> PostgresStatement {
    let changed = [
      "version", "bytes", "state", "owner_id", "origin_latitude", "origin_longitude",
      "origin_name", "destination_latitude", "destination_longitude", "destination_name",
      "starts_at", "ends_at", "seats", "seats_free", "currency", "expected_fare", "ended_at",
      "commit_no",
    ]
    return PostgresStatement(
      """
      INSERT INTO \(table) (\(loaded), commit_no)
      SELECT * FROM unnest($1::text[], $2::text[], $3::int8[], $4::bytea[], $5::text[], $6::text[],
        $7::float8[], $8::float8[], $9::text[], $10::float8[], $11::float8[], $12::text[],
        $13::int8[], $14::int8[], $15::int8[], $16::int8[], $17::text[], $18::int8[], $19::int8[],
        $20::int8[])
      ON CONFLICT (tenant, id) DO UPDATE SET
      \(changed.map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
      """,
      [
        .texts(all.map(\.key.tenant)), .texts(all.map(\.key.id)), .bits(all.map(\.version)),
        .byteArrays(all.map(\.bytes)), .texts(all.map { shown($0.summary.state) }),
        .texts(all.map(\.summary.ownerID)), .doubles(all.map(\.summary.origin.latitude)),
        .doubles(all.map(\.summary.origin.longitude)),
        .texts(all.map { shown($0.summary.originName) }),
        .doubles(all.map { $0.summary.destination?.latitude }),
        .doubles(all.map { $0.summary.destination?.longitude }),
        .texts(all.map { shown($0.summary.destinationName) }),
        .ints(all.map(\.summary.startsAt.milliseconds)),
        .ints(all.map(\.summary.endsAt.milliseconds)), .ints(all.map { Int64($0.summary.seats) }),
        .ints(all.map { Int64($0.summary.seatsFree) }),
        .texts(all.map { shown($0.summary.currency) }), .ints(all.map(\.summary.expectedFare)),
        .ints(all.map { $0.summary.endedAt?.milliseconds }),
        .ints(all.map { commits($0.key.tenant) }),
      ])
  }

  /// These columns are for people; PostgreSQL holds no text with a zero byte.
  static func shown(_ text: String) -> String {
    guard text.utf8.contains(0) else { return text }
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { scalars.append(scalar.value == 0 ? "\u{FFFD}" : scalar) }
    return String(scalars)
  }

  static func read(_ rows: PostgresRows, _ row: Int, kind: AggregateKind) -> StoredAggregate {
    let destination =
      rows.isNull(row, 9)
      ? nil
      : Coordinate(uncheckedLatitude: rows.double(row, 9), longitude: rows.double(row, 10))
    return StoredAggregate(
      key: AggregateKey(tenant: rows.text(row, 0), kind: kind, id: rows.text(row, 1)),
      version: rows.bits(row, 2), bytes: rows.bytes(row, 3),
      summary: AggregateSummary(
        state: rows.text(row, 4), ownerID: rows.text(row, 5),
        origin: Coordinate(
          uncheckedLatitude: rows.double(row, 6), longitude: rows.double(row, 7)),
        originName: rows.text(row, 8), destination: destination,
        destinationName: rows.text(row, 11), startsAt: Instant(milliseconds: rows.int(row, 12)),
        endsAt: Instant(milliseconds: rows.int(row, 13)), seats: Int(rows.int(row, 14)),
        seatsFree: Int(rows.int(row, 15)), currency: rows.text(row, 16),
        expectedFare: rows.int(row, 17),
        endedAt: rows.optionalInt(row, 18).map { Instant(milliseconds: $0) }))
  }
}

/// How an event stands in `events`.
enum EventColumns {
  static let all = "tenant, sequence, kind, at, aggregate_id, match_id, user_ids, version, body"

  static func insert(_ events: [StoredEvent]) -> PostgresStatement {
    PostgresStatement(
      """
      INSERT INTO events (\(all))
      SELECT tenant, sequence, kind, at, aggregate_id, match_id, user_ids::text[], version, body
      FROM unnest($1::text[], $2::int8[], $3::text[], $4::int8[], $5::text[], $6::text[], $7::text[],
        $8::int8[], $9::bytea[]) AS e (\(all))
      """,
      [
        .texts(events.map(\.tenant)), .bits(events.map(\.sequence)), .texts(events.map(\.kind)),
        .ints(events.map(\.at.milliseconds)), .texts(events.map(\.aggregateID)),
        .texts(events.map(\.matchID)), .texts(events.map { literal($0.userIDs) }),
        .bits(events.map(\.version)), .byteArrays(events.map(\.body)),
      ])
  }

  /// Replaces what events tell of people.
  static func replace(_ events: [StoredEvent], tenant: String) -> PostgresStatement {
    PostgresStatement(
      """
      UPDATE events e SET aggregate_id = n.aggregate_id, user_ids = n.user_ids::text[], body = n.body
      FROM unnest($2::int8[], $3::text[], $4::text[], $5::bytea[])
        AS n (sequence, aggregate_id, user_ids, body)
      WHERE e.tenant = $1 AND e.sequence = n.sequence
      """,
      [
        .text(tenant), .bits(events.map(\.sequence)), .texts(events.map(\.aggregateID)),
        .texts(events.map { literal($0.userIDs) }), .byteArrays(events.map(\.body)),
      ])
  }

  /// An array as PostgreSQL writes it, since `unnest` makes no arrays of an array of arrays. By bytes: a
  /// quotation mark with an accent upon it is still one.
  private static func literal(_ texts: [String]) -> String {
    var out: [UInt8] = [UInt8(ascii: "{")]
    for (index, text) in texts.enumerated() {
      if index > 0 { out.append(UInt8(ascii: ",")) }
      out.append(UInt8(ascii: "\""))
      for byte in text.utf8 {
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
          out.append(UInt8(ascii: "\\"))
        }
        out.append(byte)
      }
      out.append(UInt8(ascii: "\""))
    }
    return String(decoding: out + [UInt8(ascii: "}")], as: UTF8.self)
  }

  static func read(_ rows: PostgresRows, _ row: Int) -> StoredEvent {
    StoredEvent(
      tenant: rows.text(row, 0), sequence: rows.bits(row, 1), kind: rows.text(row, 2),
      at: Instant(milliseconds: rows.int(row, 3)), aggregateID: rows.text(row, 4),
      matchID: rows.optionalText(row, 5), userIDs: rows.texts(row, 6), version: rows.bits(row, 7),
      body: rows.bytes(row, 8))
  }
}

/// How a claim stands in `claims`.
enum ClaimColumns {
  static let all = "tenant, user_id, from_at, through_at, kind, aggregate_id"

  static func read(_ rows: PostgresRows, _ row: Int) -> TimeClaim {
    let tenant = rows.text(row, 0)
    return TimeClaim(
      tenant: tenant, userID: rows.text(row, 1),
      from: Instant(milliseconds: rows.int(row, 2)),
      through: Instant(milliseconds: rows.int(row, 3)),
      aggregate: AggregateKey(
        tenant: tenant, kind: AggregateKind(rawValue: rows.text(row, 4)), id: rows.text(row, 5)))
  }
}

/// How a reply stands in `replies`.
enum ReplyColumns {
  static let all = "tenant, key_high, key_low, request_hash, aggregate_id, version, at"

  static func insert(_ replies: [StoredReply]) -> PostgresStatement {
    PostgresStatement(
      """
      INSERT INTO replies (\(all))
      SELECT * FROM unnest($1::text[], $2::int8[], $3::int8[], $4::int8[], $5::text[], $6::int8[],
        $7::int8[])
      """,
      [
        .texts(replies.map(\.tenant)), .bits(replies.map(\.key.high)),
        .bits(replies.map(\.key.low)),
        .bits(replies.map(\.requestHash)), .texts(replies.map(\.aggregateID)),
        .bits(replies.map(\.version)), .ints(replies.map(\.at.milliseconds)),
      ])
  }

  static func read(_ rows: PostgresRows, _ row: Int) -> StoredReply {
    StoredReply(
      tenant: rows.text(row, 0),
      key: IdempotencyHash(high: rows.bits(row, 1), low: rows.bits(row, 2)),
      requestHash: rows.bits(row, 3), aggregateID: rows.text(row, 4), version: rows.bits(row, 5),
      at: Instant(milliseconds: rows.int(row, 6)))
  }
}
