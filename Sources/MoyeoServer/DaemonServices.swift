import GRPCCore
import LiveLayers
import GRPCServerTransport
import ServiceLifecycle

/// Serves gRPC until the shutdown begins, then lets calls in flight end.
struct GRPCService: Service {
  let server: GRPCServer<GRPCFrontend.Transport>
  let shutdown: ShutdownSignal

  func run() async throws {
    let transport = server.transport
    // Told before this service is: streams end, and the time for calls in flight begins.
    let announcing = Task {
      await shutdown.wait()
      if !Task.isCancelled { transport.announceShutdown() }
    }
    defer { announcing.cancel() }
    try await withGracefulShutdownHandler {
      do {
        try await server.serve()
      } catch {
        // Cancelled when the time for a graceful shutdown has run out.
        try Task.checkCancellation()
        throw error
      }
    } onGracefulShutdown: {
      server.beginGracefulShutdown()
    }
  }
}

/// Takes expired objects out of the index a few times a second.
struct LayerMaintenance: Service {
  let layers: LayerRegistry
  private static let interval = Duration.milliseconds(40)

  func run() async throws {
    layers.clusterMaintainer.start()
    layers.watchMaintainer.start()
    defer {
      layers.clusterMaintainer.stop()
      layers.watchMaintainer.stop()
    }
    try? await cancelWhenGracefulShutdown {
      var ticks = 0
      while !Task.isCancelled {
        ticks += 1
        if ticks.isMultiple(of: 250) { layers.endEmptyLayers() }
        // All of them, however many expire at once: each call is short, others run in between.
        while layers.reclaimExpired() > 0 && !Task.isCancelled { await Task.yield() }
        try await Task.sleep(for: Self.interval)
      }
    }
  }
}

/// Ends long-lived streams when the shutdown begins; starts last, so it is told first.
struct ShutdownAnnouncer: Service {
  let shutdown: ShutdownSignal

  func run() async throws {
    await withGracefulShutdownHandler {
      await shutdown.wait()
    } onGracefulShutdown: {
      shutdown.begin()
    }
  }
}
