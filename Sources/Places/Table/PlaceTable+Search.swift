import GeoMath
import LiveLayers
import ObjectModel
import SpatialIndexing

extension PlaceTable {
  /// Candidates of one step of a search without a position that are looked at; the first of them are
  /// all there is. With a position all are ranked.
  static let candidateLimit = 1024
  /// Reading where a candidate is costs so much less than finding the next nearest place: with more
  /// candidates than that, the places around the position are looked through for them.
  static let readsPerVisit = 3
  /// Places that are looked through at the least.
  static let smallestPage = 64
  /// Terms whose places are noted in the time of a step.
  static let termsPerStep = 16

  /// Finds places by name, best match first, then nearest, then by id.
  ///
  /// - Throws: ``PlaceError``.
  func search(
    _ search: PlaceSearch, budget: inout WorkBudget
  ) throws(PlaceError) -> [Place] {
    let query = PlaceQuery(search.text)
    guard !query.isEmpty, search.limit > 0 else { return [] }
    followBeforeSearch()
    var run = PlaceSearchRun(table: self, search: search, query: query, now: layers.clock.now())
    for step in PlaceTerms.steps(for: query) where !run.isFilled {
      try run.carryOut(step, &budget)
    }
    return run.places()
  }

  /// Names the places at a position, nearest first.
  ///
  /// - Throws: ``PlaceError``.
  func reverse(
    _ question: ReversePlaceSearch, budget: inout WorkBudget
  ) throws(PlaceError) -> [Place] {
    let now = layers.clock.now()
    var found: [(place: Place, distanceMillimeters: Int64)] = []
    for name in layerNames {
      guard let layer = try? layers.layer(name) else { continue }
      var filter = SearchFilter()
      filter.payloadPredicate = { PlaceObject.isPlace($0) }
      let query = NearestQuery(
        latitude: question.position.latitude, longitude: question.position.longitude,
        limit: question.limit, filter: filter, readsRecords: true)
      try spend(&budget, cost: 2) { work in
        layer.index.nearest(query, now: now, work: &work) { hit in
          guard let object = PlaceObject(payload: hit.payload) else { return }
          let place = object.place(hit, distanceMillimeters: hit.distanceMillimeters)
          found.append((place, hit.distanceMillimeters))
        }
      }
    }
    guard layerNames.count > 1 else { return found.map(\.place) }
    found.sort { a, b in
      a.distanceMillimeters != b.distanceMillimeters
        ? a.distanceMillimeters < b.distanceMillimeters : a.place.id.precedesAsBytes(b.place.id)
    }
    return found.prefix(question.limit).map(\.place)
  }

  /// Runs a search of the index that may do as much as is left.
  func spend(
    _ budget: inout WorkBudget, cost: Int = 1, _ search: (inout SearchWork) -> Void
  ) throws(PlaceError) {
    do throws(WorkBudget.Exhaustion) {
      try budget.searching(cost: cost, search)
    } catch {
      throw PlaceError(error)
    }
  }
}

extension PlaceError {
  init(_ exhaustion: WorkBudget.Exhaustion) {
    switch exhaustion {
    case .steps(let limit): self = .tooMuchWork(limit: limit, field: "q")
    case .deadlinePassed, .cancelled: self = .abandoned
    }
  }
}

extension String {
  /// The order of ids in answers; `<` of strings is another one.
  func precedesAsBytes(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }
}
