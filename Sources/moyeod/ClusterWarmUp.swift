import LiveLayers
import ServiceLifecycle

/// Says when clusters show the objects that were loaded before the daemon served: until then a tile of
/// a loaded layer lacks some of them.
struct ClusterWarmUp: Service {
  /// In what readiness waits for.
  static let part = "clusters"

  let layers: LayerRegistry
  let onCaughtUp: @Sendable () -> Void

  func run() async throws {
    await cancelWhenGracefulShutdown {
      for layer in layers.all {
        await layer.waitForClusters()
      }
    }
    onCaughtUp()
    try? await gracefulShutdown()
  }
}
