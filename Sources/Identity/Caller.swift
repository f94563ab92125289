package import ObjectModel
import Synchronization

/// What a token allows, as its claim `scope` names it.
package struct Scopes: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let read = Scopes(rawValue: 1)
  /// Positions are reported and removed.
  package static let report = Scopes(rawValue: 2)
  /// Parties and tickets are changed.
  package static let command = Scopes(rawValue: 4)
  /// The caller is a server that acts for its users, and sees what concerns them.
  package static let service = Scopes(rawValue: 8)
  /// The calls of the operator, which have a listener of their own.
  package static let admin = Scopes(rawValue: 16)
  package static let all: Scopes = [.read, .report, .command, .service, .admin]

  private static let words: [(word: String, scope: Scopes)] = [
    ("read", .read), ("report", .report), ("command", .command), ("service", .service),
    ("admin", .admin),
  ]

  /// The scopes among some words; words that are none of them are another service's.
  package init(words: some Sequence<some StringProtocol>) {
    self = []
    for word in words {
      for known in Self.words where known.word == word { insert(known.scope) }
    }
  }

  /// The words of all that are in it.
  package var names: [String] { Self.words.filter { contains($0.scope) }.map(\.word) }

  /// The first word that names no scope; nil when all do.
  package static func unknownWord(in words: [String]) -> String? {
    words.first { word in !Self.words.contains { $0.word == word } }
  }
}

/// What a claim may say of a person.
package enum ClaimValue: Hashable, Sendable {
  case string(String)
  case number(Double)
  case bool(Bool)
}

/// What vouches for a caller and may be withdrawn: an API key, or a key that signs tokens.
package final class Credential: Sendable {
  private let revoked = Atomic(false)

  package init() {}

  package var isRevoked: Bool { revoked.load(ordering: .relaxed) }

  /// Ends every caller for whom it vouches.
  package func revoke() { revoked.store(true, ordering: .relaxed) }
}

/// Who calls, once the token has been verified: the tenant, the person or server, and what they may.
package final class Caller: Sendable {
  /// What a caller is to the people whom calls are about.
  package enum Role: String, Hashable, Sendable, CaseIterable {
    /// Nobody is asked who they are: everything is allowed.
    case open
    /// A person, who acts for themselves alone.
    case user
    /// A server, which acts for its users.
    case service
  }

  /// The tenant of open mode and of a token that names none.
  package static let defaultTenant = "default"
  /// Everybody, in open mode.
  package static let open = Caller(
    role: .open, tenant: defaultTenant, subject: nil, scopes: .all, attributes: [:],
    issuedAt: nil, expiresAt: .distantFuture, credential: Credential())

  package let role: Role
  package let tenant: String
  /// Whose token it is; nil for an API key.
  package let subject: String?
  /// The id of the API key; nil for a token.
  package let keyID: String?
  package let scopes: Scopes
  /// What the token says of its subject, for policies to read.
  package let attributes: [String: ClaimValue]
  package let issuedAt: Instant?
  /// From then on the caller is nobody's.
  package let expiresAt: Instant
  private let credential: Credential

  /// - Parameters:
  ///   - tenant: Whose layers, parties and tickets are meant.
  ///   - subject: Whose token it is; nil for an API key.
  ///   - scopes: Those with `service` make a server of the caller, all others a person.
  ///   - attributes: What policies may read of the subject.
  ///   - issuedAt: When the token was made, where it says so.
  ///   - expiresAt: Clock skew included.
  ///   - keyID: The id of the API key, where it is one.
  ///   - credential: What vouches for the caller.
  package convenience init(
    tenant: String = Caller.defaultTenant, subject: String?, scopes: Scopes,
    attributes: [String: ClaimValue] = [:], issuedAt: Instant? = nil,
    expiresAt: Instant = .distantFuture, keyID: String? = nil,
    credential: Credential = Credential()
  ) {
    self.init(
      role: scopes.contains(.service) ? .service : .user, tenant: tenant, subject: subject,
      scopes: scopes, attributes: attributes, issuedAt: issuedAt, expiresAt: expiresAt,
      keyID: keyID, credential: credential)
  }

  private init(
    role: Role, tenant: String, subject: String?, scopes: Scopes,
    attributes: [String: ClaimValue], issuedAt: Instant?, expiresAt: Instant,
    keyID: String? = nil, credential: Credential
  ) {
    self.role = role
    self.keyID = keyID
    self.tenant = tenant
    self.subject = subject
    self.scopes = scopes
    self.attributes = attributes
    self.issuedAt = issuedAt
    self.expiresAt = expiresAt
    self.credential = credential
  }

  /// Why the caller is nobody's any more; nil while the token holds.
  package func refusal(now: Instant) -> IdentityError? {
    if credential.isRevoked { return .unauthenticated("the token has been withdrawn") }
    return now < expiresAt ? nil : .tokenExpired
  }

  /// The same caller with some of the scopes only, as a person.
  package func narrowed(to scopes: Scopes) -> Caller {
    Caller(
      role: role == .open ? .open : .user, tenant: tenant, subject: subject,
      scopes: self.scopes.intersection(scopes), attributes: attributes, issuedAt: issuedAt,
      expiresAt: expiresAt, keyID: keyID, credential: credential)
  }

  /// What tells callers of one tenant apart: for idempotency keys, sessions and quotas.
  package var name: String {
    switch role {
    case .open: ""
    case .user: subject ?? ""
    case .service: "service:" + (subject ?? "")
    }
  }
}

/// Why a token makes nobody of its bearer.
package enum IdentityError: Error, Hashable, Sendable {
  /// There is no token, or it never was one of this service; the sentence says what is wrong.
  case unauthenticated(String)
  /// It held once.
  case tokenExpired
}

/// The rule for names of tenants: `[a-z0-9][a-z0-9_-]{0,62}`.
package enum TenantName {
  package static func isValid(_ name: String) -> Bool {
    let bytes = name.utf8
    guard (1...63).contains(bytes.count), let first = bytes.first else { return false }
    return isLetterOrDigit(first)
      && bytes.allSatisfy {
        isLetterOrDigit($0) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-")
      }
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
      || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
