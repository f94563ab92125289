import DurableCommands
package import FareEstimation
import Foundation
package import Identity
import MoyeoAPI
package import MoyeoServer
package import ObjectModel
package import Parties
import RideMatching
import WireFormat

/// The taxi-party app's posts, over ``PartyService``: a post is a party, a like is a seat. It
/// translates, and every rule is the service's.
package struct TaxiPartyDoor: HTTPDoor {
  let parties: PartyService
  let fares: FareEstimator
  let verifier: any TokenVerifier
  /// Whether tokens are verified: then the map provider's calls, which come with the provider's key,
  /// need a person's token too, and people see of others' parties what the service's own calls show.
  let verifiesCallers: Bool
  let profiles: ProfileSource
  let clock: any WallClock
  /// Steps of work that one list may cost.
  let workPerRequest: Int
  /// What the header `SesacKey` must carry; nil: anything.
  let serviceKey: String?
  let places: (any PlaceNames)?
  let message: PostMessage
  let fingerprints = RequestFingerprints()
  let searches = NewestSearches()

  private static let titleBytes = 256
  private static let productBytes = 64
  private static let fieldBytes = 1024

  package let calls = TaxiCall.names
  package let maximumRequestBytes = 64 * 1024

  /// Makes the door; it keeps the fingerprints of a minute's writes and lists on their way.
  ///
  /// - Parameters:
  ///   - parties: Who makes, joins and leaves parties.
  ///   - fares: Prices a way and knows its route.
  ///   - verifier: Whose access token the header `Authorization` carries.
  ///   - verifiesCallers: Whether tokens are verified; in open mode they are believed, and everybody
  ///     sees everything.
  ///   - profiles: What the backend reports of people.
  ///   - places: Names of places; nil: those calls are unknown.
  ///   - serviceKey: What the header `SesacKey` must carry; nil: anything.
  ///   - workPerRequest: Steps of work that one list may cost.
  ///   - clock: The service's.
  package init(
    parties: PartyService, fares: FareEstimator, verifier: any TokenVerifier,
    verifiesCallers: Bool = false, profiles: ProfileSource, places: (any PlaceNames)? = nil,
    serviceKey: String? = nil,
    workPerRequest: Int, clock: any WallClock
  ) {
    self.parties = parties
    self.fares = fares
    self.verifier = verifier
    self.verifiesCallers = verifiesCallers
    self.profiles = profiles
    self.places = places
    self.serviceKey = serviceKey
    self.workPerRequest = workPerRequest
    self.clock = clock
    message = PostMessage(profiles: profiles)
  }

  package func owns(path: String) -> Bool {
    TaxiCall.roots.contains { DoorPath.stands(path, under: $0) }
  }

  package func speaks(path: String, header: (String) -> String?) -> Bool { owns(path: path) }

  package func answer(refusing refusal: DoorRefusal, path: String) -> DoorAnswer {
    answer(.unknown, refusing: TaxiRefusal(refusal))
  }

  package func answer(_ request: DoorRequest, _ services: DoorServices) async -> DoorAnswer {
    let call = TaxiCall.match(method: request.method, path: request.path)
    do {
      let body = try await carryOut(call, request, services)
      return DoorAnswer(call: call.name, status: 200, body: body)
    } catch let refusal as TaxiRefusal {
      return answer(call, refusing: refusal)
    } catch let refusal as DoorRefusal {
      return answer(call, refusing: TaxiRefusal(refusal))
    } catch {
      return answer(call, refusing: TaxiRefusal(.deadlineExceeded, "the caller has left"))
    }
  }

  private func answer(_ call: TaxiCall, refusing refused: TaxiRefusal) -> DoorAnswer {
    let refusal = refused.refusal
    let body = JSONWriter.object { out in
      if let code = refused.directionsCode { out.integer("code", Int64(code)) }
      out.string("message", refusal.message)
      out.string("reason", refusal.reason.rawValue)
      if let retry = refusal.retryAfterMilliseconds { out.integer("retry_after_ms", retry) }
    }
    return DoorAnswer(
      call: call.name, status: refused.status, body: body, reason: refusal.reason,
      retryAfterMilliseconds: refusal.retryAfterMilliseconds)
  }

  // MARK: - Who calls

  /// The key first, then the token, and both before anything has an effect.
  private func caller(_ request: DoorRequest) throws(TaxiRefusal) -> String {
    guard let header = request.header("authorization") else {
      throw TaxiRefusal(.unauthenticated, "the header Authorization is missing")
    }
    let token = header.hasPrefix("Bearer ") ? String(header.dropFirst(7)) : header
    guard !token.isEmpty else {
      throw TaxiRefusal(.unauthenticated, "the header Authorization is empty")
    }
    switch verifier.verify(token, now: clock.now()) {
    case .caller(let caller):
      do { return try DoorCaller.person(caller) } catch {
        throw TaxiRefusal(error.reason, error.message)
      }
    case .expired: throw TaxiRefusal(.tokenExpired, "the access token has expired: refresh it")
    case .refreshExpired:
      throw TaxiRefusal(
        .tokenExpired, "the refresh token has expired too: sign in again",
        status: TaxiStatus.refreshTokenExpired)
    case .invalid:
      throw TaxiRefusal(.unauthenticated, "the access token is no token of this service")
    }
  }

  private func checkKey(_ request: DoorRequest, isRequired: Bool) throws(TaxiRefusal) {
    guard let serviceKey else { return }
    let sent = request.header("sesackey")
    guard sent == serviceKey || (sent == nil && !isRequired) else {
      throw TaxiRefusal(
        .forbidden, "the header SesacKey is not this service's", status: TaxiStatus.badKey)
    }
  }

  // MARK: - Calls

  private func carryOut(
    _ call: TaxiCall, _ request: DoorRequest, _ services: DoorServices
  ) async throws -> [UInt8] {
    guard call != .unknown else {
      throw TaxiRefusal(.unknownRoute, "there is no call of this method and path")
    }
    try checkKey(request, isRequired: !call.isOfMapProvider)
    if call.isOfMapProvider {
      let userID = verifiesCallers ? try caller(request) : nil
      try services.charge(method: request.method, userID: userID)
      return try await mapAnswer(call, request, services)
    }
    let userID = try caller(request)
    try services.charge(method: request.method, userID: userID)
    switch call {
    case .create: return try await create(userID, request)
    case .like(let id): return try await like(id, userID, request)
    case .one(let id): return message.post(try await party(id), to: reader(userID))
    case .list:
      let query = try TaxiQuery(request)
      return try await list(
        query, area: .box(Self.world), isNearestFirst: true, for: reader(userID), services)
    case .listNearby:
      // A further page is no new viewport.
      guard try TaxiQuery(request).cursor == nil else {
        return try await listNearby(request, for: reader(userID), services)
      }
      return try await searches.answer(call.name, of: userID, services) {
        try await listNearby(request, for: reader(userID), services)
      }
    case .listHosted(let hostID):
      let hostID = try Self.id(hostID)
      guard !verifiesCallers || hostID == userID else {
        throw TaxiRefusal(.forbidden, "a person's posts are listed to that person alone")
      }
      return try await listOfPerson(request, .host(hostID), for: reader(userID)) { _ in true }
    case .listMine:
      return try await listOfPerson(request, .rider(userID), for: reader(userID)) {
        $0.hostID != userID
      }
    case .driving, .geocode, .reverseGeocode, .keyword, .unknown:
      preconditionFailure("answered before")
    }
  }

  private func reader(_ userID: String) -> PostMessage.Reader {
    verifiesCallers ? .person(userID) : .everything
  }

  private func party(_ id: String) async throws(TaxiRefusal) -> Party {
    do throws(PartyServiceError) {
      return try await parties.get(try Self.id(id))
    } catch {
      throw TaxiRefusal(DoorRefusal(error))
    }
  }

  /// - Throws: `badField`, so that it reads like every refusal of the service.
  static func id(_ id: String) throws(PartyServiceError) -> String {
    guard (1...128).contains(id.utf8.count) else {
      throw .badField("id", message: "has 1 to 128 bytes")
    }
    return id
  }

  private func create(_ userID: String, _ request: DoorRequest) async throws -> [UInt8] {
    let command = try createCommand(userID, try TaxiBody(request))
    // The app sends no key, and its interceptor repeats the call after a refresh.
    let now = clock.now()
    let key = fingerprints.key(
      caller: userID, path: request.path, body: request.body, now: now)
    return message.post(
      try await carryOut { () async throws(PartyServiceError) in
        try await parties.create(command, request.command(of: userID, key: key, now: now))
      }, to: reader(userID))
  }

  private func createCommand(
    _ userID: String, _ body: TaxiBody
  ) throws(TaxiRefusal) -> CreateParty {
    func place(_ name: String) throws(TaxiRefusal) -> RidePlace {
      let text = try body.required(name, maximumBytes: Self.fieldBytes)
      do throws(PostTextError) {
        let place = try PostText.place(text)
        return RidePlace(name: place.name, coordinate: place.coordinate)
      } catch {
        throw TaxiRefusal(error, field: name)
      }
    }
    let origin = try place("content")
    let destination = try place("content1")
    guard let seats = Int(try body.required("content2", maximumBytes: 16)) else {
      throw TaxiRefusal(.malformedRequest, "content2 is how many people ride, such as \"3\"")
    }
    let departureText = try body.required("content3", maximumBytes: 64)
    let departure: Instant
    do throws(PostTextError) {
      departure = try PostText.time(departureText)
    } catch {
      throw TaxiRefusal(error, field: "content3")
    }
    var attributes = profiles.profile(of: userID).attributes
    attributes[PostMessage.Attribute.departure] = departureText
    if let title = try body.text("title", maximumBytes: Self.titleBytes) {
      attributes[PostMessage.Attribute.title] = title
    }
    var product = try body.text("product_id", maximumBytes: Self.productBytes)
    if product == nil { product = try body.text("category", maximumBytes: Self.productBytes) }
    var tags: [String] = []
    if let product, !product.isEmpty {
      attributes[PostMessage.Attribute.product] = product
      let tag = TagNormalization.normalize(product)
      if (1...Self.productBytes).contains(tag.utf8.count) { tags = [tag] }
    }
    return CreateParty(
      hostID: userID, origin: origin, destination: destination,
      window: DepartureWindow(time: departure), attributes: attributes, seats: seats, tags: tags)
  }

  /// A like sets a state: liked means aboard.
  private func like(
    _ postID: String, _ userID: String, _ request: DoorRequest
  ) async throws -> [UInt8] {
    let wants = try TaxiBody(request).bool("like_status")
    let party = try await party(postID)
    let now = clock.now()
    if party.hostID == userID {
      // The host is aboard anyway, and a double tap must not end the party for everyone.
      guard wants else {
        throw TaxiRefusal(
          .hostNotRemovable, "the host is not aboard by a like and does not leave by one")
      }
    } else if wants {
      let attributes = PostMessage.kept(party)
        .merging(profiles.profile(of: userID).attributes) { _, own in own }
      let command = JoinParty(riderID: userID, attributes: attributes)
      _ = try await carryOut { () async throws(PartyServiceError) in
        try await parties.join(
          partyID: postID, command, request.command(of: userID, now: now))
      }
    } else {
      _ = try await carryOut { () async throws(PartyServiceError) in
        try await parties.leave(
          partyID: postID, riderID: userID, request.command(of: userID, now: now))
      }
    }
    return JSONWriter.object { $0.bool("like_status", wants) }
  }

  private func carryOut(
    _ command: () async throws(PartyServiceError) -> PartyAnswer
  ) async throws(TaxiRefusal) -> Party {
    do throws(PartyServiceError) {
      return try await command().party
    } catch {
      throw TaxiRefusal(DoorRefusal(error))
    }
  }
}
