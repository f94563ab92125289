import GRPCCore
public import MoyeoAPI

extension MoyeoClient {
  /// What a taxi trip costs.
  ///
  /// - Throws: ``MoyeoError``: `no_tariff_here`, `unknown_tariff`, `departure_before_tariffs` or
  ///   `no_route`.
  public func estimateFare(_ request: Moyeo_V1_EstimateFareRequest) async throws(MoyeoError)
    -> Moyeo_V1_EstimateFareResponse
  {
    try await unary(
      request, Moyeo_V1_FareService.Method.Estimate.descriptor, .post("fares", "estimate"))
  }

  /// Shares of an amount that add up to its last minor unit.
  ///
  /// - Throws: ``MoyeoError``: `nothing_to_share_by`, `missing_field` or `amount_out_of_range`.
  public func splitFare(_ request: Moyeo_V1_SplitFareRequest) async throws(MoyeoError)
    -> Moyeo_V1_SplitFareResponse
  {
    try await unary(
      request, Moyeo_V1_FareService.Method.Split.descriptor, .post("fares", "split"))
  }

  /// The tariffs that the service estimates fares with.
  ///
  /// - Throws: ``MoyeoError``: those of any call alone: `unauthenticated`, `rate_limited`,
  ///   `unavailable`.
  public func listTariffs(_ request: Moyeo_V1_ListTariffsRequest = .init())
    async throws(MoyeoError) -> Moyeo_V1_ListTariffsResponse
  {
    try await unary(request, Moyeo_V1_FareService.Method.ListTariffs.descriptor, .get("tariffs"))
  }

  /// How far, how long, in which order of stops.
  ///
  /// - Throws: ``MoyeoError``: `no_route` or `bad_route`.
  public func planRoute(_ request: Moyeo_V1_PlanRouteRequest) async throws(MoyeoError)
    -> Moyeo_V1_PlanRouteResponse
  {
    try await unary(request, Moyeo_V1_RouteService.Method.Plan.descriptor, .post("routes", "plan"))
  }
}
