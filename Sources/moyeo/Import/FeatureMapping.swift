import MoyeoAPI
import SwiftProtobuf

/// GeoJSON features (RFC 7946) as positions.
struct FeatureMapping: Sendable {
  let mapping: RowMapping

  func position(_ feature: Google_Protobuf_Struct, defaultID: String) throws(RowProblem)
    -> Moyeo_V1_Position
  {
    guard feature.fields["type"]?.stringValue == "Feature" else {
      throw RowProblem(field: "type", reason: "not_a_feature", message: "is not a GeoJSON Feature")
    }
    guard case .structValue(let geometry)? = feature.fields["geometry"]?.kind else {
      throw RowProblem(
        field: "geometry", reason: "missing_geometry", message: "the feature has no geometry")
    }
    let kind = geometry.fields["type"]?.stringValue ?? ""
    guard kind == "Point" else {
      throw RowProblem(
        field: "geometry.type", reason: "unsupported_geometry",
        message: "only Point is imported, not \(excerpt(kind))")
    }
    let numbers = (geometry.fields["coordinates"]?.listValue.values ?? []).map(Self.number)
    guard numbers.count >= 2, let longitude = numbers[0], let latitude = numbers[1] else {
      throw RowProblem(
        field: "geometry.coordinates", reason: "bad_geometry",
        message: "a Point's coordinates are [longitude, latitude]")
    }
    var properties = feature.fields["properties"]?.structValue.fields ?? [:]
    let id = try id(feature, properties, defaultID)
    if feature.fields["moyeo"]?.stringValue == ExportedPosition.marker, mapping.namesNoColumn {
      let attributes = properties["attributes"]?.structValue ?? Google_Protobuf_Struct()
      return try ExportedPosition(
        id: id, latitude: latitude, longitude: longitude,
        observedAt: properties["observedAt"]?.stringValue ?? "",
        expiresAt: properties["expiresAt"]?.stringValue ?? "",
        tags: (properties["tags"]?.listValue.values ?? []).map(\.stringValue),
        attributes: AttributeText.json(attributes)
      ).position(mapping)
    }
    var position = Moyeo_V1_Position()
    position.id = id
    position.latitude = latitude
    position.longitude = longitude
    position.ttlSeconds = mapping.ttlSeconds
    try take(&properties, into: &position)
    return position
  }

  /// Tags, time and attributes, of the properties that are not taken otherwise.
  private func take(
    _ properties: inout [String: Google_Protobuf_Value], into position: inout Moyeo_V1_Position
  ) throws(RowProblem) {
    if let column = mapping.idColumn { properties[column] = nil }
    let tagsColumn = mapping.tagsColumn ?? "tags"
    if let tags = tags(properties[tagsColumn]) {
      position.tags = tags
      properties[tagsColumn] = nil
    }
    if let column = mapping.observedAtColumn, let value = properties[column] {
      if let stamp = try mapping.observedAt(JSONOutput.inline(value), column: column) {
        position.observedAt = stamp
      }
      properties[column] = nil
    }
    for (attribute, column) in mapping.placeColumns {
      guard let value = properties.removeValue(forKey: column) else { continue }
      if let text = Self.text(value) {
        position.attributes.fields[attribute.rawValue] = .init(stringValue: text)
      }
    }
    for (name, value) in properties where isWanted(name) {
      // Null says that there is no value.
      if case .nullValue? = value.kind { continue }
      position.attributes.fields[name] = value
    }
  }

  private func isWanted(_ name: String) -> Bool {
    switch mapping.attributes ?? .all {
    case .all: true
    case .none: false
    case .named(let names): names.contains(name)
    }
  }

  private func id(
    _ feature: Google_Protobuf_Struct, _ properties: [String: Google_Protobuf_Value],
    _ defaultID: String
  ) throws(RowProblem) -> String {
    let value: Google_Protobuf_Value?
    if let column = mapping.idColumn {
      value = properties[column]
      guard value != nil else {
        throw RowProblem(
          field: column, reason: "missing_field", message: "there is no property \(excerpt(column))"
        )
      }
    } else {
      value = feature.fields["id"]
    }
    switch value?.kind {
    case nil, .nullValue?: return defaultID
    case .stringValue(let text)?: return text
    case .numberValue(let number)?: return JSONOutput.numberText(number)
    default:
      throw RowProblem(
        field: mapping.idColumn ?? "id", reason: "bad_id", message: "an id is text or a number")
    }
  }

  private func tags(_ value: Google_Protobuf_Value?) -> [String]? {
    switch value?.kind {
    case .stringValue(let text)?: mapping.tags(text)
    case .listValue(let list)?:
      list.values.allSatisfy { if case .stringValue? = $0.kind { true } else { false } }
        ? list.values.map(\.stringValue) : nil
    default: nil
    }
  }

  private static func text(_ value: Google_Protobuf_Value) -> String? {
    switch value.kind {
    case .stringValue(let text)?: text.isEmpty ? nil : text
    case .numberValue(let number)?: JSONOutput.numberText(number)
    default: nil
    }
  }

  private static func number(_ value: Google_Protobuf_Value) -> Double? {
    if case .numberValue(let number)? = value.kind { number } else { nil }
  }
}
