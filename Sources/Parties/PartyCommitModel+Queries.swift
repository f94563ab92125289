import RideMatching

extension PartyCommitModel {
  /// Holds what a rider asks for against its ranges.
  func validate(_ query: MatchQuery) throws(PartyServiceError) {
    do throws(PartyError) { try rules.checkLength(query) } catch { throw .rule(error) }
    guard (1...PartyConfiguration.maximumSeatsOfTaxi).contains(query.seats) else {
      throw .limitOutOfRange(
        field: "seats", value: query.seats, allowed: 1...PartyConfiguration.maximumSeatsOfTaxi)
    }
    if let most = query.maxShare, most < 0 {
      throw .rule(.amountOutOfRange(field: "maxShare", amount: most, allowed: 0...Int64.max))
    }
    let tolerance = query.window.toleranceMilliseconds
    guard (0...rules.configuration.maximumToleranceMilliseconds).contains(tolerance) else {
      throw .badField("departureWindowSeconds", message: "is \(Double(tolerance) / 1000)")
    }
    for (field, value) in [
      ("maxWalkMeters", query.wishes.maxWalkMeters),
      ("maxDetourRatio", query.wishes.maxDetourRatio),
      ("minSharedRatio", query.wishes.minSharedRatio),
      ("maxRideSeconds", query.wishes.maxRideSeconds),
      ("maxDetourSeconds", query.wishes.maxDetourSeconds),
    ] {
      if let value, !(value >= 0 && value.isFinite) {
        throw .badField(field, message: "must be a number from 0 on")
      }
    }
    if let ratio = query.wishes.minSharedRatio, ratio > 1 {
      throw .badField("minSharedRatio", message: "must be a number from 0 to 1")
    }
  }
}
