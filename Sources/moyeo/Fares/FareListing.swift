import MoyeoAPI

/// A fare item by item, with the shares below.
enum FareListing {
  static func lines(_ fare: Moyeo_V1_Fare, _ clock: LocalClock) -> [String] {
    let digits =
      fare.hasMinorUnitDigits
      ? Int(max(0, min(6, fare.minorUnitDigits))) : MoneyText.minorUnitDigits(fare.currency)
    func money(_ amount: Int64) -> String { MoneyText.format(amount, digits: digits) }
    var lines: [String] = []
    if fare.hasDistanceMeters {
      lines.append(
        "\(NumberText.distance(fare.distanceMeters)), "
          + "\(NumberText.duration(fare.durationSeconds)), route: \(fare.source)")
    }
    var tariff = "tariff \(fare.tariffID)"
    if fare.hasTariffName { tariff += " (\(fare.tariffName))" }
    if fare.hasTariffEffective {
      tariff += ", in force since \(clock.text(fare.tariffEffective))"
    }
    lines += [tariff, ""]
    var items = TextTable([
      ("item", .left), ("quantity", .right), (fare.currency, .right), ("rule", .left),
    ])
    for line in fare.lines {
      items.append([
        line.kind,
        line.hasQuantity ? JSONOutput.numberText(line.quantity.rounded(toDecimals: 2)) : "",
        money(line.amount), line.rule,
      ])
    }
    items.append(["expected", "", money(fare.expected), ""])
    lines += items.lines
    lines.append("low \(money(fare.low)), high \(money(fare.high)) \(fare.currency)")
    if !fare.shares.isEmpty { lines += [""] + shares(fare.shares, fare.currency, money) }
    if fare.hasPerPersonNow, fare.hasPerPersonIfFull {
      lines.append(
        "a seat: \(money(fare.perPersonNow)) now, \(money(fare.perPersonIfFull)) if the taxi is full"
      )
    }
    if !fare.stopOrder.isEmpty {
      lines.append("getting out: " + fare.stopOrder.joined(separator: ", "))
    }
    if !fare.unverified.isEmpty {
      lines += ["", "not verified: " + fare.unverified.joined(separator: ", ")]
    }
    if fare.hasFallbackReason { lines.append("note: \(fare.fallbackReason)") }
    return lines.map(TextTable.printable)
  }

  private static func shares(
    _ shares: [Moyeo_V1_FareShare], _ currency: String, _ money: (Int64) -> String
  ) -> [String] {
    var table = TextTable([
      ("rider", .left), ("share \(currency)", .right), ("alone", .right), ("saves", .right),
      ("", .left),
    ])
    for share in shares {
      table.append([
        share.riderID, money(share.amount), share.hasSoloFare ? money(share.soloFare) : "",
        share.hasSaving ? money(share.saving) : "", share.exceedsSoloBecause,
      ])
    }
    return table.lines
  }
}

extension Double {
  fileprivate func rounded(toDecimals decimals: Int) -> Double {
    NumberText.parse(NumberText.fixed(self, decimals)) ?? self
  }
}
