import Foundation
import JWTKit
import WireFormat

/// A key that signs tokens: what checks its signatures, and what ends with it.
struct SigningKey: Sendable {
  /// The one algorithm that the key is for; a token that names another one is not its own.
  let algorithm: String
  let verifier: any JWTAlgorithm
  let credential: Credential
  /// The key's own text, by which a later document tells whether it is still the same.
  let text: Data
}

/// A JSON Web Key Set (RFC 7517) as verifiers: keys for ES256, EdDSA (Ed25519) and RS256, and for
/// HS256 where developers' tokens are taken. Keys for anything else are left out.
struct SigningKeys: Sendable {
  /// By key id; the key of a set without ids stands under "".
  private(set) var keys: [String: SigningKey] = [:]
  /// Keys that were left out, each with the reason.
  private(set) var leftOut: [String] = []

  static let maximumDocumentBytes = 1 << 20
  private static let leastModulusBytes = 256

  init() {}

  /// Reads a document.
  ///
  /// - Parameters:
  ///   - document: The JSON text of a set.
  ///   - allowsDevelopmentAlgorithms: Whether secrets for HS256 are taken.
  ///   - earlier: Keys that are the same as before keep what they vouch for.
  /// - Throws: ``KeySetError``.
  init(
    document: Data, allowsDevelopmentAlgorithms: Bool, earlier: SigningKeys = SigningKeys()
  ) async throws(KeySetError) {
    guard document.count <= Self.maximumDocumentBytes else { throw .tooLarge }
    guard let object = try? JSONSerialization.jsonObject(with: document) as? [String: Any],
      let list = object["keys"] as? [[String: Any]]
    else { throw .notAKeySet }
    for (index, fields) in list.enumerated() {
      let id = fields["kid"] as? String ?? ""
      guard keys[id] == nil else { throw .duplicateID(id) }
      do throws(KeySetError) {
        keys[id] = try await Self.key(
          fields, id: id, allowsDevelopmentAlgorithms: allowsDevelopmentAlgorithms,
          earlier: earlier.keys[id])
      } catch {
        leftOut.append("keys[\(index)] (\(id.isEmpty ? "no kid" : id)): \(error)")
      }
    }
  }

  /// The key that a token names. A token without a key id is of the only key there is.
  func key(id: String?) -> SigningKey? {
    if let id { return keys[id] }
    return keys.count == 1 ? keys.values.first : nil
  }

  private static func key(
    _ fields: [String: Any], id: String, allowsDevelopmentAlgorithms: Bool,
    earlier: SigningKey?
  ) async throws(KeySetError) -> SigningKey {
    guard (fields["use"] as? String ?? "sig") == "sig" else { throw .notForSignatures }
    let type = fields["kty"] as? String ?? ""
    let curve = fields["crv"] as? String
    let own: String
    switch (type, curve) {
    case ("EC", "P-256"): own = "ES256"
    case ("OKP", "Ed25519"): own = "EdDSA"
    case ("RSA", _): own = "RS256"
    case ("oct", _): own = "HS256"
    default: throw .unsupported(type + (curve.map { " " + $0 } ?? ""))
    }
    if let named = fields["alg"] as? String, named != own { throw .unsupported(named) }
    // What is private stays where it is: a verifier needs the public half alone.
    let secret: Set = ["d", "p", "q", "dp", "dq", "qi", "oth"]
    var plain = fields.filter { type == "oct" || !secret.contains($0.key) }
    plain["alg"] = own
    plain["kid"] = id
    for name in ["x5c", "x5u", "x5t", "x5t#S256", "key_ops", "ext"] { plain[name] = nil }
    guard
      let text = try? JSONSerialization.data(withJSONObject: plain, options: [.sortedKeys])
    else { throw .malformed }
    if let earlier, earlier.text == text { return earlier }
    let verifier =
      own == "HS256"
      ? try await sharedSecret(plain, allowsDevelopmentAlgorithms)
      : try await publicKey(plain, text)
    return SigningKey(
      algorithm: own, verifier: verifier, credential: Credential(), text: text)
  }

  private static func sharedSecret(
    _ fields: [String: Any], _ isAllowed: Bool
  ) async throws(KeySetError) -> any JWTAlgorithm {
    guard isAllowed else { throw .developmentOnly }
    guard let value = fields["k"] as? String, let secret = Base64URL.decode(value),
      secret.count >= 32
    else { throw .tooShort }
    let collection = JWTKeyCollection()
    await collection.add(
      hmac: HMACKey(from: Data(secret)), digestAlgorithm: .sha256, kid: "key")
    guard let key = try? await collection.getKey(for: "key", alg: "HS256") else { throw .malformed }
    return key
  }

  private static func publicKey(
    _ fields: [String: Any], _ text: Data
  ) async throws(KeySetError) -> any JWTAlgorithm {
    if let modulus = fields["n"] as? String {
      guard let bytes = Base64URL.decode(modulus),
        bytes.drop(while: { $0 == 0 }).count >= leastModulusBytes
      else { throw .tooShort }
    }
    do {
      let key = try JSONDecoder().decode(JWK.self, from: text)
      let collection = JWTKeyCollection()
      try await collection.add(jwk: key)
      return try await collection.getKey(for: key.keyIdentifier, alg: key.algorithm?.rawValue)
    } catch {
      throw .malformed
    }
  }
}

/// Why a document is no set of keys, or a key is left out of it.
package enum KeySetError: Error, Hashable, Sendable, CustomStringConvertible {
  case tooLarge
  case notAKeySet
  case duplicateID(String)
  case notForSignatures
  case unsupported(String)
  case developmentOnly
  case tooShort
  case malformed

  package var description: String {
    switch self {
    case .tooLarge: "the document is larger than a MiB"
    case .notAKeySet: "the document is no JSON Web Key Set"
    case .duplicateID(let id): "two keys have the id \"\(id)\""
    case .notForSignatures: "the key is not for signatures"
    case .unsupported(let what): "\(what) is none of ES256, EdDSA (Ed25519) and RS256"
    case .developmentOnly: "a shared secret needs auth.developmentAlgorithms"
    case .tooShort: "the key is too short"
    case .malformed: "the key's values are malformed"
    }
  }
}
