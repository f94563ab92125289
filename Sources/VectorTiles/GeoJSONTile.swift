import GeoMath
import WireFormat

/// Point features to a GeoJSON FeatureCollection (RFC 7946).
public enum GeoJSONTile {
  /// RFC 7946's media type.
  public static let mediaType = "application/geo+json"

  /// UTF-8 bytes; coordinates are longitude, latitude with seven decimals (1 cm).
  public static func encode(_ features: [TileFeature]) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(64 + features.count * 200)
    out.append(contentsOf: #"{"type":"FeatureCollection","features":["#.utf8)
    for (n, feature) in features.enumerated() {
      if n > 0 { out.append(UInt8(ascii: ",")) }
      append(feature, to: &out)
    }
    out.append(contentsOf: "]}".utf8)
    return out
  }

  /// Texts as a JSON list: how a tile, which holds no lists, carries tags.
  public static func list(_ texts: [String]) -> String {
    var out: [UInt8] = [UInt8(ascii: "[")]
    for (n, text) in texts.enumerated() {
      if n > 0 { out.append(UInt8(ascii: ",")) }
      JSONText.append(string: text, to: &out)
    }
    out.append(UInt8(ascii: "]"))
    return String(decoding: out, as: UTF8.self)
  }

  private static func append(_ feature: TileFeature, to out: inout [UInt8]) {
    out.append(contentsOf: #"{"type":"Feature","#.utf8)
    if let id = feature.id { out.append(contentsOf: #""id":\#(id),"#.utf8) }
    let place = feature.coordinate ?? feature.position.coordinate
    out.append(contentsOf: #""geometry":{"type":"Point","coordinates":["#.utf8)
    appendDegrees(place.longitude, to: &out)
    out.append(UInt8(ascii: ","))
    appendDegrees(place.latitude, to: &out)
    out.append(contentsOf: #"]},"properties":{"#.utf8)
    for (n, property) in feature.properties.enumerated() {
      if n > 0 { out.append(UInt8(ascii: ",")) }
      JSONText.append(string: property.key, to: &out)
      out.append(UInt8(ascii: ":"))
      append(property.value, to: &out)
    }
    out.append(contentsOf: "}}".utf8)
  }

  private static func append(_ value: TileValue, to out: inout [UInt8]) {
    switch value {
    case .string(let text): JSONText.append(string: text, to: &out)
    case .integer(let number): out.append(contentsOf: "\(number)".utf8)
    case .boolean(let flag): out.append(contentsOf: (flag ? "true" : "false").utf8)
    case .double(let number):
      // JSON has no infinities and no NaN.
      out.append(contentsOf: (number.isFinite ? "\(number)" : "null").utf8)
    }
  }

  private static func appendDegrees(_ degrees: Double, to out: inout [UInt8]) {
    let scaled = Int64((degrees * 1e7).rounded())
    if scaled < 0 { out.append(UInt8(ascii: "-")) }
    let magnitude = scaled.magnitude
    out.append(contentsOf: "\(magnitude / 10_000_000)".utf8)
    var fraction = magnitude % 10_000_000
    guard fraction > 0 else { return }
    out.append(UInt8(ascii: "."))
    var divisor: UInt64 = 1_000_000
    while fraction > 0 {
      out.append(UInt8(ascii: "0") + UInt8(fraction / divisor))
      fraction %= divisor
      divisor /= 10
    }
  }
}
