import TaxiFares

extension TariffDocument {
  static func extras(
    _ r: inout JSONObjectReader, into content: inout TariffContent
  ) throws(FileProblem) {
    for var item in try r.objects("flatTrips") {
      content.flatTrips.append(
        FlatTrip(
          id: try item.string("id"), rateCode: try item.optionalString("rateCode"),
          amount: try item.integer("amount"), between: try item.strings("between"),
          surcharges: try item.strings("surcharges")))
      try item.finish()
    }
    for var item in try r.objects("longDistance") {
      if let fromMeters = try item.optionalNumber("fromMeters") {
        content.longDistance.append(
          .stepAmount(fromMeters: fromMeters, amount: try item.integer("stepAmount")))
      } else {
        content.longDistance.append(
          .discount(
            aboveAmount: try item.integer("aboveAmount"),
            hundredths: try item.percent("discountPercent"),
            rounding: try item.optionalInteger("rounding") ?? 1))
      }
      try item.finish()
    }
  }

  /// Where the numbers come from, and which of them nobody read in a published source.
  static func provenance(
    _ r: inout JSONObjectReader, _ tree: JSONTree, into content: inout TariffContent
  ) throws(FileProblem) {
    content.notes = try r.strings("notes")
    content.unverified = try r.strings("unverified")
    for (i, path) in content.unverified.enumerated() where !tree.holds(path: path) {
      throw r.problem("unverified[\(i)]", "the document has no field \"\(path)\"")
    }
    if let verified = try r.optionalBool("verified"), verified != content.unverified.isEmpty {
      throw r.problem(
        "verified", "is \(verified), but unverified names \(content.unverified.count) fields")
    }
  }

  /// A model by name, or written out in the document.
  static func slowTime(
    _ r: inout JSONObjectReader, models: [String: SlowTimeModel],
    into content: inout TariffContent
  ) throws(FileProblem) {
    guard let tree = r.tree("slowTimeModel") else { return }
    if case .string(let name) = tree {
      if let model = models[name] {
        content.slowTimeModel = model
      } else if name != SlowTimeModel.standard.name {
        let known = (models.keys + [SlowTimeModel.standard.name]).sorted()
        throw r.problem(
          "slowTimeModel", "no model \"\(name)\"; known are \(known.joined(separator: ", "))")
      }
      return
    }
    content.slowTimeModel = try slowTimeModel(
      tree, file: r.file, path: r.pathOf("slowTimeModel"))
  }

  static func slowTimeModel(
    _ tree: JSONTree, file: String, path: String = ""
  ) throws(FileProblem) -> SlowTimeModel {
    var reader = try JSONObjectReader(tree, file: file, path: path)
    let name = try reader.string("name")
    let ratio = try reader.number("slowSpeedRatio")
    _ = try reader.strings("notes")
    var effect = SlowTimeModel.DurationEffect.none
    if var item = try reader.optionalObject("durationEffect") {
      effect = SlowTimeModel.DurationEffect(
        slope: try item.number("slope"), referenceSeconds: try item.number("referenceSeconds"),
        minimum: try item.number("minimum"), maximum: try item.number("maximum"))
      try item.finish()
    }
    var rows: [SlowTimeModel.Row] = []
    for var row in try reader.objects("rows") {
      rows.append(
        SlowTimeModel.Row(
          speedRatio: try row.number("speedRatio"), low: try row.number("low"),
          expected: try row.number("expected"), high: try row.number("high")))
      try row.finish()
    }
    try reader.finish()
    do {
      return try SlowTimeModel(
        name: name, slowSpeedRatio: ratio, durationEffect: effect, rows: rows)
    } catch {
      throw FileProblem(file: file, path: reader.pathOf(error.path), message: error.message)
    }
  }
}
