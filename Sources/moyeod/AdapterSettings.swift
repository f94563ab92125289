import FareEstimation
import Identity
import LiveLayers
import MoyeoAdapters
import MoyeoServer
import Parties
import Places
import Tickets

/// Which apps are spoken to in their own dialect, and how.
struct AdapterSettings: Sendable {
  enum Name: String, Sendable, CaseIterable {
    case studyQueue = "study-queue"
    case taxiParty = "taxi-party"
    case messenger
  }

  static let key = "adapters"

  var names: [Name] = []
  var profileLayer = "users"
  var serviceKey: String?
  var takesDevelopmentTokens = false
  var speaksMessengerAlways = false

  /// The words of a list with commas.
  static func words(_ text: String) -> [String] {
    text.split(separator: ",", omittingEmptySubsequences: false).map { word in
      String(word.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
  }

  /// - Parameters:
  ///   - values: The settings.
  ///   - host: Where the daemon listens.
  ///   - identity: How callers are told apart.
  ///   - hasParties: Whether parties are served.
  ///   - hasTickets: Whether tickets are served.
  /// - Returns: No adapter unless one is named.
  /// - Throws: ``SettingError``.
  static func read(
    _ values: Values, host: String, identity: AuthSettings, hasParties: Bool, hasTickets: Bool
  ) async throws -> AdapterSettings {
    var out = AdapterSettings()
    let words = (try await values.list(key) ?? []).flatMap(words)
    for word in words where words != [""] {
      guard let name = Name(rawValue: word) else {
        let known = Name.allCases.map(\.rawValue).joined(separator: ", ")
        throw SettingError(key: key, problem: "knows \(known), but not \"\(word)\"")
      }
      guard !out.names.contains(name) else {
        throw SettingError(key: key, problem: "names \(word) twice")
      }
      out.names.append(name)
    }
    if let layer = try await values.string("dialects.profileLayer") {
      guard LayerName.isValid(layer) else {
        throw SettingError(key: "dialects.profileLayer", problem: "\"\(layer)\" is no layer name")
      }
      out.profileLayer = layer
    }
    if let key = try await values.string("dialects.serviceKey"), !key.isEmpty {
      out.serviceKey = key
    }
    out.takesDevelopmentTokens = try await values.bool("dialects.developmentTokens") ?? false
    out.speaksMessengerAlways = try await values.bool("dialects.messengerAlways") ?? false
    try out.check(
      host: host, identity: identity, hasParties: hasParties, hasTickets: hasTickets)
    return out
  }

  private func check(
    host: String, identity: AuthSettings, hasParties: Bool, hasTickets: Bool
  ) throws(SettingError) {
    if names.contains(.studyQueue), !hasTickets {
      throw SettingError(key: Self.key, problem: "study-queue needs tickets.enabled")
    }
    if names.contains(.taxiParty), !hasParties {
      throw SettingError(key: Self.key, problem: "taxi-party needs parties.enabled")
    }
    // Whoever reaches the port could be anybody.
    let believesTokens = names.contains(.studyQueue) || names.contains(.taxiParty)
    guard !believesTokens || identity.mode == .tokens || LoopbackHost.contains(host) else {
      throw SettingError(
        key: Self.key,
        problem: "takes a token for its user's id, so host must be of loopback; it is \(host)")
    }
    guard identity.mode == .open || !takesDevelopmentTokens else {
      throw SettingError(
        key: "dialects.developmentTokens", problem: "is for auth.mode open: they are not signed")
    }
  }

  /// The doors that are named. Tokens are the authenticator's, or in open mode, without one, the
  /// doors' own.
  func makeDoors(
    authenticator: Authenticator?,
    layers: LayerRegistry, fares: FareEstimator, parties: PartyService?, tickets: TicketService?,
    places: PlaceService?
  ) -> [any HTTPDoor] {
    let own: any TokenVerifier =
      takesDevelopmentTokens
      ? DevelopmentTokenVerifier(maximumBytes: layers.limits.idBytes)
      : OpenTokenVerifier(maximumBytes: layers.limits.idBytes)
    let verifier: any TokenVerifier = authenticator ?? own
    let profiles = ProfileSource(layers: layers, layerName: profileLayer)
    return names.compactMap { name in
      switch name {
      case .studyQueue:
        tickets.map { tickets -> any HTTPDoor in
          StudyQueueDoor(
            tickets: tickets, verifier: verifier, profiles: profiles,
            workPerRequest: layers.limits.workPerRequest, clock: layers.clock)
        }
      case .taxiParty:
        parties.map { parties -> any HTTPDoor in
          TaxiPartyDoor(
            parties: parties, fares: fares, verifier: verifier,
            verifiesCallers: authenticator != nil, profiles: profiles,
            places: places.map {
              ServicePlaceNames(service: $0, workPerRequest: layers.limits.workPerRequest)
            }, serviceKey: serviceKey, workPerRequest: layers.limits.workPerRequest,
            clock: layers.clock)
        }
      case .messenger: MessengerDialect(speaksAlways: speaksMessengerAlways)
      }
    }
  }
}
