import MoyeoAPI

/// Hits as a table.
enum HitTable {
  static func table(_ hits: [Moyeo_V1_Hit]) -> TextTable {
    var table = TextTable([
      ("id", .left), ("distance", .right), ("bearing", .right), ("latitude", .right),
      ("longitude", .right), ("age", .right), ("tags", .left), ("attributes", .left),
    ])
    for hit in hits {
      table.append([
        hit.id, hit.hasDistanceMeters ? NumberText.distance(hit.distanceMeters) : "",
        hit.hasBearingDegrees ? NumberText.fixed(hit.bearingDegrees, 0) + "°" : "",
        NumberText.fixed(hit.latitude, 6), NumberText.fixed(hit.longitude, 6),
        hit.hasAgeSeconds ? NumberText.duration(hit.ageSeconds) : "",
        hit.tags.joined(separator: " "), JSONOutput.inline(hit.attributes),
      ])
    }
    return table
  }

  static func lines(_ hits: [Moyeo_V1_Hit]) -> [String] {
    hits.isEmpty ? ["nobody"] : columnsInUse(hits).lines(fitting: Terminal.outputColumns)
  }

  /// Distance and bearing only where there are some: Within answers neither.
  static func columnsInUse(_ hits: [Moyeo_V1_Hit]) -> TextTable {
    guard !hits.contains(where: { $0.hasDistanceMeters }) else { return table(hits) }
    var table = TextTable([
      ("id", .left), ("latitude", .right), ("longitude", .right), ("age", .right), ("tags", .left),
      ("attributes", .left),
    ])
    for hit in hits {
      table.append([
        hit.id, NumberText.fixed(hit.latitude, 6), NumberText.fixed(hit.longitude, 6),
        hit.hasAgeSeconds ? NumberText.duration(hit.ageSeconds) : "",
        hit.tags.joined(separator: " "), JSONOutput.inline(hit.attributes),
      ])
    }
    return table
  }
}
