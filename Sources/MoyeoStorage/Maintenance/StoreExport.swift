package import GeoMath
import Parties

package import ObjectModel
import LiveLayers
import DurableCommands

/// Parties and last positions as tables of features, for GIS and spreadsheets.
package enum StoreExport {
  /// A feature's column.
  package enum Value: Hashable, Sendable {
    case none
    case text(String)
    case integer(Int64)
    case number(Double)
    case time(Instant)
    case texts([String])
    /// A JSON object.
    case json(String)
  }

  package struct Feature: Hashable, Sendable {
    package var latitude: Double
    package var longitude: Double
    /// In the order of the table's columns.
    package var values: [Value]
    /// Of a table of lines: two places or more, the first one at the feature's own.
    package var line: [Coordinate] = []

    package init(
      latitude: Double, longitude: Double, values: [Value], line: [Coordinate] = []
    ) {
      self.latitude = latitude
      self.longitude = longitude
      self.values = values
      self.line = line
    }
  }

  /// What features of a table look like on a map.
  package enum Geometry: String, Sendable {
    case point = "POINT"
    case line = "LINESTRING"
  }

  package enum ColumnKind: String, Sendable {
    case text = "TEXT"
    case integer = "INTEGER"
    case number = "DOUBLE"
  }

  package struct Table: Hashable, Sendable {
    package struct Column: Hashable, Sendable {
      package var name: String
      package var kind: ColumnKind
    }
    package var name: String
    package var columns: [Column]
    package var geometry = Geometry.point
  }

  /// Places where they begin; the destination in columns.
  package static let parties = Table(
    name: "parties",
    columns: [
      .init(name: "tenant", kind: .text), .init(name: "id", kind: .text),
      .init(name: "state", kind: .text), .init(name: "hostId", kind: .text),
      .init(name: "originName", kind: .text), .init(name: "destinationName", kind: .text),
      .init(name: "destinationLatitude", kind: .number),
      .init(name: "destinationLongitude", kind: .number),
      .init(name: "startsAt", kind: .text), .init(name: "endsAt", kind: .text),
      .init(name: "seats", kind: .integer), .init(name: "seatsFree", kind: .integer),
      .init(name: "currency", kind: .text), .init(name: "expectedFare", kind: .integer),
      .init(name: "agreedFare", kind: .integer),
      .init(name: "endedAt", kind: .text), .init(name: "version", kind: .integer),
    ])

  /// The ways that parties take, from where they begin through all places where somebody gets out.
  package static let lines = Table(
    name: "party_lines",
    columns: [
      .init(name: "tenant", kind: .text), .init(name: "id", kind: .text),
      .init(name: "state", kind: .text), .init(name: "distanceMeters", kind: .number),
      .init(name: "durationSeconds", kind: .number), .init(name: "source", kind: .text),
    ], geometry: .line)

  package static let positions = Table(
    name: "positions",
    columns: [
      .init(name: "tenant", kind: .text), .init(name: "layer", kind: .text),
      .init(name: "id", kind: .text), .init(name: "observedAt", kind: .text),
      .init(name: "expiresAt", kind: .text), .init(name: "tags", kind: .text),
      .init(name: "attributes", kind: .text),
    ])

  /// All parties, or those of a tenant, in one snapshot.
  package static func eachParty(
    dataDirectory: String, tenant: String? = nil, _ body: (Feature) throws -> Void
  ) throws {
    try eachStored(dataDirectory, tenant) { stored in
      let summary = stored.summary
      try body(
        Feature(
          latitude: summary.origin.latitude, longitude: summary.origin.longitude,
          values: [
            .text(stored.key.tenant), .text(stored.key.id), .text(summary.state),
            .text(summary.ownerID), .text(summary.originName), .text(summary.destinationName),
            summary.destination.map { .number($0.latitude) } ?? .none,
            summary.destination.map { .number($0.longitude) } ?? .none,
            .time(summary.startsAt), .time(summary.endsAt), .integer(Int64(summary.seats)),
            .integer(Int64(summary.seatsFree)), .text(summary.currency),
            .integer(summary.expectedFare),
            PartyRecord.agreedAmount(record: stored.bytes).map { .integer($0) } ?? .none,
            summary.endedAt.map { .time($0) } ?? .none,
            .integer(Int64(clamping: stored.version)),
          ]))
    }
  }

  /// The lines of all parties, or of those of a tenant, in one snapshot; one whose way is not known, as of
  /// an older release, has none.
  package static func eachLine(
    dataDirectory: String, tenant: String? = nil, _ body: (Feature) throws -> Void
  ) throws {
    try eachStored(dataDirectory, tenant) { stored in
      guard let line = PartyLine(record: stored.bytes) else { return }
      try body(
        Feature(
          latitude: line.path[0].latitude, longitude: line.path[0].longitude,
          values: [
            .text(stored.key.tenant), .text(stored.key.id), .text(stored.summary.state),
            .number(line.distanceMeters), .number(line.durationSeconds), .text(line.source),
          ], line: line.path))
    }
  }

  private static func eachStored(
    _ dataDirectory: String, _ tenant: String?, _ body: (StoredAggregate) throws -> Void
  ) throws {
    let reader = try StoreReader(directory: dataDirectory)
    let rows = try SQLStatement(
      reader.connection,
      AggregateStatements.select("parties") + " WHERE ?1 IS NULL OR tenant = ?1")
    rows.bind(1, tenant)
    while try rows.step() { try body(try AggregateStatements.read(rows, kind: .party)) }
  }

  /// The layers that positions were ever written behind for, by name.
  package static func layers(dataDirectory: String, tenant: String? = nil) throws -> [String] {
    try PositionsSnapshot.layers(dataDirectory: dataDirectory, tenant: tenant)
  }

  /// The positions last written behind that have not expired at `moment`.
  ///
  /// - Parameters:
  ///   - dataDirectory: The daemon's directory, with the record.
  ///   - layer: Only this layer's; nil: all layers'.
  ///   - tenant: Only this tenant's; nil: all tenants'.
  ///   - moment: Positions that have expired by then are left out.
  ///   - describe: Tags and attributes (a JSON object) of a payload.
  ///   - body: Takes the positions one by one.
  /// - Throws: ``StorageError`` or ``StoreFailure`` of an unreadable record; what `body` throws.
  package static func eachPosition(
    dataDirectory: String, layer: String? = nil, tenant: String? = nil, liveAt moment: Instant,
    describe: ([UInt8]) -> (tags: [String], attributes: String),
    _ body: (Feature) throws -> Void
  ) throws {
    try PositionsSnapshot.read(dataDirectory: dataDirectory, liveAt: moment) { batch in
      for one in batch
      where (layer ?? one.key.layer) == one.key.layer
        && (tenant ?? one.key.tenant) == one.key.tenant
      {
        let described = describe(one.payload)
        try body(
          Feature(
            latitude: one.latitude, longitude: one.longitude,
            values: [
              .text(one.key.tenant), .text(one.key.layer), .text(one.key.id),
              .time(one.observedAt),
              one.expiresAt == .distantFuture ? .none : .time(one.expiresAt),
              .texts(described.tags), .json(described.attributes),
            ]))
      }
    }
  }
}
