/// How far positions of people are blurred before anything is computed from them.
public struct ProtectionSettings: Hashable, Sendable {
  /// Meters along the side of the smallest cell; the service's default is 250.
  public var cellMeters: Double
  /// Meters along the side of the largest cell, ``cellMeters`` times a power of two.
  public var maximumCellMeters: Double
  /// A cell is doubled until it holds so many people, the person protected among them.
  public var people: Int
  /// How far beyond its cell a person is at least before the snapped point moves, meters.
  public var marginMeters: Double

  /// Makes settings; the standard ones are cells of 250 m to 2 km, 5 people and a margin of 50 m.
  public init(
    cellMeters: Double = 250, maximumCellMeters: Double = 2000, people: Int = 5,
    marginMeters: Double = 50
  ) {
    self.cellMeters = cellMeters
    self.maximumCellMeters = maximumCellMeters
    self.people = people
    self.marginMeters = marginMeters
  }

  /// How often a cell can be doubled.
  var doublings: Int {
    var count = 0
    while count < 8, cellMeters * Double(2 << count) <= maximumCellMeters + 1e-6 { count += 1 }
    return count
  }
}
