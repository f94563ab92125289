import GeoMath

/// A line of places in SpatiaLite's own form of a geometry (BLOB-Geometry, `LINESTRING`).
enum LineBlob {
  /// The geometry of two places or more.
  static func encode(_ line: [Coordinate]) -> [UInt8] {
    let x = line.map(\.longitude)
    let y = line.map(\.latitude)
    let box = [x.min() ?? 0, y.min() ?? 0, x.max() ?? 0, y.max() ?? 0]
    var out: [UInt8] = [0x00, 0x01]
    PointBlob.append(PointBlob.srid, bytes: 4, to: &out)
    for edge in box { PointBlob.append(edge.bitPattern, bytes: 8, to: &out) }
    out.append(0x7C)
    PointBlob.append(2, bytes: 4, to: &out)
    PointBlob.append(UInt64(line.count), bytes: 4, to: &out)
    for place in line {
      PointBlob.append(place.longitude.bitPattern, bytes: 8, to: &out)
      PointBlob.append(place.latitude.bitPattern, bytes: 8, to: &out)
    }
    out.append(0xFE)
    return out
  }
}
