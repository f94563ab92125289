import Foundation
import ObjectModel
import WireFormat

/// What is demanded of a token beside its signature.
package struct TokenDemands: Sendable, Hashable {
  /// `iss` must be this.
  package var issuer: String?
  /// `aud` must be this, or list it.
  package var audience: String?
  /// How far the clocks of the issuer and of this machine may lie apart.
  package var skewMilliseconds: Int64 = 30_000

  package init() {}
}

/// A JSON Web Token in the compact form (RFC 7519), apart and not yet believed.
struct SignedToken {
  /// A longer one is no token of anybody's.
  static let maximumBytes = 8192
  private static let maximumSubjectBytes = 128
  private static let maximumAttributes = 64

  let algorithm: String
  let keyID: String?
  let signed: ArraySlice<UInt8>
  let signature: [UInt8]
  private let payload: [UInt8]

  init(_ token: String) throws(IdentityError) {
    let bytes = Array(token.utf8)
    guard bytes.count <= Self.maximumBytes else {
      throw .unauthenticated("the token has more than \(Self.maximumBytes) bytes")
    }
    let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3, let header = Self.decoded(parts[0]),
      let payload = Self.decoded(parts[1]), let signature = Self.decoded(parts[2]),
      let fields = Self.object(header)
    else { throw .unauthenticated("the token is neither a JSON Web Token nor an API key") }
    guard let algorithm = fields["alg"] as? String else {
      throw .unauthenticated("the token names no algorithm")
    }
    // Extensions that must be understood (RFC 7515, section 4.1.11): none is.
    guard fields["crit"] == nil else {
      throw .unauthenticated("the token demands extensions that this service does not have")
    }
    if fields["kid"] != nil, !(fields["kid"] is String) {
      throw .unauthenticated("the token's key id is no text")
    }
    self.algorithm = algorithm
    keyID = fields["kid"] as? String
    signed = bytes[parts[0].startIndex..<parts[1].endIndex]
    self.signature = signature
    self.payload = payload
  }

  /// Who calls, of a token whose signature has been found good.
  ///
  /// - Throws: ``IdentityError/tokenExpired`` where all else holds.
  func caller(
    _ demands: TokenDemands, credential: Credential, now: Instant
  ) throws(IdentityError) -> Caller {
    guard let claims = Self.object(payload) else {
      throw .unauthenticated("the token's claims are no JSON object")
    }
    try Self.check(demands, claims)
    let skew = demands.skewMilliseconds
    guard let expiry = try Self.moment("exp", claims) else {
      throw .unauthenticated("the token never expires: exp is missing")
    }
    for name in ["nbf", "iat"] {
      if let moment = try Self.moment(name, claims), moment > now.advanced(milliseconds: skew) {
        throw .unauthenticated("the token is of the future: look at \(name) and at the clocks")
      }
    }
    let end = expiry.advanced(milliseconds: skew)
    guard now < end else { throw .tokenExpired }
    guard let subject = claims["sub"] as? String,
      (1...Self.maximumSubjectBytes).contains(subject.utf8.count)
    else {
      throw .unauthenticated("the token's sub is no id of 1-\(Self.maximumSubjectBytes) bytes")
    }
    var tenant = Caller.defaultTenant
    if let named = claims["tenant"] {
      guard let name = named as? String, TenantName.isValid(name) else {
        throw .unauthenticated("the token's tenant is no name of one")
      }
      tenant = name
    }
    let words = (claims["scope"] as? String ?? "").split(separator: " ")
    return Caller(
      tenant: tenant, subject: subject, scopes: Scopes(words: words),
      attributes: try Self.attributes(claims), issuedAt: try Self.moment("iat", claims),
      expiresAt: end, credential: credential)
  }

  private static func check(
    _ demands: TokenDemands, _ claims: [String: Any]
  ) throws(IdentityError) {
    if let issuer = demands.issuer {
      guard claims["iss"] as? String == issuer else {
        throw .unauthenticated("the token is of another issuer")
      }
    }
    guard let audience = demands.audience else { return }
    let named = (claims["aud"] as? String).map { [$0] } ?? claims["aud"] as? [String] ?? []
    guard named.contains(audience) else {
      throw .unauthenticated("the token is for another audience")
    }
  }

  /// A NumericDate; nil where the claim is absent.
  private static func moment(
    _ name: String, _ claims: [String: Any]
  ) throws(IdentityError) -> Instant? {
    guard let value = claims[name] else { return nil }
    guard let seconds = (value as? NSNumber)?.doubleValue, !JSONBoolean.isOne(value),
      seconds.magnitude < 1e12
    else { throw .unauthenticated("the token's \(name) is no time") }
    return Instant(milliseconds: Int64(seconds * 1000))
  }

  private static func attributes(
    _ claims: [String: Any]
  ) throws(IdentityError) -> [String: ClaimValue] {
    guard let value = claims["attributes"] else { return [:] }
    guard let object = value as? [String: Any], object.count <= maximumAttributes else {
      throw .unauthenticated("the token's attributes are no object of at most \(maximumAttributes)")
    }
    var out: [String: ClaimValue] = [:]
    for (name, value) in object {
      if let text = value as? String {
        out[name] = .string(text)
      } else if let number = value as? NSNumber {
        out[name] = JSONBoolean.isOne(value) ? .bool(number.boolValue) : .number(number.doubleValue)
      } else {
        throw .unauthenticated("the token's attributes are texts, numbers and booleans")
      }
    }
    return out
  }

  private static func decoded(_ part: ArraySlice<UInt8>) -> [UInt8]? {
    guard let text = String(validating: part, as: UTF8.self) else { return nil }
    return Base64URL.decode(text)
  }

  private static func object(_ json: [UInt8]) -> [String: Any]? {
    (try? JSONSerialization.jsonObject(with: Data(json))) as? [String: Any]
  }
}
