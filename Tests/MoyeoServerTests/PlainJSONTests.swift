import MoyeoAPI
import ObjectModel
import SwiftProtobuf
import Testing
import WireFormat

/// The reader of plain JSON against protobuf's own.
@Suite struct PlainJSONTests {
  private static let schema = MessageSchema.of(Moyeo_V1_NearbyRequest.self)

  private static func read(_ json: String) throws -> Moyeo_V1_NearbyRequest? {
    var (writer, seen) = (ProtobufWriter(), UInt64(0))
    let isPlain = Array(json.utf8).withUnsafeBytes {
      PlainJSON.append($0, of: schema, seen: &seen, to: &writer)
    }
    return isPlain ? try Moyeo_V1_NearbyRequest(serializedBytes: writer.bytes) : nil
  }

  @Test(
    "what is read is what the decoder reads, of texts made from good and bad pieces",
    arguments: 0..<20)
  func agreesWithTheDecoder(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let names = [
      "layer", "latitude", "longitude", "limit", "tags", "tagMatch", "radiusMeters", "no",
      "within", "where",
    ]
    let values = [
      "0", "-0", "-0.0", "1", "37.5665", "126.97801234567", "0.1", "123456789012345678", "1e3",
      "01",
      "1.", ".5", "-", "+1", "9007199254740993.0", "0.30000000000000004", "true", "false", "null",
      "\"a\"", "\"모여\"", "\"\\u0041\"", "\"a\\nb\"", "\"\"", "[]", "[\"a\",\"b\"]", "[\"a\",]",
      "[1]", "{}", "\"37\"", "-2147483648", "2147483648", " 7 ", "\t[ \"x\" ]\n",
      #"{"points":[]}"#, #"{ "points" : [{"latitude":1.5,"longitude":-2}, {} ] }"#,
      #"{"points":[{"latitude":1,"latitude":2}]}"#, #"{"points":[null]}"#,
      #"{"points":[{}],"a":1}"#,
      #"{"points":{}}"#, #"{"points":[{"latitude":1}"#, #"[{"attribute":"level","min":5}]"#,
      #"[{"attribute":"a","in":["x","y"]},{"max":1.25}]"#, #"[{"attribute":"a","text":null}]"#,
      #"[{"attribute":"한"},]"#, "[{}]", "[[]]",
    ]
    var plain = 0
    for _ in 0..<1000 {
      var fields = (0..<Int.random(in: 0..<4, using: &random)).map { _ in
        "\"\(names.randomElement(using: &random) ?? "")\":\(values.randomElement(using: &random) ?? "")"
      }
      if Int.random(in: 0..<20, using: &random) == 0 { fields.append("") }
      let json = "{" + fields.joined(separator: ",") + "}"
      guard let read = try Self.read(json) else { continue }
      plain += 1
      #expect(try read == Moyeo_V1_NearbyRequest(jsonString: json), "\(json)")
    }
    #expect(plain > 50)
  }

  @Test("what is not plain, or wrong, is left to the decoder")
  func leavesTheRest() throws {
    for json in [
      "", "{", "}", "[]", "null", "{}}", "{} x", #"{"limit":1,"limit":1}"#, #"{"where":{}}"#,
      #"{"within":[]}"#, #"{"within":{"points":[{"latitude":1}]"#, #"{"limit":1.0}"#,
      #"{"latitude":"1"}"#, #"{"tags":"a"}"#,
      #"{"layer":"\u0061"}"#, #"{"latitude":1e2}"#, #"{"latitude":1234567890123456789}"#,
      #"{"minVersion":null}"#, #"{"limit" 1}"#, #"{"limit":1 "tags":[]}"#, #"{limit:1}"#,
      "{\"layer\":\"a\tb\"}", #"{"layer":"a}"#,
    ] {
      #expect(try Self.read(json) == nil, "\(json)")
    }
    let broken = Array(#"{"layer":""#.utf8) + [0xFF, 0xC0] + Array(#""}"#.utf8)
    var (writer, seen) = (ProtobufWriter(), UInt64(0))
    let isPlain = broken.withUnsafeBytes {
      PlainJSON.append($0, of: Self.schema, seen: &seen, to: &writer)
    }
    #expect(!isPlain)
  }

  @Test("what is common is read")
  func readsWhatIsCommon() throws {
    let read = try Self.read(
      #" { "latitude": 37.5665, "longitude":126.978, "limit":20,"tags":["swift","모여"] } "#)
    #expect(read?.latitude == 37.5665 && read?.longitude == 126.978 && read?.limit == 20)
    #expect(read?.tags == ["swift", "모여"] && read?.hasLayer == false)
    #expect(try Self.read("{}") != nil)
    let area = try Self.read(
      #"{"within":{"points":[{"latitude":1,"longitude":2.5},{"longitude":3}]},"#
        + #""where":[{"attribute":"level","min":5}]}"#)
    #expect(area?.within.points.map(\.longitude) == [2.5, 3])
    #expect(area?.where.first?.attribute == "level" && area?.where.first?.min == 5)
    #expect(try Self.read(#"{"within":{},"where":[]}"#)?.hasWithin == true)
  }

  @Test("an area with many corners is read")
  func manyCorners() throws {
    let corners = (0..<5_000).map { #"{"latitude":\#(Double($0) / 100),"longitude":1}"# }
    let read = try Self.read(#"{"within":{"points":[\#(corners.joined(separator: ","))]}}"#)
    #expect(read?.within.points.map(\.latitude) == (0..<5_000).map { Double($0) / 100 })
  }
}
