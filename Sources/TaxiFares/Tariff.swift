public import ObjectModel

/// The prices of one kind of taxi in one area from one moment on, as data.
///
/// A value made by ``init(_:)`` is valid: amounts are integer minor units within
/// ``FareLimits/maximumAmount``, steps are positive, percentages are whole hundredths.
public struct Tariff: Sendable {
  /// The fields as they stand in the tariff's document.
  public var content: TariffContent { prepared.content }
  let prepared: Prepared

  /// The same of all copies of one version that was read once, and of no other that is alive.
  public var identity: ObjectIdentifier { ObjectIdentifier(prepared) }

  /// What a meter needs, made once; shared by all copies of the value.
  final class Prepared: Sendable {
    let content: TariffContent
    /// Surcharges with their bands made ready for looking up a local time.
    let bands: BandTable
    /// Numbers of the meter in its integer units.
    let scale: MeterScale
    let prices: StepPrices
    /// The rule texts of the lines.
    let texts: RuleTexts

    init(_ content: TariffContent) {
      self.content = content
      bands = BandTable(content)
      scale = MeterScale(content)
      prices = StepPrices(content)
      texts = RuleTexts(content, prices)
    }

    /// Steps whose moment lies before `units` are reached; units past the base where steps are charged in
    /// proportion.
    func steps(before units: Int64) -> Int64 {
      let past = units - scale.baseUnits
      guard past > 0 else { return 0 }
      switch content.chargeOn {
      case .entry: return (past - 1) / scale.stepUnits + 1
      case .completion: return (past - 1) / scale.stepUnits
      case .proportional: return past
      }
    }

    /// The same, with what falls exactly on `units`.
    func steps(through units: Int64) -> Int64 {
      let past = units - scale.baseUnits
      guard past >= 0 else { return 0 }
      switch content.chargeOn {
      case .entry: return past / scale.stepUnits + 1
      case .completion: return past / scale.stepUnits
      case .proportional: return past
      }
    }
  }

  /// Names the tariff over all of its versions.
  public var id: String { content.id }
  /// The id of the area whose taxis it prices.
  public var area: String { content.area }
  /// The currency of all amounts, as ISO 4217 has it.
  public var currency: String { content.currency }
  /// When this version came into force.
  public var effective: Instant { content.effective }

  /// - Throws: ``TariffProblem`` naming the first field that is wrong.
  public init(_ content: TariffContent) throws(TariffProblem) {
    try content.validate()
    prepared = Prepared(content)
  }

  /// Whether the tariff is in force at a moment, other versions of it aside.
  public func isInForce(at instant: Instant) -> Bool {
    guard content.effective <= instant else { return false }
    guard let until = content.until else { return true }
    return instant < until
  }
}

extension Tariff: Hashable {
  /// Compares the content.
  public static func == (a: Tariff, b: Tariff) -> Bool { a.content == b.content }
  /// Hashes the content.
  public func hash(into hasher: inout Hasher) { hasher.combine(content) }
}

/// The fields of a tariff document. Money is in minor units of ``currency``.
public struct TariffContent: Hashable, Sendable {
  /// The same for all versions of a tariff, such as `kr-seoul-medium`.
  public var id: String
  /// As people say it.
  public var name: String
  /// The id of the area whose origins it prices.
  public var area: String
  /// Such as `medium`, `deluxe`, `large`.
  public var vehicleClasses: [String]
  /// Whether it is the one taken in its area when no vehicle class is asked for.
  public var isAreaDefault = false
  /// The currency of all amounts, as ISO 4217 has it.
  public var currency: String
  /// Digits after the point of the major unit: 0 for KRW, 2 for USD.
  public var minorUnitDigits = 0
  /// IANA name; bands are read in its local time.
  public var timeZone: String
  /// What ``timeZone`` means, as data.
  public var offsets: UTCOffsets
  /// In force from here on ...
  public var effective: Instant
  /// ... and until here (exclusive), or until the next version of the same id.
  public var until: Instant?

  /// The initial charge, and the meters it pays for.
  public var baseAmount: Int64
  /// How far the base reaches, meters.
  public var baseDistanceMeters: Double
  /// The price of a step, and what it buys: so many meters, or so many seconds of slow time.
  public var stepAmount: Int64
  /// How far one step reaches, meters.
  public var stepDistanceMeters: Double
  /// How long one step takes in slow traffic, seconds.
  public var stepSeconds: Double
  /// How distance and slow time add up.
  public var accrual: Accrual
  /// When a step is charged: as it begins, as it ends, or in proportion.
  public var chargeOn: ChargeMoment
  /// Below it time counts. Nil: step meters / step seconds.
  public var thresholdSpeedMetersPerSecond: Double?
  /// Whether exactly the threshold speed is slow (Tokyo: 10 km/h or less) or fast (New York).
  public var isThresholdSlow = false

  /// What certain hours and days cost more.
  public var surcharges: [Surcharge] = []
  /// What surcharges at one time come to.
  public var stacking = Stacking(rule: .add, maximumHundredths: nil)
  /// Each surcharge on a step is rounded to a multiple of this, halves up.
  public var surchargeRounding: Int64 = 1
  /// A base with its surcharges is rounded to a multiple of this, halves up.
  public var baseRounding: Int64 = 1
  /// What leaving the area costs more; nil: nothing.
  public var outOfArea: OutOfAreaRule?
  /// Trips of a fixed price.
  public var flatTrips: [FlatTrip] = []
  /// What changes on long trips.
  public var longDistance: [LongDistanceRule] = []
  /// The fee of a taxi that was called; added only when asked for.
  public var callFee: Int64 = 0
  /// To what the bill is rounded.
  public var finalRounding = Rounding(unit: 1, mode: .nearest)

