import ObjectModel

/// What is wrong with a tariff, and where.
public struct TariffProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// The JSON path of the field, such as `surcharges[1].bands[0].from`.
  public let path: String
  /// What is wrong with it, with the offending value.
  public let message: String

  /// Names the field and what is wrong with it.
  public init(path: String, message: String) {
    self.path = path
    self.message = message
  }

  /// Path and message, as a line for people.
  public var description: String { "\(path): \(message)" }
}

extension TariffContent {
  /// - Throws: The first problem, in the order of the document.
  func validate() throws(TariffProblem) {
    try validateIdentity()
    try validateMeter()
    try validateSurcharges()
    try validateExtras()
  }

  private func validateIdentity() throws(TariffProblem) {
    try require(Self.isID(id), "id", "must be 1-64 of a-z, 0-9 and '-', is \"\(id)\"")
    try require(Self.isID(area), "area", "must be 1-64 of a-z, 0-9 and '-', is \"\(area)\"")
    try require(!vehicleClasses.isEmpty, "vehicleClasses", "must name at least one class")
    try require(
      Set(vehicleClasses).count == vehicleClasses.count, "vehicleClasses", "names a class twice")
    for (i, name) in vehicleClasses.enumerated() {
      try require(
        Self.isID(name), "vehicleClasses[\(i)]", "must be 1-64 of a-z, 0-9 and '-', is \"\(name)\"")
    }
    let isCode = currency.utf8.count == 3 && currency.utf8.allSatisfy { (65...90).contains($0) }
    try require(isCode, "currency", "must be three capital letters (ISO 4217), is \"\(currency)\"")
    try require(
      (0...4).contains(minorUnitDigits), "minorUnitDigits", "must be 0-4, is \(minorUnitDigits)")
    let offsetsInRange =
      offsets.initialSeconds.magnitude <= 86_400
      && offsets.transitions.allSatisfy { $0.seconds.magnitude <= 86_400 }
    try require(offsetsInRange, "timeZone", "has an offset of more than a day")
    try require(
      FareLimits.departures.contains(effective), "effective", "must lie in the years 1900-2500")
    if let until {
      try require(until > effective, "until", "must be later than effective")
    }
    try require(!source.isEmpty, "source", "must say where the numbers come from")
  }

  private func validateMeter() throws(TariffProblem) {
    try requireAmount(baseAmount, "base.amount")
    try require(
      baseDistanceMeters >= 0 && baseDistanceMeters <= 1_000_000, "base.distanceMeters",
      "must be 0-1,000,000, is \(baseDistanceMeters)")
    try requireAmount(stepAmount, "step.amount")
    try require(stepAmount > 0, "step.amount", "must be more than 0")
    try require(
      stepDistanceMeters >= 1 && stepDistanceMeters <= 100_000, "step.distanceMeters",
      "must be 1-100,000, is \(stepDistanceMeters)")
    try require(
      stepSeconds >= 1 && stepSeconds <= 3600, "step.seconds",
      "must be 1-3,600, is \(stepSeconds)")
    if let thresholdSpeedMetersPerSecond {
      try require(
        thresholdSpeedMetersPerSecond > 0 && thresholdSpeedMetersPerSecond <= 100,
        "thresholdSpeedKilometersPerHour", "must be more than 0 and at most 360")
    }
  }

