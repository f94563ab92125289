package import LiveLayers
import ObjectModel
import SpatialIndexing
import WireFormat

/// What the app's backend reports of a person: `nick`, `gender` and the like.
struct Profile: Hashable, Sendable {
  /// Scalars, by their text; whole numbers without a point.
  var attributes: [String: String] = [:]

  /// 0 woman, 1 man; nil where the backend has said neither.
  var gender: Int? { Int(attributes["gender"] ?? "").flatMap { (0...1).contains($0) ? $0 : nil } }

  /// The name to show, or the id where there is none.
  static func nick(_ attributes: [String: String], userID: String) -> String {
    attributes["nick"].flatMap { $0.isEmpty ? nil : $0 } ?? userID
  }

  /// A whole number among attributes.
  static func integer(_ attributes: [String: String], _ name: String) -> Int? {
    attributes[name].flatMap { Int($0) }
  }
}

/// Profiles are attributes of a person's object in one layer (`dialects.profileLayer`), which only
/// the backend reports to: what a person says of themselves in a request is not believed.
package struct ProfileSource: Sendable {
  private let layers: LayerRegistry
  private let layerName: String

  package init(layers: LayerRegistry, layerName: String) {
    self.layers = layers
    self.layerName = layerName
  }

  /// Empty where the layer, or the person in it, is not known.
  func profile(of userID: String) -> Profile {
    guard let layer = try? layers.layer(layerName) else { return Profile() }
    let scalars = layer.index.withObject(id: userID, now: layers.clock.now()) { hit in
      ObjectPayload.scalars(in: hit.payload)
    }
    var profile = Profile()
    for (name, value) in scalars ?? [] { profile.attributes[name] = Self.text(of: value) }
    return profile
  }

  private static func text(of value: AttributeValue) -> String {
    switch value {
    case .string(let text): return text
    case .bool(let flag): return flag ? "true" : "false"
    case .number(let number):
      var bytes: [UInt8] = []
      JSONText.append(number, to: &bytes)
      return String(decoding: bytes, as: UTF8.self)
    }
  }
}
