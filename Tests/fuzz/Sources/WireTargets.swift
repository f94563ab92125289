import Foundation
import MoyeoAPI
import ObjectModel
import Parties
import SwiftProtobuf
import WireFormat

@testable import MoyeoServer

/// The protobuf cursor: both styles agree on what is intact, and what was read can be written and
/// read again.
enum ProtobufTarget {
  @Sendable
  static func feed(_ bytes: UnsafeRawBufferPointer) {
    var quiet = ProtobufReader(bytes)
    var writer = ProtobufWriter()
    var quietCount = 0
    var written = 0
    while let field = quiet.nextField() {
      quietCount += 1
      switch field.wireType {
      case 0: writer.varint(field.number, field.bits)
      case 1: writer.double(field.number, Double(bitPattern: field.bits))
      case 2: writer.embedded(field.number, Array(field.bytes))
      // Nothing of ours is written with four bytes.
      default: continue
      }
      written += 1
    }
    var strict = ProtobufReader(bytes)
    var strictCount = 0
    do throws(WireFormatError) {
      while let field = try strict.next() {
        strictCount += 1
        _ = try? field.signed()
        _ = try? field.int()
        _ = try? field.string()
        _ = try? field.reader()
      }
      hold(quiet.isIntact, "damage that only one style sees")
    } catch {
      hold(!quiet.isIntact, "damage that only one style sees")
    }
    hold(quietCount == strictCount, "\(quietCount) fields, or \(strictCount)")
    let count = try? writer.bytes.withProtobufReader { reader throws(WireFormatError) in
      var count = 0
      while try reader.next() != nil { count += 1 }
      return count
    }
    hold(count == written, "\(written) fields written, \(count ?? -1) read")
    _ = try? PartyRecord.decode(Array(bytes))
  }
}

/// RFC 3339 moments, JSON strings and numbers.
enum TextTarget {
  @Sendable
  static func feed(_ bytes: UnsafeRawBufferPointer) {
    if bytes.count == 8 { number(Double(bitPattern: bytes.loadUnaligned(as: UInt64.self))) }
    guard let text = bytes.text else { return }
    if let moment = RFC3339.parse(text, localTime: { Instant(milliseconds: $0) }),
      RFC3339.seconds.contains(moment.milliseconds / 1000),
      moment.milliseconds / 1000 > RFC3339.seconds.lowerBound
    {
      let again = RFC3339.utc(moment)
      hold(RFC3339.parse(again) == moment, "\(again) is not \(text)")
    }
    var json: [UInt8] = []
    JSONText.append(string: text, to: &json)
    let read = try? JSONSerialization.jsonObject(with: Data(json), options: [.fragmentsAllowed])
    let found = (read as? String).map { Array($0.utf8) }
    hold(found == Array(bytes), "a string is another when it is read back")
  }

  private static func number(_ value: Double) {
    guard value.isFinite else { return }
    var json: [UInt8] = []
    JSONText.append(value, to: &json)
    let text = String(decoding: json, as: UTF8.self)
    hold(Double(text) == value, "\(value) is written as \(text)")
  }
}

/// Encoded messages to JSON, and JSON to messages with what does not fit.
enum JSONTarget {
  private static let types: [any (Message & Sendable).Type] = [
    Moyeo_V1_ReportRequest.self, Moyeo_V1_NearbyRequest.self, Moyeo_V1_NearbyResponse.self,
    Moyeo_V1_NearbyBatchResponse.self, Moyeo_V1_StreamReportsRequest.self,
    Moyeo_V1_GetClustersResponse.self, Moyeo_V1_EstimateFareRequest.self,
    Moyeo_V1_EstimateFareResponse.self, Moyeo_V1_CreatePartyRequest.self,
    Moyeo_V1_MatchBatchRequest.self, Moyeo_V1_PlanRouteResponse.self,
  ]

  @Sendable
  static func feed(_ bytes: UnsafeRawBufferPointer) {
    guard let (choice, rest) = bytes.choice else { return }
    let type = types[Int(choice >> 1) % types.count]
    if choice & 1 == 0 { fromBytes(type, Array(rest)) } else { fromText(type, Data(rest)) }
  }

  private static func fromBytes(_ type: any (Message & Sendable).Type, _ bytes: [UInt8]) {
    _ = try? JSONTranscoder(type).json(bytes)
    _ = bytes.withUnsafeBytes { MessageSchema.of(type).unknownField(in: $0) }
    // The laws hold for what we encode ourselves: elements of one list stand together there.
    // Those that we write have no field of another wire type, which the decoder keeps as unknown.
    var options = BinaryDecodingOptions()
    options.discardUnknownFields = true
    guard let message = try? type.init(serializedBytes: bytes, options: options),
      let encoded: [UInt8] = try? message.serializedBytes(),
      let json = try? JSONTranscoder(type).json(encoded)
    else { return }
    hold(
      (try? JSONSerialization.jsonObject(with: Data(json), options: [.fragmentsAllowed])) != nil,
      "not JSON: \(String(decoding: json, as: UTF8.self))")
  }

  private static func fromText(_ type: any (Message & Sendable).Type, _ json: Data) {
    let outcome = Result { () throws(APIError) in try decoded(type, json) }
    let found = json.withUnsafeBytes {
      JSONFieldCheck.violations(in: $0, of: MessageSchema.of(type))
    }
    var (plain, seen) = (ProtobufWriter(), UInt64(0))
    let isPlain = json.withUnsafeBytes {
      PlainJSON.append($0, of: MessageSchema.of(type), seen: &seen, to: &plain)
    }
    if isPlain {
      // Not by the outcome, which plain texts come to without the decoder.
      let read = try? type.init(serializedBytes: plain.bytes)
      let meant = try? type.init(jsonUTF8Bytes: json)
      hold(
        read.flatMap { read in meant.map { read.isEqualTo(message: $0) } } ?? false,
        "plain, and read as another message")
      let repeated = json.withUnsafeBytes { JSONRepeatedName.first(in: $0) }
      hold(repeated == nil, "plain, and a name stands twice")
    }
    guard case .success(let message) = outcome else {
      return hold(!isPlain, "plain, and refused: \(outcome)")
    }
    hold(!found.contains { $0.isUnknown }, "taken, with unknown fields: \(found)")
    hold((try? message.serializedBytes() as [UInt8]) != nil, "taken, and cannot be encoded")
  }

  private static func decoded<Request: Message>(
    _ type: Request.Type, _ json: Data
  ) throws(APIError) -> any Message {
    try RequestDecoding.message(type, body: json, parameters: Data("{}".utf8))
  }
}