  /// What slow time is estimated by when only sums are known.
  public var slowTimeModel = SlowTimeModel.standard

  /// Where the numbers come from: a link, or the name of the notice.
  public var source: String
  /// JSON paths of fields that were not read in a published source, such as `step.amount`.
  public var unverified: [String] = []
  /// What people should know beside the numbers.
  public var notes: [String] = []

  /// Makes the content of a tariff from its numbers; ``Tariff/init(_:)`` checks it.
  public init(
    id: String, name: String, area: String, vehicleClasses: [String], currency: String,
    timeZone: String, offsets: UTCOffsets, effective: Instant,
    baseAmount: Int64, baseDistanceMeters: Double,
    stepAmount: Int64, stepDistanceMeters: Double, stepSeconds: Double,
    accrual: Accrual, chargeOn: ChargeMoment, source: String
  ) {
    self.id = id
    self.name = name
    self.area = area
    self.vehicleClasses = vehicleClasses
    self.currency = currency
    self.timeZone = timeZone
    self.offsets = offsets
    self.effective = effective
    self.baseAmount = baseAmount
    self.baseDistanceMeters = baseDistanceMeters
    self.stepAmount = stepAmount
    self.stepDistanceMeters = stepDistanceMeters
    self.stepSeconds = stepSeconds
    self.accrual = accrual
    self.chargeOn = chargeOn
    self.source = source
  }

  /// Meters per second below which time counts.
  public var threshold: Double {
    thresholdSpeedMetersPerSecond ?? stepDistanceMeters / stepSeconds
  }
}

/// How slow time and distance add up to steps.
public enum Accrual: String, Hashable, Sendable, CaseIterable {
  /// Below the threshold speed only time counts, above it only distance.
  case exclusive
  /// Distance always counts; below the threshold speed time is added.
  case simultaneous
}

/// When a step is charged.
public enum ChargeMoment: String, Hashable, Sendable, CaseIterable {
  /// As soon as it begins: one step on reaching the base distance.
  case entry
  /// When it is complete.
  case completion
  /// In proportion, without steps: how averages are published.
  case proportional
}

/// A rule that makes a fare a multiple of a unit.
public struct Rounding: Hashable, Sendable {
  /// To which side an amount is rounded.
  public enum Mode: String, Hashable, Sendable, CaseIterable {
    /// To the nearest multiple, halves up.
    case nearest
    case up
    case down
  }
  /// In minor units, from 1 on.
  public var unit: Int64
  /// To which side.
  public var mode: Mode

  /// Makes a rounding to multiples of a unit.
  public init(unit: Int64, mode: Mode) {
    self.unit = unit
    self.mode = mode
  }

  /// `amount` (not negative) as a multiple of ``unit``.
  public func callAsFunction(_ amount: Int64) -> Int64 {
    guard unit > 1 else { return amount }
    switch mode {
    case .nearest: return (amount + unit / 2) / unit * unit
    case .up: return (amount + unit - 1) / unit * unit
    case .down: return amount / unit * unit
    }
  }
}

/// A price for a whole trip between two areas, whatever the meter says.
public struct FlatTrip: Hashable, Sendable {
  /// Unlike that of any other flat trip of the tariff.
  public var id: String
  /// The code under which trip records list it, such as `2` for JFK.
  public var rateCode: String?
  /// The price of the trip, minor units.
  public var amount: Int64
  /// Two area ids; the trip counts in both directions. Empty: only when named.
  public var between: [String]
  /// Ids of the surcharges that come on top.
  public var surcharges: [String]

  /// Makes a flat trip; without areas it counts only when it is named.
  public init(
    id: String, rateCode: String? = nil, amount: Int64, between: [String] = [],
    surcharges: [String] = []
  ) {
    self.id = id
    self.rateCode = rateCode
    self.amount = amount
    self.between = between
    self.surcharges = surcharges
  }
}

/// What changes on long trips.
public enum LongDistanceRule: Hashable, Sendable {
  /// From so many meters of the trip on, a step costs this instead (Jeju).
  case stepAmount(fromMeters: Double, amount: Int64)
  /// The part of the metered fare above an amount is cut (Tokyo); hundredths of a percent.
  case discount(aboveAmount: Int64, hundredths: Int64, rounding: Int64)
}

/// The surcharge on trips that leave the area the taxi is licensed for.
public struct OutOfAreaRule: Hashable, Sendable {
  /// Hundredths of a percent of the plain step.
  public var hundredths: Int64
  /// Whether it begins at boarding, or where the route crosses the area's edge.
  public var begins: Begin
  /// Whether the base is surcharged too.
  public var appliesToBase: Bool

  /// From where on the surcharge counts: from boarding, or from the area's edge.
  public enum Begin: String, Hashable, Sendable, CaseIterable { case boarding, boundary }

  /// Makes a surcharge on steps, and on the base if it says so.
  public init(hundredths: Int64, begins: Begin = .boarding, appliesToBase: Bool = false) {
    self.hundredths = hundredths
    self.begins = begins
    self.appliesToBase = appliesToBase
  }
}

/// What this module takes at most.
public enum FareLimits {
  /// Minor units: large enough for any fare, small enough that sums cannot overflow.
  public static let maximumAmount: Int64 = 1_000_000_000_000
  /// The longest trip that is priced: 10,000 km.
  public static let maximumDistanceMeters = 10_000_000.0
  /// The longest time that is priced: a week.
  public static let maximumDurationSeconds = 604_800.0
  /// Segments of one route.
  public static let maximumSegments = 100_000
}
