import GeoMath
import MoyeoAPI
import MoyeoServer
import ObjectModel
import Parties
import RideMatching
import Threading

extension TaxiPartyDoor {
  static let world = GeoBox(uncheckedWest: -180, south: -90, east: 180, north: 90)
  private static let standardLimit = 20
  /// Pages of the service that one page of posts may take, where some belong to other products.
  private static let maximumRounds = 16

  /// Parties around a place that take riders or are full, nearest first.
  func listNearby(
    _ request: DoorRequest, for reader: PostMessage.Reader, _ services: DoorServices
  ) async throws -> [UInt8] {
    let query = try TaxiQuery(request)
    let place: Coordinate
    do throws(PostTextError) {
      place = try PostText.longitudeLatitude(
        "\(try Self.text(query, "longitude")),\(try Self.text(query, "latitude"))")
    } catch {
      throw TaxiRefusal(error, field: "longitude and latitude")
    }
    let radius = try query.number("maxDistance")
    if let radius, radius < 0 {
      throw TaxiRefusal(.limitOutOfRange, "maxDistance is 0 or more, in meters")
    }
    let isDescending = query.form.scalar("sort_by") == "desc"
    return try await list(
      query, area: .around(place, radiusMeters: radius), isNearestFirst: !isDescending, for: reader,
      services)
  }

  private static func text(_ query: TaxiQuery, _ name: String) throws(PostTextError) -> String {
    guard let text = query.form.scalar(name), !text.contains(",") else { throw .notAPlace }
    return text
  }

  /// A page of what is in an area.
  ///
  /// - Parameters:
  ///   - query: Limit, cursor and product.
  ///   - area: Where.
  ///   - isNearestFirst: Otherwise the page is turned round; which parties it holds stays the same,
  ///     since a page is cut by distance.
  ///   - reader: Who asks.
  ///   - services: Where a long list is worked out.
  /// - Returns: The answer's body.
  /// - Throws: ``TaxiRefusal``.
  func list(
    _ query: TaxiQuery, area: PartySearchQuery.Area, isNearestFirst: Bool,
    for reader: PostMessage.Reader, _ services: DoorServices
  ) async throws -> [UInt8] {
    if query.isPastEnd { return message.page([], nextCursor: nil, to: reader) }
    let limit = try query.limit(
      maximum: parties.configuration.searchLimit, standard: Self.standardLimit)
    let product = query.product
    // No time: a cursor holds only for the same query, and what has left is not found anyway.
    var search = PartySearchQuery(area: area, limit: limit, cursor: query.cursor)
    var found: [Party] = []
    var rounds = 0
    repeat {
      rounds += 1
      search.limit = limit - found.count
      let page = try await self.page(search, services)
      found += page.parties.filter { PostMessage.belongs($0, to: product) }
      search.cursor = page.nextCursor
    } while found.count < limit && search.cursor != nil && rounds < Self.maximumRounds
    return message.page(
      isNearestFirst ? found : found.reversed(), nextCursor: search.cursor, to: reader)
  }

  private func page(
    _ search: PartySearchQuery, _ services: DoorServices
  ) async throws -> PartyPage {
    let parties = parties
    return try await services.read(steps: workPerRequest) { budget throws(DoorRefusal) in
      do throws(PartyServiceError) {
        return try parties.search(search, budget: budget)
      } catch {
        throw DoorRefusal(error)
      }
    }
  }

  /// Parties of a person, newest first, but for those that were called off.
  func listOfPerson(
    _ request: DoorRequest, _ person: PartyListQuery.Person, for reader: PostMessage.Reader,
    where belongs: (Party) -> Bool
  ) async throws -> [UInt8] {
    let query = try TaxiQuery(request)
    if query.isPastEnd { return message.page([], nextCursor: nil, to: reader) }
    let limit = try query.limit(
      maximum: parties.configuration.searchLimit, standard: Self.standardLimit)
    let product = query.product
    var list = PartyListQuery(
      person: person, states: [.open, .full, .departed, .ended], limit: limit,
      cursor: query.cursor)
    var found: [Party] = []
    var rounds = 0
    repeat {
      rounds += 1
      list.limit = limit - found.count
      let page: PartyPage
      do throws(PartyServiceError) {
        page = try await parties.list(list)
      } catch {
        throw TaxiRefusal(DoorRefusal(error))
      }
      found += page.parties.filter { belongs($0) && PostMessage.belongs($0, to: product) }
      list.cursor = page.nextCursor
    } while found.count < limit && list.cursor != nil && rounds < Self.maximumRounds
    return message.page(found, nextCursor: list.cursor, to: reader)
  }
}
