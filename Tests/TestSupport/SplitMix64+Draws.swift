public import ObjectModel

extension SplitMix64 {
  /// Draws a number of a range, its upper bound excluded but for rounding.
  public mutating func real(_ range: ClosedRange<Double>) -> Double {
    range.lowerBound + unit() * (range.upperBound - range.lowerBound)
  }

  /// Draws a whole number of a range, both bounds included.
  public mutating func int(_ range: ClosedRange<Int>) -> Int {
    range.lowerBound + below(range.count)
  }

  /// Is true with a probability of 0 to 1.
  public mutating func chance(_ probability: Double) -> Bool { unit() < probability }

  /// Draws an item of a list that is not empty.
  public mutating func pick<T>(_ items: [T]) -> T { items[below(items.count)] }
}
