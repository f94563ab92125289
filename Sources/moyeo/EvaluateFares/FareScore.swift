/// How far fares are from recorded ones, over some trips.
struct FareScore {
  private(set) var rows = 0
  private(set) var used = 0
  private var exact = 0
  private var withinOneStep = 0
  private var withinTenPercent = 0
  private var withinRange = 0
  private var errorSum: Int64 = 0
  private var errors: [Int64: Int] = [:]
  private var widths: [Int64: Int] = [:]

  /// A row that was read, used or not.
  mutating func count() { rows += 1 }

  mutating func add(expected: Int64, low: Int64, high: Int64, recorded: Int64, step: Int64) {
    used += 1
    let error = abs(expected - recorded)
    if error == 0 { exact += 1 }
    if error <= step { withinOneStep += 1 }
    if error * 10 <= recorded { withinTenPercent += 1 }
    if low <= recorded && recorded <= high { withinRange += 1 }
    errorSum += error
    errors[error, default: 0] += 1
    widths[high - low, default: 0] += 1
  }

  /// Names and values as they are printed: counts, shares of `used`, money in major units.
  func fields(minorUnitDigits: Int) -> [(name: String, value: Double, isCount: Bool)] {
    let scale = (0..<minorUnitDigits).reduce(1.0) { value, _ in value * 10 }
    func share(_ count: Int) -> Double { used == 0 ? 0 : Double(count) / Double(used) }
    return [
      ("rows", Double(rows), true),
      ("used", Double(used), true),
      ("exact", share(exact), false),
      ("withinOneStep", share(withinOneStep), false),
      ("withinTenPercent", share(withinTenPercent), false),
      ("meanAbsoluteError", used == 0 ? 0 : Double(errorSum) / Double(used) / scale, false),
      ("medianAbsoluteError", median(errors) / scale, false),
      ("withinRange", share(withinRange), false),
      ("medianRangeWidth", median(widths) / scale, false),
    ]
  }

  private func median(_ histogram: [Int64: Int]) -> Double {
    var left = used
    guard left > 0 else { return 0 }
    let sorted = histogram.sorted { $0.key < $1.key }
    // The mean of the two middle values.
    var values: [Int64] = []
    let wanted = [(left - 1) / 2, left / 2]
    left = 0
    for (value, count) in sorted {
      left += count
      while values.count < 2 && wanted[values.count] < left { values.append(value) }
    }
    return Double(values.reduce(0, +)) / 2
  }
}
