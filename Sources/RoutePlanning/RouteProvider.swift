/// The port behind which real engines and the estimate stand.
public protocol RouteProvider: Sendable {
  /// What its routes carry as ``Route/source`` when it answers itself.
  var source: RouteSource { get }

  /// A route through all places of the request, in their order.
  ///
  /// - Throws: ``RouteError``; ``RouteError/cancelled`` when the task is cancelled.
  func route(_ request: RouteRequest) async throws(RouteError) -> Route
}
