import GeoMath

extension City {
  /// The columns of a hot-spot table, in this order, also its first line.
  public static let tableHeader = "name,name_en,kind,latitude,longitude,weight,radius_meters"

  /// Reads a hot-spot table: the text of `data/seoul-hotspots.csv`, not its path.
  ///
  /// Lines end in LF or CRLF; empty lines and lines that begin with `#` are skipped; a byte order
  /// mark is allowed. Fields hold no commas and no quotes.
  /// - Throws: ``CityTableError``, with the line number counted from 1.
  /// - Complexity: O(characters).
  public init(name: String, utcOffsetSeconds: Int, table: String) throws(CityTableError) {
    var spots: [HotSpot] = []
    var sawHeader = false
    var number = 0
    for line in table.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      number += 1
      let text = City.trimmed(line)
      if text.isEmpty || text.hasPrefix("#") { continue }
      if !sawHeader {
        guard text == City.tableHeader else { throw .header(line: number) }
        sawHeader = true
        continue
      }
      spots.append(try City.hotSpot(text, line: number))
    }
    guard !spots.isEmpty else { throw .empty }
    self.init(name: name, utcOffsetSeconds: utcOffsetSeconds, hotSpots: spots)
  }

  private static func hotSpot(_ text: Substring, line: Int) throws(CityTableError) -> HotSpot {
    let fields = text.split(separator: ",", omittingEmptySubsequences: false).map(trimmed)
    guard fields.count == 7 else { throw .fieldCount(line: line, found: fields.count) }
    guard !fields[0].isEmpty else { throw .value(line: line, column: "name", text: "") }
    guard let kind = Kind(rawValue: String(fields[2])) else {
      throw .value(line: line, column: "kind", text: String(fields[2]))
    }
    let latitude = try number(fields[3], "latitude", line)
    let longitude = try number(fields[4], "longitude", line)
    guard let coordinate = try? Coordinate(latitude: latitude, longitude: longitude) else {
      throw .value(line: line, column: "latitude,longitude", text: "\(fields[3]),\(fields[4])")
    }
    let weight = try number(fields[5], "weight", line)
    guard weight > 0, weight < 1e9 else {
      throw .value(line: line, column: "weight", text: String(fields[5]))
    }
    let radius = try number(fields[6], "radius_meters", line)
    guard radius >= 0, radius <= 100_000 else {
      throw .value(line: line, column: "radius_meters", text: String(fields[6]))
    }
    return HotSpot(
      name: String(fields[0]), englishName: String(fields[1]), kind: kind, coordinate: coordinate,
      weight: weight, radiusMeters: radius)
  }

  private static func number(
    _ text: Substring, _ column: String, _ line: Int
  ) throws(CityTableError) -> Double {
    guard let value = Double(text), value.isFinite else {
      throw .value(line: line, column: column, text: String(text))
    }
    return value
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var rest = text
    while let first = rest.first, first.isWhitespace || first == "\u{FEFF}" { rest.removeFirst() }
    while let last = rest.last, last.isWhitespace { rest.removeLast() }
    return rest
  }
}

/// Why a text is not a hot-spot table.
public enum CityTableError: Error, Hashable, Sendable {
  /// No hot spot in it.
  case empty
  /// The first line is not ``City/tableHeader``.
  case header(line: Int)
  /// A row has other than seven fields.
  case fieldCount(line: Int, found: Int)
  /// A field does not parse or is out of range.
  case value(line: Int, column: String, text: String)
}