  private func validateSurcharges() throws(TariffProblem) {
    try require(surcharges.count <= 32, "surcharges", "at most 32, are \(surcharges.count)")
    var ids: Set<String> = []
    for (i, surcharge) in surcharges.enumerated() {
      let path = "surcharges[\(i)]"
      try require(
        Self.isID(surcharge.id), "\(path).id",
        "must be 1-64 of a-z, 0-9 and '-', is \"\(surcharge.id)\"")
      try require(
        ids.insert(surcharge.id).inserted, "\(path).id", "\"\(surcharge.id)\" is used twice")
      switch surcharge.price {
      case .hundredths(let value): try requirePercent(value, "\(path).percent")
      case .amount(let value): try requireAmount(value, "\(path).amount")
      }
      try require(!surcharge.bands.isEmpty, "\(path).bands", "must hold at least one band")
      for (j, band) in surcharge.bands.enumerated() {
        try require(
          (0..<1440).contains(band.fromMinute), "\(path).bands[\(j)].from",
          "must be 00:00-23:59")
        try require(
          (0...1440).contains(band.toMinute), "\(path).bands[\(j)].to", "must be 00:00-24:00")
        try require(
          band.weekdays & LocalTimeBand.everyDay != 0 && band.weekdays < 128,
          "\(path).bands[\(j)].days", "must name at least one day")
      }
    }
    if let limit = stacking.maximumHundredths {
      try requirePercent(limit, "stacking.maximumPercent")
    }
    try requireUnit(surchargeRounding, "surchargeRounding")
    try requireUnit(baseRounding, "baseRounding")
    if let outOfArea { try requirePercent(outOfArea.hundredths, "outOfArea.percent") }
  }

  private func validateExtras() throws(TariffProblem) {
    var flatIDs: Set<String> = []
    let surchargeIDs = Set(surcharges.map(\.id))
    for (i, flat) in flatTrips.enumerated() {
      let path = "flatTrips[\(i)]"
      try require(
        Self.isID(flat.id), "\(path).id", "must be 1-64 of a-z, 0-9 and '-', is \"\(flat.id)\"")
      try require(flatIDs.insert(flat.id).inserted, "\(path).id", "\"\(flat.id)\" is used twice")
      try requireAmount(flat.amount, "\(path).amount")
      try require(
        flat.between.isEmpty || flat.between.count == 2, "\(path).between",
        "must name two areas, names \(flat.between.count)")
      for (j, name) in flat.surcharges.enumerated() where !surchargeIDs.contains(name) {
        throw TariffProblem(
          path: "\(path).surcharges[\(j)]", message: "no surcharge has the id \"\(name)\"")
      }
    }
    var lastStepFrom = -1.0
    for (i, rule) in longDistance.enumerated() {
      let path = "longDistance[\(i)]"
      switch rule {
      case .stepAmount(let fromMeters, let amount):
        try require(
          fromMeters >= 0 && fromMeters <= FareLimits.maximumDistanceMeters,
          "\(path).fromMeters", "must be 0-10,000,000, is \(fromMeters)")
        try require(
          fromMeters > lastStepFrom, "\(path).fromMeters", "must grow from rule to rule")
        lastStepFrom = fromMeters
        try requireAmount(amount, "\(path).stepAmount")
        try require(
          amount > 0, "\(path).stepAmount", "must be more than 0")
      case .discount(let above, let hundredths, let rounding):
        try requireAmount(above, "\(path).aboveAmount")
        try require(
          hundredths >= 0 && hundredths <= 10_000, "\(path).discountPercent", "must be 0-100")
        try requireUnit(rounding, "\(path).rounding")
      }
    }
    try requireAmount(callFee, "callFee")
    try requireUnit(finalRounding.unit, "finalRounding.unit")
  }

  static func isID(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 45 }
  }

  private func require(
    _ condition: Bool, _ path: String, _ message: @autoclosure () -> String
  ) throws(TariffProblem) {
    if !condition { throw TariffProblem(path: path, message: message()) }
  }

  private func requireAmount(_ amount: Int64, _ path: String) throws(TariffProblem) {
    try require(
      amount >= 0 && amount <= 1_000_000_000, path, "must be 0-1,000,000,000, is \(amount)")
  }

  private func requirePercent(_ hundredths: Int64, _ path: String) throws(TariffProblem) {
    try require(hundredths >= 0 && hundredths <= 100_000, path, "must be 0-1,000")
  }

  private func requireUnit(_ unit: Int64, _ path: String) throws(TariffProblem) {
    try require(unit >= 1 && unit <= 1_000_000, path, "must be 1-1,000,000, is \(unit)")
  }
}
