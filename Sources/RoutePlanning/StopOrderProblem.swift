public import GeoMath

/// A rider of a ``StopOrderProblem``.
public struct StopOrderRider: Hashable, Sendable {
  /// Where they get in; `nil` when they are aboard at the start.
  public let pickUp: Coordinate?
  /// Where they get out.
  public let dropOff: Coordinate
  /// The longest ride they accept, from their pick-up (or the start) on. May be infinite.
  public let maxRideSeconds: Double

  /// Makes a rider; without a pick-up they are aboard from the start.
  public init(
    pickUp: Coordinate?, dropOff: Coordinate, maxRideSeconds: Double = .infinity
  ) {
    self.pickUp = pickUp
    self.dropOff = dropOff
    self.maxRideSeconds = maxRideSeconds
  }
}

/// In which order to visit the riders' pick-ups and drop-offs.
public struct StopOrderProblem: Hashable, Sendable {
  /// Where the taxi stands; `nil` lets it begin at the best pick-up.
  public let start: Coordinate?
  /// Where it must end; `nil` lets it end at the last drop-off.
  public let end: Coordinate?
  /// Who is to be brought where.
  public let riders: [StopOrderRider]
  /// Start, different pick-ups, drop-offs one a rider, end: the rows of the travel matrix.
  public let places: [Coordinate]

  // Rows of `places`.
  let pickUpRows: Range<Int>
  let dropOffRows: Range<Int>
  /// The pick-up of each rider as an index into `pickUpRows`; `nil` aboard.
  let pickUpOfRider: [Int?]

  /// The most riders of one problem.
  public static let maximumRiders = 10
  /// The most different pick-ups and drop-offs together: 5 riders with pick-ups of their own.
  public static let maximumVisits = 10

  /// - Throws: ``StopOrderError``.
  public init(
    riders: [StopOrderRider], start: Coordinate? = nil, end: Coordinate? = nil
  ) throws(StopOrderError) {
    guard !riders.isEmpty else { throw .noRiders }
    guard riders.count <= Self.maximumRiders else {
      throw .tooManyRiders(riders.count, maximum: Self.maximumRiders)
    }
    var pickUps: [Coordinate] = []
    var pickUpOfRider: [Int?] = []
    for (index, rider) in riders.enumerated() {
      guard rider.maxRideSeconds >= 0 else {
        throw .badLimit(rider: index, seconds: rider.maxRideSeconds)
      }
      guard let pickUp = rider.pickUp else {
        guard start != nil else { throw .aboardWithoutStart(rider: index) }
        pickUpOfRider.append(nil)
        continue
      }
      if let known = pickUps.firstIndex(of: pickUp) {
        pickUpOfRider.append(known)
      } else {
        pickUpOfRider.append(pickUps.count)
        pickUps.append(pickUp)
      }
    }
    guard pickUps.count + riders.count <= Self.maximumVisits else {
      throw .tooManyVisits(pickUps.count + riders.count, maximum: Self.maximumVisits)
    }
    self.start = start
    self.end = end
    self.riders = riders
    self.pickUpOfRider = pickUpOfRider
    let first = start == nil ? 0 : 1
    pickUpRows = first..<(first + pickUps.count)
    dropOffRows = pickUpRows.upperBound..<(pickUpRows.upperBound + riders.count)
    places =
      (start.map { [$0] } ?? []) + pickUps + riders.map(\.dropOff) + (end.map { [$0] } ?? [])
  }
}

/// The best order.
public struct StopOrder: Hashable, Sendable {
  /// One halt of the taxi.
  public enum Visit: Hashable, Sendable {
    /// All riders (by index) who wait at one place get in.
    case pickUp(riders: [Int])
    /// One rider (by index) gets out.
    case dropOff(rider: Int)
  }

  /// Pick-ups and drop-offs in order.
  public let visits: [Visit]
  /// Rows of ``StopOrderProblem/places``, start and end included.
  public let rows: [Int]
  /// Between neighbouring rows: one fewer than `rows`.
  public let legs: [RouteLeg]
  /// By rider, from pick-up (or start) to drop-off.
  public let rideSeconds: [Double]
  /// How far each rider rides, in the order of the riders.
  public let rideMeters: [Double]

  /// The sum over all legs.
  public var durationSeconds: Double { legs.reduce(0) { $0 + $1.durationSeconds } }
  /// The sum over all legs.
  public var distanceMeters: Double { legs.reduce(0) { $0 + $1.distanceMeters } }
}

/// Why a problem cannot be posed.
public enum StopOrderError: Error, Hashable, Sendable {
  case noRiders
  case tooManyRiders(Int, maximum: Int)
  /// Too many different pick-ups and drop-offs for an exact answer in time.
  case tooManyVisits(Int, maximum: Int)
  /// A longest ride that is negative or not a number.
  case badLimit(rider: Int, seconds: Double)
  /// A rider aboard at the start of a problem that has no start.
  case aboardWithoutStart(rider: Int)
  /// Not square, or with negative, infinite or missing numbers.
  case badMatrix
  /// The matrix has not one row a place.
  case wrongMatrixSize(Int, places: Int)
}
