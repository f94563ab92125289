import GRPCCore
public import MoyeoAPI

extension MoyeoClient {
  /// Places by a name, part of one, its initial consonants or an address: best match first, then
  /// nearest.
  ///
  /// - Throws: ``MoyeoError``: `unavailable` where no source of places answers.
  public func searchPlaces(_ request: Moyeo_V1_SearchPlacesRequest) async throws(MoyeoError)
    -> Moyeo_V1_SearchPlacesResponse
  {
    try await unary(
      request, Moyeo_V1_PlaceService.Method.Search.descriptor, .get("places", "search"))
  }

  /// The places at a position, nearest first.
  ///
  /// - Throws: ``MoyeoError``: `unavailable` where no source of places answers.
  public func reversePlaces(_ request: Moyeo_V1_ReversePlacesRequest) async throws(MoyeoError)
    -> Moyeo_V1_ReversePlacesResponse
  {
    try await unary(
      request, Moyeo_V1_PlaceService.Method.Reverse.descriptor, .get("places", "reverse"))
  }
}
