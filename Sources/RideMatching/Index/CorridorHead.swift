import GeoMath
import ObjectModel

/// The part of a row by which most rows are passed by, and by which those of one rider are priced: as long as a
/// line of a cache. Rounded so that it refuses nobody whom the rules would take.
struct CorridorHead: Sendable {
  /// Where the rider gets in, and the longest way from there to where they get out, through the Earth.
  let from: SIMD4<Float>
  /// Where they get out, and the party's path from end to end, through the Earth, where it is all between the
  /// two; else infinite. Places are within half a meter; bounds make up for it.
  let to: SIMD4<Float>
  /// Bits: where the window starts, seconds since 1970, the least or the greatest number for all beyond; how
  /// long it is, and how long from its start somebody may be met at most, 16 bits each. Then the rider's
  /// longest ride and what the others count together, as in ``CorridorRow``.
  let times: SIMD4<Float>
  /// What the others pay together at most, the detour and the walk of those who state none, and bits:
  /// ``Traits``.
  let terms: SIMD4<Float>

  /// What is the same of many rows.
  struct Traits: Equatable, Sendable {
    let bits: UInt32

    /// More free seats than can be told are as many.
    static let mostSeats = 31
    private static let mostFares: UInt32 = 1 << 20 - 1

    init(bits: UInt32) { self.bits = bits }

    init(_ row: CorridorRow, halts: Int) {
      let seats = row.isActive ? min(max(0, Int(row.seatsFree)), Self.mostSeats) : 0
      bits =
        min(row.fares, Self.mostFares) | UInt32(halts) << 20 | UInt32(row.weighing.rawValue) << 23
        | (row.isOfOne ? 1 : 0) << 25 | (row.flags.contains(.followsHalts) ? 1 : 0) << 26
        | UInt32(seats) << 27
    }

    /// On the leg with the fewest people; 0 where nobody can get in.
    var seatsFree: Int { Int(bits >> 27) }
    /// What rows have in common that are worked out together.
    var kind: Kind { Kind(bits: bits & (1 << 26 - 1)) }
  }

  /// The tariff, the slot and the profile of a row, how its legs are shared, and how many halts its outline
  /// has.
  struct Kind: Equatable, Sendable {
    let bits: UInt32

    /// In the index's ``FareBoundsTable``; nil where there is none.
    var fares: Int? {
      let number = bits & (1 << 20 - 1)
      return number == 1 << 20 - 1 ? nil : Int(number)
    }
    /// Whether one rider is aboard: the halts are the ends of the row, and nothing more is to be known.
    var isOfOne: Bool { bits >> 25 & 1 == 1 }
    /// 0 where there is no outline.
    var halts: Int { Int(bits >> 20 & 7) }
    var weighing: CorridorRow.Weighing {
      CorridorRow.Weighing(rawValue: UInt8(bits >> 23 & 3)) ?? .unbounded
    }
  }

  init(_ made: CorridorRow.Made, halts: Int) {
    let row = made.row
    let corridor = made.corridor
    from = SIMD4(
      SIMD3(corridor.from), (Float(row.limitMeters) / row.roadPerChord).nextUp)
    to = SIMD4(SIMD3(corridor.to), Float(made.pathMeters).nextUp)
    let seconds = row.start / 1000 - (row.start % 1000 < 0 ? 1 : 0)
    let start = Int32(clamping: seconds)
    let isUnbounded = start == .max || start == .min
    let window: UInt16 =
      isUnbounded || row.windowMilliseconds == .max
      ? .max : UInt16(clamping: Int(row.windowMilliseconds) / 1000 + 2)
    let latest: UInt16 =
      isUnbounded ? .max : UInt16(max(0, min(made.latestSeconds + 2, Float(UInt16.max))))
    times = SIMD4(
      Float(bitPattern: UInt32(bitPattern: start)),
      Float(bitPattern: UInt32(latest) << 16 | UInt32(window)), row.limitMeters,
      row.othersWeight)
    terms = SIMD4(
      row.accepted, row.detourRatio, row.walkLimit,
      Float(bitPattern: Traits(row, halts: halts).bits))
  }

  @inline(__always)
  var traits: Traits { Traits(bits: terms.w.bitPattern) }
  var start: SIMD3<Float> { SIMD3(from.x, from.y, from.z) }
  var end: SIMD3<Float> { SIMD3(to.x, to.y, to.z) }
}
