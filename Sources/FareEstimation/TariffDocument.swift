import ObjectModel
package import TaxiFares
package import struct Foundation.Data

/// Reads a tariff's JSON document (the fields are listed in `data/tariffs/README.md`).
package enum TariffDocument {
  /// Reads one version of a tariff and checks it as a whole.
  ///
  /// - Parameters:
  ///   - data: The document, JSON.
  ///   - file: The file's name, for messages.
  ///   - slowTimeModels: Models that a document may name.
  /// - Returns: The tariff.
  /// - Throws: ``FileProblem`` with file, JSON path and what is wrong.
  package static func read(
    _ data: Data, file: String, slowTimeModels: [String: SlowTimeModel] = [:]
  ) throws(FileProblem) -> Tariff {
    let tree = try JSONTree.parse(data, file: file)
    var reader = try JSONObjectReader(tree, file: file)
    var content = try identity(&reader)
    try meter(&reader, into: &content)
    try surcharges(&reader, into: &content)
    try extras(&reader, into: &content)
    try slowTime(&reader, models: slowTimeModels, into: &content)
    try provenance(&reader, tree, into: &content)
    try reader.finish()
    do {
      return try Tariff(content)
    } catch {
      throw FileProblem(file: file, path: error.path, message: error.message)
    }
  }

  private static func identity(_ r: inout JSONObjectReader) throws(FileProblem) -> TariffContent {
    let zone = try r.string("timeZone")
    guard let offsets = UTCOffsets.timeZone(zone) else {
      throw r.problem("timeZone", "no such time zone: \"\(zone)\"")
    }
    let effective = try instant(&r, "effective", offsets)
    guard let effective else { throw r.problem("effective", "is missing") }
    var base = try r.object("base")
    var step = try r.object("step")
    var content = TariffContent(
      id: try r.string("id"), name: try r.string("name"), area: try r.string("area"),
      vehicleClasses: try r.strings("vehicleClasses"), currency: try r.string("currency"),
      timeZone: zone, offsets: offsets, effective: effective,
      baseAmount: try base.integer("amount"),
      baseDistanceMeters: try base.number("distanceMeters"),
      stepAmount: try step.integer("amount"),
      stepDistanceMeters: try step.number("distanceMeters"),
      stepSeconds: try step.number("seconds"),
      accrual: try r.requiredChoice("accrual", Accrual.self),
      chargeOn: try r.requiredChoice("chargeOn", ChargeMoment.self),
      source: try r.string("source"))
    try base.finish()
    try step.finish()
    content.until = try instant(&r, "until", offsets)
    content.isAreaDefault = try r.optionalBool("areaDefault") ?? false
    if let digits = try r.optionalInteger("minorUnitDigits") {
      guard (0...4).contains(digits) else {
        throw r.problem("minorUnitDigits", "must be 0-4, is \(digits)")
      }
      content.minorUnitDigits = Int(digits)
    }
    return content
  }

  private static func instant(
    _ r: inout JSONObjectReader, _ name: String, _ offsets: UTCOffsets
  ) throws(FileProblem) -> Instant? {
    guard let text = try r.optionalString(name) else { return nil }
    guard let instant = LocalInstant.parse(text, in: offsets) else {
      throw r.problem(name, "must be a moment like 2023-02-01T04:00:00+09:00, is \"\(text)\"")
    }
    return instant
  }

  private static func meter(
    _ r: inout JSONObjectReader, into content: inout TariffContent
  ) throws(FileProblem) {
    if let speed = try r.optionalNumber("thresholdSpeedKilometersPerHour") {
      content.thresholdSpeedMetersPerSecond = speed / 3.6
    }
    content.isThresholdSlow = try r.optionalBool("thresholdIsSlow") ?? false
    content.callFee = try r.optionalInteger("callFee") ?? 0
    if var rounding = try r.optionalObject("finalRounding") {
      content.finalRounding = Rounding(
        unit: try rounding.integer("unit"),
        mode: try rounding.requiredChoice("mode", Rounding.Mode.self))
      try rounding.finish()
    }
  }

  private static func surcharges(
    _ r: inout JSONObjectReader, into content: inout TariffContent
  ) throws(FileProblem) {
    for var item in try r.objects("surcharges") {
      content.surcharges.append(try surcharge(&item))
      try item.finish()
    }
    if var stacking = try r.optionalObject("stacking") {
      content.stacking = Stacking(
        rule: try stacking.requiredChoice("rule", Stacking.Rule.self),
        maximumHundredths: try stacking.optionalPercent("maximumPercent"))
      try stacking.finish()
    }
    content.surchargeRounding = try r.optionalInteger("surchargeRounding") ?? 1
    content.baseRounding = try r.optionalInteger("baseRounding") ?? 1
    if var rule = try r.optionalObject("outOfArea") {
      let scope = try scope(&rule, default: ["steps"])
      guard scope.contains("steps") else {
        throw rule.problem("appliesTo", "must hold \"steps\"")
      }
      content.outOfArea = OutOfAreaRule(
        hundredths: try rule.percent("percent"),
        begins: try rule.choice("begins", OutOfAreaRule.Begin.self) ?? .boarding,
        appliesToBase: scope.contains("base"))
      try rule.finish()
    }
  }

  private static func surcharge(
    _ item: inout JSONObjectReader
  ) throws(FileProblem) -> Surcharge {
    let percent = try item.optionalPercent("percent")
    let amount = try item.optionalInteger("amount")
    let price: Surcharge.Price
    switch (percent, amount) {
    case (let percent?, nil): price = .hundredths(percent)
    case (nil, let amount?): price = .amount(amount)
    default: throw item.problem("percent", "give either percent or amount")
    }
    var bands: [LocalTimeBand] = []
    for var band in try item.objects("bands") {
      bands.append(
        LocalTimeBand(
          fromMinute: try clock(&band, "from"), toMinute: try clock(&band, "to"),
          weekdays: try weekdays(&band)))
      try band.finish()
    }
    let scope = try scope(&item, default: ["base", "steps"])
    return Surcharge(
      id: try item.string("id"), name: try item.string("name"), price: price, bands: bands,
      chosen: try item.choice("chosen", Surcharge.Moment.self) ?? .along,
      appliesToBase: scope.contains("base"), appliesToSteps: scope.contains("steps"))
  }

  private static func scope(
    _ r: inout JSONObjectReader, default words: Set<String>
  ) throws(FileProblem) -> Set<String> {
    let given = try r.strings("appliesTo")
    for (i, word) in given.enumerated() where word != "base" && word != "steps" {
      throw r.problem("appliesTo[\(i)]", "must be base or steps, is \"\(word)\"")
    }
    return given.isEmpty ? words : Set(given)
  }

  /// `22:00` as minutes after midnight; `24:00` too.
  private static func clock(
    _ r: inout JSONObjectReader, _ name: String
  ) throws(FileProblem) -> Int {
    let text = try r.string(name)
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 }),
      let hour = Int(parts[0]), let minute = Int(parts[1]), (0...59).contains(minute),
      (0...23).contains(hour) || (hour == 24 && minute == 0)
    else { throw r.problem(name, "must be a time like 22:00, is \"\(text)\"") }
    return hour * 60 + minute
  }

  private static func weekdays(_ r: inout JSONObjectReader) throws(FileProblem) -> UInt8 {
    let names = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
    let given = try r.strings("days")
    guard !given.isEmpty else { return LocalTimeBand.everyDay }
    var mask: UInt8 = 0
    for (i, name) in given.enumerated() {
      guard let day = names.firstIndex(of: name) else {
        throw r.problem(
          "days[\(i)]", "must be one of \(names.joined(separator: ", ")), is \"\(name)\"")
      }
      mask |= 1 << UInt8(day)
    }
    return mask
  }
}
