import GeoMath
import MoyeoAPI
import ObjectModel
import RideMatching
import SwiftProtobuf
import TaxiFares
import WireFormat

extension PartyRequestReading {
  func partyID(_ id: String?) throws(APIError) -> String { try validation.id(id, field: "id") }

  /// Who asks; absent from services.
  func actor(_ id: String?, field: String) throws(APIError) -> String? {
    guard let id else { return nil }
    return try validation.id(id, field: field)
  }

  /// The name is free text: commas and all.
  func place(_ place: Moyeo_V1_Place?, field: String) throws(APIError) -> RidePlace {
    guard let place else { throw APIError(.missingField, field: field, "\(field) is required") }
    return RidePlace(
      name: place.name, coordinate: try validation.coordinate(of: place, field: field))
  }

  /// The same; nil where the sender left it out.
  func place(ifSet place: Moyeo_V1_Place?, field: String) throws(APIError) -> RidePlace? {
    guard let place else { return nil }
    return try self.place(place, field: field)
  }

  func point(_ point: Moyeo_V1_Point, field: String) throws(APIError) -> Coordinate {
    try validation.coordinate(
      latitude: point.latitudeIfSet,
      longitude: point.longitudeIfSet, prefix: field + ".")
  }

  func time(_ time: Google_Protobuf_Timestamp, field: String) throws(APIError) -> Instant {
    try validation.time(time, field: field)
  }

  func time(
    ifSet time: Google_Protobuf_Timestamp?, field: String
  ) throws(APIError) -> Instant? {
    try validation.time(ifSet: time, field: field)
  }

  func requiredTime(
    _ given: Google_Protobuf_Timestamp?, field: String
  ) throws(APIError) -> Instant {
    guard let given else { throw APIError(.missingField, field: field, "\(field) is required") }
    return try time(given, field: field)
  }

  func number(_ value: Double, field: String) throws(APIError) -> Double {
    guard value >= 0 && value.isFinite else {
      throw APIError(.limitOutOfRange, field: field, "\(field) is 0 or more; got \(value)")
    }
    return value
  }

  /// Milliseconds; the most that is allowed is a setting, and checked by the rules.
  func tolerance(_ seconds: Double?) throws(APIError) -> Int64? {
    guard let seconds else { return nil }
    let field = "departureWindowSeconds"
    return Int64((min(try number(seconds, field: field), 1e12) * 1000).rounded())
  }

  func word(_ text: String?, field: String) throws(APIError) -> String? {
    guard let text else { return nil }
    guard !text.isEmpty, text.utf8.count <= Self.wordBytes else {
      throw APIError(.badValue, field: field, "\(field) has 1 to \(Self.wordBytes) bytes")
    }
    return text
  }

  func splitRule(_ word: String?) throws(APIError) -> SplitRule? {
    guard let word else { return nil }
    guard let rule = SplitRule(rawValue: word) else {
      let words = SplitRule.allCases.map(\.rawValue).joined(separator: ", ")
      throw APIError(
        .badValue, field: "splitRule", "splitRule is one of \(words); got \(quoted(word))")
    }
    return rule
  }

  /// What policies look at: strings, numbers and truth values, by their text.
  func attributes(
    _ attributes: Google_Protobuf_Struct?, field: String
  ) throws(APIError) -> [String: String] {
    guard let attributes, !attributes.fields.isEmpty else { return [:] }
    _ = try validation.attributes(attributes, field: field)
    var out: [String: String] = [:]
    for (sent, value) in attributes.fields {
      let name = CanonicalText.normalize(sent)
      switch value.kind {
      case .stringValue(let text): out[name] = CanonicalText.normalize(text)
      case .boolValue(let flag): out[name] = flag ? "true" : "false"
      case .numberValue(let number):
        var bytes: [UInt8] = []
        JSONText.append(number, to: &bytes)
        out[name] = String(decoding: bytes, as: UTF8.self)
      case .nullValue, .structValue, .listValue, nil:
        throw APIError(
          .badAttributes, field: field,
          "attributes of riders are strings, numbers, true or false")
      }
    }
    return out
  }

  func policy(_ policy: Moyeo_V1_PartyPolicy) throws(APIError) -> RidePolicy {
    guard policy.sameAttributes.count <= 8 else {
      throw APIError(
        .tooManyItems, field: "policy.sameAttributes",
        "at most 8 attributes; got \(policy.sameAttributes.count)")
    }
    var names: [String] = []
    for (i, sent) in policy.sameAttributes.enumerated() {
      let name = CanonicalText.normalize(sent)
      guard (1...64).contains(name.utf8.count) else {
        throw APIError(
          .badValue, field: "policy.sameAttributes[\(i)]", "an attribute name has 1 to 64 bytes")
      }
      if !names.contains(name) { names.append(name) }
    }
    func limit(_ isSet: Bool, _ value: Double, _ field: String) throws(APIError) -> Double? {
      isSet ? try number(value, field: "policy." + field) : nil
    }
    let shared = try limit(policy.hasMinSharedRatio, policy.minSharedRatio, "minSharedRatio")
    if let shared, shared > 1 {
      throw APIError(
        .limitOutOfRange, field: "policy.minSharedRatio", "minSharedRatio is 0 to 1; got \(shared)")
    }
    return RidePolicy(
      sameAttributes: names,
      pack: try word(policy.packIfSet, field: "policy.pack"),
      maxWalkMeters: try limit(policy.hasMaxWalkMeters, policy.maxWalkMeters, "maxWalkMeters"),
      maxDetourRatio: try limit(
        policy.hasMaxDetourRatio, policy.maxDetourRatio, "maxDetourRatio"),
      maxDetourSeconds: try limit(
        policy.hasMaxDetourSeconds, policy.maxDetourSeconds, "maxDetourSeconds"),
      minSharedRatio: shared)
  }
}
