import ObjectModel
import TaxiFares

/// The fare bounds of the parties of an index, each as long as one of them needs it.
struct FareBoundsTable: Sendable {
  /// What a party without bounds has.
  static let none = UInt32.max

  /// Who needs something.
  private struct Users: Sendable {
    var key: FareBounds.Key
    var count = 0
    var amounts: FareAmounts.Key?
  }

  private var numbers: [FareBounds.Key: UInt32] = [:]
  /// By number; nil where none has it.
  private(set) var bounds: [FareBounds?] = []
  private var users: [Users] = []
  private var free: [UInt32] = []
  /// With the number of bounds that share them.
  private var amounts: [FareAmounts.Key: (amounts: FareAmounts, count: Int)] = [:]

  /// From so many parties on amounts mind the pace of a ride.
  private static let many = 16

  /// Finds bounds for one more party.
  ///
  /// - Parameters:
  ///   - key: Whose bounds.
  ///   - ride: Some party of the key, for its tariff and its profile.
  /// - Returns: Their number, until ``release(_:)`` has been called as often.
  mutating func retain(_ key: FareBounds.Key, _ ride: PreparedRide) -> UInt32 {
    let number = numbers[key] ?? free.popLast() ?? UInt32(bounds.count)
    let place = Int(number)
    if place == bounds.count {
      bounds.append(nil)
      users.append(Users(key: key))
    }
    if bounds[place] == nil {
      users[place] = Users(key: key)
      numbers[key] = number
    }
    users[place].count += 1
    if users[place].count == Self.many, users[place].amounts == nil {
      users[place].amounts = retainAmounts(key, ride)
      bounds[place] = nil
    }
    if bounds[place] == nil {
      let shared = users[place].amounts.flatMap { amounts[$0]?.amounts }
      bounds[place] = FareBounds(ride, key, amounts: shared)
    }
    return number
  }

  private mutating func retainAmounts(
    _ key: FareBounds.Key, _ ride: PreparedRide
  ) -> FareAmounts.Key {
    let meter = FareBounds.meter(ride, key)
    let shared = FareAmounts.Key(meter, slot: key.slot)
    let known =
      amounts[shared]?.amounts
      ?? FareAmounts(meter, holdSeconds: FareBounds.holdSeconds(meter, key.slot))
    amounts[shared, default: (known, 0)].count += 1
    return shared
  }

  mutating func release(_ number: UInt32) {
    guard number != Self.none else { return }
    let place = Int(number)
    users[place].count -= 1
    guard users[place].count == 0 else { return }
    if let shared = users[place].amounts {
      amounts[shared]?.count -= 1
      if amounts[shared]?.count == 0 { amounts[shared] = nil }
    }
    numbers[users[place].key] = nil
    bounds[place] = nil
    free.append(number)
  }
}
