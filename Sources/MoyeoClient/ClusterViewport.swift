import Foundation
public import MoyeoAPI
import NIOConcurrencyHelpers

/// The clusters of what a map shows, for one that moves: requests of one viewport are a session, of
/// which the service answers the newest and throttles the others.
///
/// ```swift
/// let viewport = ClusterViewport(moyeo, query: .with { $0.layer = "users" })
/// // Whenever the map comes to rest:
/// if let answer = try await viewport.show(south: 37.5, west: 126.9, north: 37.6, east: 127.1, zoom: 12) {
///   draw(answer.clusters)
/// }
/// ```
public final class ClusterViewport: Sendable {
  private struct State {
    var sequence = 0
    var underWay: Task<Moyeo_V1_GetClustersResponse, any Error>?
  }

  private let moyeo: MoyeoClient
  private let query: Moyeo_V1_GetClustersRequest
  private let session = UUID().uuidString.lowercased()
  private let state = NIOLockedValueBox(State())

  /// - Parameters:
  ///   - moyeo: Stays open for as long as the viewport is used.
  ///   - query: The layer, and what else narrows the clusters; ``show`` sets box and zoom.
  public init(_ moyeo: MoyeoClient, query: Moyeo_V1_GetClustersRequest) {
    self.moyeo = moyeo
    self.query = query
  }

  /// Asks for the clusters of what the map shows now, and gives up what was asked before.
  ///
  /// - Returns: nil when a later call took this one's place, so that there is nothing to draw.
  /// - Throws: ``MoyeoError`` of the newest request.
  public func show(
    south: Double, west: Double, north: Double, east: Double, zoom: Double
  ) async throws(MoyeoError) -> Moyeo_V1_GetClustersResponse? {
    var request = query
    (request.south, request.west, request.north, request.east) = (south, west, north, east)
    request.zoom = zoom
    let (mine, task) = begin(request)
    let result = await withTaskCancellationHandler {
      await task.result
    } onCancel: {
      task.cancel()
    }
    guard state.withLockedValue({ $0.sequence == mine }) else { return nil }
    do {
      return try result.get()
    } catch let error as MoyeoError {
      // Of a request that another process made with this session: it has the answer.
      if error.reason == "superseded" { return nil }
      throw error
    } catch {
      throw .cancelled
    }
  }

  /// Gives up what is under way; its ``show`` answers nil.
  public func stop() {
    let task = state.withLockedValue { state in
      state.sequence += 1
      defer { state.underWay = nil }
      return state.underWay
    }
    task?.cancel()
  }

  private func begin(
    _ request: Moyeo_V1_GetClustersRequest
  ) -> (Int, Task<Moyeo_V1_GetClustersResponse, any Error>) {
    let (sequence, task, before) = state.withLockedValue { state in
      state.sequence += 1
      let headers = [("X-Moyeo-Session", session), ("X-Moyeo-Sequence", "\(state.sequence)")]
      let task = Task { [moyeo] in
        try await moyeo.getClusters(request, headers: headers) as Moyeo_V1_GetClustersResponse
      }
      defer { state.underWay = task }
      return (state.sequence, task, state.underWay)
    }
    before?.cancel()
    return (sequence, task)
  }
}
