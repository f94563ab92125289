/// The rides that a new rider may have in a party of several, by their legs at least and at most: the party
/// goes its way up to the halt after which the rider gets in, and goes on from where the rider gets out.
struct OutlinePlan {
  typealias Leg = BoardingBounds.Leg
  typealias Drive = BoardingBounds.Drive
  /// By halt: the road up to there, at least.
  typealias Reached = RideOutline.ByHalt<Double>

  let outline: RideOutline
  /// By halt: from there to where the rider gets in, and to where they get out; both as well back.
  let toPoint: RideOutline.ByHalt<Leg>
  let toDrop: RideOutline.ByHalt<Leg>
  /// From the one to the other.
  let own: Leg
  /// The rider's longest ride, meters of road.
  private let longest: Double
  /// By leg: the rider's part of it; behind the last halt nobody else rides.
  private let parts: RideOutline.ByHalt<ClosedRange<Double>>

  @inline(__always)
  init(
    _ outline: RideOutline, _ price: BoardingBounds.Price, own: Leg, longest: Double,
    toPoint: (Int) -> Leg, toDrop: (Int) -> Leg
  ) {
    self.outline = outline
    self.own = own
    self.longest = longest
    let nothing = Leg(road: 0...0, seconds: 0...0)
    self.toPoint = RideOutline.ByHalt { $0 < outline.count ? toPoint($0) : nothing }
    self.toDrop = RideOutline.ByHalt { $0 < outline.count ? toDrop($0) : nothing }
    parts = RideOutline.ByHalt {
      $0 < outline.count - 1 ? price.part(outline.aboard[$0]) : price.wholePart
    }
  }

  /// Goes from the halt before to a halt without the rider.
  ///
  /// - Returns: False where someone who gets out there has ridden too far.
  @inline(__always)
  func go(_ drive: inout Drive, to halt: Int, _ reached: inout Reached) -> Bool {
    drive.take(leg(halt - 1))
    return arrives(drive, halt, &reached)
  }

  /// Goes on to the halt behind the one given, with the rider aboard from where they get in.
  @inline(__always)
  func ride(
    _ drive: inout Drive, from halt: Int, boarding: Int, _ reached: inout Reached
  ) -> Bool {
    drive.ride(halt == boarding ? toPoint[halt + 1] : leg(halt), parts[halt])
    return arrives(drive, halt + 1, &reached)
  }

  /// The whole ride of a rider who is aboard and gets out before the next halt.
  ///
  /// - Returns: Nil where someone's longest ride is too short.
  @inline(__always)
  func drive(
    _ aboard: Drive, boarding: Int, alighting: Int, _ reached: inout Reached
  ) -> Drive? {
    var drive = aboard
    drive.ride(alighting == boarding ? own : toDrop[alighting], parts[alighting])
    guard alighting == boarding || drive.ownMeters <= longest else { return nil }
    guard alighting < outline.count - 1 else { return drive }
    drive.take(toDrop[alighting + 1])
    guard arrives(drive, alighting + 1, &reached) else { return nil }
    for halt in alighting + 2..<max(alighting + 2, outline.count) {
      guard go(&drive, to: halt, &reached) else { return nil }
    }
    return drive
  }

  @inline(__always)
  private func arrives(_ drive: Drive, _ halt: Int, _ reached: inout Reached) -> Bool {
    reached[halt] = drive.road.lowerBound
    let ridden = drive.road.lowerBound - reached[Int(outline.boards[halt])]
    return ridden <= Double(outline.limitMeters[halt])
  }

  /// The party's own, as precisely as it is kept.
  @inline(__always)
  private func leg(_ number: Int) -> Leg {
    let meters = Double(outline.legMeters[number])
    let seconds = Double(outline.legSeconds[number])
    return Leg(
      road: ClosedRange(uncheckedBounds: (meters - 0.01, meters + 0.01)),
      seconds: ClosedRange(uncheckedBounds: (max(0, seconds - 0.01), seconds + 0.01)))
  }
}
