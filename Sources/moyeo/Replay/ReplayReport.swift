/// Outcomes side by side, as a table or as JSON.
struct ReplayReport {
  let outcomes: [ReplayOutcome]
  let requests: Int
  let dropped: Int
  let dates: Int
  let currency: String
  let digits: Int

  private struct Line {
    var name: String
    var key: String
    var value: (ReplayOutcome) -> Double
    var digits: Int
    var unit = ""
    var isShare = false
  }

  private var lines: [Line] {
    let minor = (0..<digits).reduce(1.0) { value, _ in value * 10 }
    typealias O = ReplayOutcome
    return [
      Line(
        name: "matched", key: "matchedShare", value: { $0.matchedShare }, digits: 1, unit: " %",
        isShare: true),
      Line(name: "taxis", key: "taxis", value: { Double($0.taxis) }, digits: 0),
      Line(
        name: "saving", key: "saving", value: { Double($0.saving) / minor }, digits: digits,
        unit: " " + currency),
      Line(
        name: "  of solo fares", key: "savingShare", value: { $0.savingShare }, digits: 1,
        unit: " %", isShare: true),
      Line(
        name: "driven less", key: "savedKilometers", value: { $0.savedMeters / 1000 }, digits: 0,
        unit: " km"),
      Line(
        name: "wait, mean", key: "waitMeanSeconds", value: { O.mean($0.waits) }, digits: 0,
        unit: " s"),
      Line(
        name: "wait, 9 of 10", key: "waitP90Seconds", value: { O.quantile($0.waits, 0.9) },
        digits: 0, unit: " s"),
      Line(
        name: "walk, mean", key: "walkMeanMeters", value: { O.mean($0.walks) }, digits: 0,
        unit: " m"),
      Line(
        name: "detour, mean", key: "detourMean", value: { O.mean($0.detours) }, digits: 1,
        unit: " %", isShare: true),
      Line(
        name: "detour, 9 of 10", key: "detourP90", value: { O.quantile($0.detours, 0.9) },
        digits: 1, unit: " %", isShare: true),
      Line(
        name: "matching, a request", key: "microsecondsPerRequest",
        value: { $0.count == 0 ? 0 : $0.processorSeconds * 1e6 / Double($0.count) }, digits: 0,
        unit: " us"),
    ]
  }

  var text: [String] {
    var table = TextTable(
      [("", .left)] + outcomes.map { (heading: $0.name, alignment: .right) })
    for line in lines {
      table.append(
        [line.name]
          + outcomes.map {
            Self.fixed(line.value($0) * (line.isShare ? 100 : 1), line.digits) + line.unit
          })
    }
    for size in 1...4 {
      table.append(
        [size == 1 ? "riders alone" : "riders in taxis of \(size)"]
          + outcomes.map { String($0.bySize[size - 1]) })
    }
    let days = dates == 1 ? "1 date" : "\(dates) dates taken as one day"
    return ["\(requests) requests of \(days); \(dropped) rows without usable time and places"]
      + table.lines
  }

  var json: String {
    let items = outcomes.map { outcome in
      let numbers = lines.map {
        "\"\($0.key)\": \(Self.fixed($0.value(outcome), $0.isShare ? 4 : $0.digits))"
      }
      let sizes = outcome.bySize.map(String.init).joined(separator: ", ")
      return "    {\"mode\": \(JSONPieces.string(outcome.name)), "
        + (numbers + ["\"ridersByGroupSize\": [\(sizes)]"]).joined(separator: ", ") + "}"
    }
    return """
      {
        "requests": \(requests),
        "dropped": \(dropped),
        "dates": \(dates),
        "currency": \(JSONPieces.string(currency)),
        "modes": [
      \(items.joined(separator: ",\n"))
        ]
      }
      """
  }

  /// So many digits after the point, without a locale.
  static func fixed(_ value: Double, _ digits: Int) -> String {
    guard value.isFinite, abs(value) < 1e15 else { return "0" }
    let scale = (0..<digits).reduce(1.0) { value, _ in value * 10 }
    let scaled = (abs(value) * scale).rounded()
    let whole = Int64(scaled)
    let unit = Int64(scale)
    var text = String(whole / unit)
    if digits > 0 {
      let rest = String(whole % unit)
      text += "." + String(repeating: "0", count: digits - rest.count) + rest
    }
    return value < 0 && whole > 0 ? "-" + text : text
  }
}
