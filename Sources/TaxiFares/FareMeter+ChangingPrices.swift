public import ObjectModel

/// Bounds of what a ride costs whose prices may change on the way, by what it costs at those of a departure: for
/// pruning, never for answers.
///
/// A metered fare is a base, steps, and surcharges once a trip; each of the three is compared. Steps fall evenly on
/// the time of a ride, but for those that the base pays for, which come first: of all steps no more are behind a
/// moment than of the time, and of the base as much again.
public struct PriceRange: Hashable, Sendable {
  /// Base and steps, as parts of those at the departure, at least and at most.
  let ratios: ClosedRange<Double>
  /// Surcharges once a trip at the departure, minor units, and any that there may be.
  let onceBefore: Int64
  let once: ClosedRange<Int64>
  /// By how much roundings, and whether a step is before a change or behind it, may make two bills differ at most
  /// beyond their sums, minor units.
  let rounding: Int64
  /// Whether the base costs at least as much as the steps that it pays for would, so that changes count for no more
  /// than the part of the time behind them.
  let baseIsWorthItsSteps: Bool

  /// The least that a ride costs.
  ///
  /// - Parameters:
  ///   - amount: What it costs at the departure's prices, or less, without call fee, in minor units.
  ///   - held: During which part of its time the departure's prices hold, or less; 0...1.
  /// - Returns: Minor units, without call fee.
  public func least(of amount: Double, held: Double = 0) -> Double {
    let metered = max(0, amount - Double(onceBefore)) * ratio(ratios.lowerBound, held)
    return max(0, metered + Double(once.lowerBound) - Double(rounding))
  }

  /// The most that a ride costs.
  ///
  /// - Parameters:
  ///   - amount: What it costs at the departure's prices, or more, without call fee, in minor units.
  ///   - held: As in ``least(of:held:)``.
  /// - Returns: Minor units, without call fee.
  public func most(of amount: Double, held: Double = 0) -> Double {
    let metered = (amount - Double(onceBefore)) * ratio(ratios.upperBound, held)
    return metered + Double(once.upperBound) + Double(rounding) * ratios.upperBound
  }

  private func ratio(_ changed: Double, _ held: Double) -> Double {
    1 + (changed - 1) * (baseIsWorthItsSteps ? 1 - held : 1)
  }
}

extension FareMeter {
  /// What a ride would cost if prices stayed as they are at the departure.
  ///
  /// - Parameters:
  ///   - distanceMeters: Its length.
  ///   - durationSeconds: Its time.
  ///   - isOutside: Whether all of it is priced as outside the tariff's area.
  /// - Returns: Nil where it cannot be priced and without ``isSteadyPriced``.
  public func unchanged(
    distanceMeters: Double, durationSeconds: Double, isOutside: Bool = false
  ) -> Total? {
    guard isSteadyPriced, let stretch = stretch(distanceMeters, durationSeconds) else { return nil }
    return steady(stretch, isOutside ? outside : inside)
  }

  /// How rides are priced that begin at the departure or later, compared with prices that stay as they are.
  ///
  /// - Parameters:
  ///   - last: The last moment at which one begins.
  ///   - end: The last moment at which one ends.
  /// - Returns: Nil where they cannot be compared: without ``isSteadyPriced``, or as something is free at the departure.
  public func priceRange(lastDeparture last: Instant, end: Instant) -> PriceRange? {
    guard isSteadyPriced, FareLimits.departures.contains(last), last >= departure, end >= last
    else { return nil }
    let prepared = tariff.prepared
    let before = active(through: last)
    let after = active(through: end)
    let along = prepared.bands.alongMask
    let increments = [0] + prepared.prices.longSteps.map(\.increment)
    var ratios = 1.0...1.0
    var leastOnce = Int64.max
    var stepChange: Int64 = 0
    for boarding in before {
      leastOnce = min(leastOnce, Self.once(prepared, boarding))
      for active in after {
        let mask = active & along | boarding & ~along
        for isOutside in [false, true] {
          let prices = Constants(prepared, boarding: boarding, along: mask, isOutside: isOutside)
          let known = isOutside ? outside : inside
          stepChange = max(stepChange, abs(prices.step - known.step))
          let steps = increments.map { (prices.step + $0, known.step + $0) }
          for (price, known) in [(prices.base, known.base)] + steps {
            guard price != known else { continue }
            guard known > 0 else { return nil }
            let ratio = Double(price) / Double(known)
            ratios = min(ratios.lowerBound, ratio)...max(ratios.upperBound, ratio)
          }
        }
      }
    }
    let all = before.union(after).reduce(0, |)
    return PriceRange(
      ratios: ratios, onceBefore: once, once: leastOnce...Self.once(prepared, all),
      rounding: roundings + stepChange, baseIsWorthItsSteps: baseIsWorthItsSteps)
  }

  /// The sets of surcharges that are in force at any moment from the departure on.
  private func active(through end: Instant) -> Set<UInt64> {
    let bands = tariff.prepared.bands
    guard bands.surchargeCount > 0 else { return [0] }
    var found: Set<UInt64> = [surcharges]
    var edge = bands.nextEdge(after: departure)
    while edge <= end {
      found.insert(bands.active(at: edge))
      edge = bands.nextEdge(after: edge)
    }
    return found
  }

  private var baseIsWorthItsSteps: Bool {
    let scale = tariff.prepared.scale
    return [inside, outside].allSatisfy {
      Double($0.step) * Double(scale.baseUnits) <= Double($0.base) * Double(scale.stepUnits)
    }
  }

  /// Whichever way a sum is rounded, two bills differ by one unit more than their sums at most.
  private var roundings: Int64 {
    let content = tariff.prepared.content
    let unit = content.finalRounding.unit
    return content.longDistance.reduce(unit > 1 ? unit : 0) { sum, rule in
      // Part of a discount is rounded to a minor unit as well.
      if case .discount(_, _, let unit) = rule { sum + unit + 1 } else { sum }
    }
  }
}
