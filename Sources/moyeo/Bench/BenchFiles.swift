import MoyeoAPI

/// Points and questions from files.
enum BenchFiles {
  /// Any file that `moyeo import` reads; rows that it would refuse are left out.
  static func points(_ path: String) throws -> [BenchWorkload.Point] {
    let source = try ByteSource(path: path)
    let name = path.lowercased()
    var rows: any ImportSource =
      if name.hasSuffix(".geojson") || name.hasSuffix(".json") {
        GeoJSONImport(source, mapping: RowMapping())
      } else if name.hasSuffix(".ndjson") || name.hasSuffix(".jsonl") {
        NDJSONImport(source, mapping: RowMapping())
      } else {
        try CSVImport(source, mapping: RowMapping())
      }
    var points: [BenchWorkload.Point] = []
    while let item = try rows.next() {
      guard case .row(let row) = item else { continue }
      points.append(
        .init(
          id: row.position.id, latitude: row.position.latitude,
          longitude: row.position.longitude, tags: row.position.tags))
    }
    guard !points.isEmpty else { throw CommandFailure(message: "\(path) holds no points") }
    return points
  }

  /// CSV with latitude and longitude, and, where there are such columns, limit, radius (meters)
  /// and tags.
  static func queries(_ path: String) throws -> [BenchWorkload.Query] {
    var reader = try CSVReader(detectingDelimiterOf: try ByteSource(path: path))
    guard let heading = try reader.next() else {
      throw CommandFailure(message: "\(path) is empty; a heading is needed")
    }
    let detection = ColumnDetection(heading.texts)
    guard case .found(let latitude) = detection.latitude,
      case .found(let longitude) = detection.longitude
    else { throw CommandFailure(message: "\(path) has no latitude and longitude columns") }
    let limit = detection.column(named: "limit")
    let radius =
      detection.column(named: "radius") ?? detection.column(named: "radiusMeters")
    var queries: [BenchWorkload.Query] = []
    while let record = try reader.next() {
      guard record.problem == nil, record.count == heading.count,
        let latitude = NumberText.parse(record.text(latitude) ?? ""),
        let longitude = NumberText.parse(record.text(longitude) ?? "")
      else {
        throw CommandFailure(message: "\(path), line \(record.line): not a query")
      }
      var query = BenchWorkload.Query(latitude: latitude, longitude: longitude)
      query.limit = limit.flatMap { Int32((record.text($0) ?? "").trimmed) }
      query.radiusMeters = radius.flatMap { NumberText.parse(record.text($0) ?? "") }
      if let tags = detection.tags { query.tags = RowMapping().tags(record.text(tags) ?? "") }
      queries.append(query)
    }
    guard !queries.isEmpty else { throw CommandFailure(message: "\(path) holds no queries") }
    return queries
  }
}
