import GeoMath
package import ObjectModel

/// Places by name and names by place: the one value that the server, adapters and pages ask.
///
/// ```swift
/// let service = PlaceService(table: table, provider: provider)
/// let found = try await service.search(
///   PlaceSearch(text: "서울역", near: cityHall, radiusMeters: 5_000, limit: 5))
/// let names = try await service.reverse(ReversePlaceSearch(position: picked, limit: 1))
/// ```
/// The layers named by `places.layers` answer first (``PlaceTable``); a provider is asked only for
/// what is missing to `limit`, and its failure is counted and never thrown.
///
/// Safe to call from any thread. The own part of an answer takes up to a few milliseconds of the
/// calling thread, so event loops call ``search(_:own:)`` after ``ownPlaces(matching:budget:)`` ran
/// elsewhere.
package struct PlaceService: Sendable {
  package let table: PlaceTable
  package let provider: (any PlaceProvider)?
  private let onProviderFailure: @Sendable (_ reason: String) -> Void

  /// Puts a table and a provider together.
  ///
  /// - Parameters:
  ///   - table: Who is asked first.
  ///   - provider: Who is asked for what is missing; nil: nobody.
  ///   - onProviderFailure: Counts failures by their reason.
  package init(
    table: PlaceTable, provider: (any PlaceProvider)? = nil,
    onProviderFailure: @escaping @Sendable (_ reason: String) -> Void = { _ in }
  ) {
    self.table = table
    self.provider = provider
    self.onProviderFailure = onProviderFailure
  }

  /// Finds places by name: best match first, then nearest, then by id; a provider's follow.
  ///
  /// - Throws: ``PlaceError``; never for a provider's failure.
  package func search(
    _ search: PlaceSearch, budget: WorkBudget = .unlimited
  ) async throws(PlaceError) -> [Place] {
    await self.search(search, own: try ownPlaces(matching: search, budget: budget))
  }

  /// Names the places at a position, nearest first; a provider's follow.
  ///
  /// - Throws: ``PlaceError``; never for a provider's failure.
  package func reverse(
    _ question: ReversePlaceSearch, budget: WorkBudget = .unlimited
  ) async throws(PlaceError) -> [Place] {
    await reverse(question, own: try ownPlaces(at: question, budget: budget))
  }

  // MARK: - In two steps

  /// The part of ``search(_:budget:)`` that waits for nobody.
  package func ownPlaces(
    matching search: PlaceSearch, budget: WorkBudget = .unlimited
  ) throws(PlaceError) -> [Place] {
    var budget = budget
    return try table.search(search, budget: &budget)
  }

  /// The part of ``reverse(_:budget:)`` that waits for nobody.
  package func ownPlaces(
    at question: ReversePlaceSearch, budget: WorkBudget = .unlimited
  ) throws(PlaceError) -> [Place] {
    var budget = budget
    return try table.reverse(question, budget: &budget)
  }

  /// Fills up what the layers know from the provider.
  package func search(_ search: PlaceSearch, own: [Place]) async -> [Place] {
    guard own.count < search.limit, let provider else { return own }
    do throws(PlaceProviderFailure) {
      let more = try await provider.search(search)
      return filled(own, with: more, from: search.near, within: search.radiusMeters, search.limit)
    } catch {
      if !error.isCancelled { onProviderFailure(error.reason) }
      return own
    }
  }

  /// Fills up what the layers know near the position from the provider, nearest first.
  package func reverse(_ question: ReversePlaceSearch, own: [Place]) async -> [Place] {
    let near = own.filter { $0.distanceMeters.map { $0 <= Self.hereMeters } ?? false }
    guard near.count < question.limit, let provider else { return own }
    do throws(PlaceProviderFailure) {
      let more = try await provider.reverse(question)
      let all = filled(own, with: more, from: question.position, within: nil, .max)
      return Array(
        all.sorted { $0.distanceMeters ?? .infinity < $1.distanceMeters ?? .infinity }
          .prefix(question.limit))
    } catch {
      if !error.isCancelled { onProviderFailure(error.reason) }
      return own
    }
  }

  /// A place of the layers further away than this does not keep the provider from being asked what
  /// is at a position.
  static let hereMeters = 300.0
  /// Two places of one name this near are one place.
  static let samePlaceMeters = 150.0

  /// Own places, then those of the provider that are not among them, in the provider's order.
  private func filled(
    _ own: [Place], with more: [Place], from near: Coordinate?, within radiusMeters: Double?,
    _ limit: Int
  ) -> [Place] {
    var out = own
    let origin = near.map { DistanceOrigin($0) }
    for var place in more where out.count < limit {
      place.distanceMeters = origin?.meters(
        latitude: place.position.latitude, longitude: place.position.longitude)
      if let radiusMeters, let distance = place.distanceMeters, distance > radiusMeters { continue }
      let here = DistanceOrigin(place.position)
      let name = FoldedText(place.name).letters
      let isKnown = out.contains { known in
        here.meters(latitude: known.position.latitude, longitude: known.position.longitude)
          <= Self.samePlaceMeters && FoldedText(known.name).letters == name
      }
      if !isKnown { out.append(place) }
    }
    return out
  }
}
