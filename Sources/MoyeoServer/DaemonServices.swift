import GRPCCore
import MoyeoEngine
import ServiceLifecycle

/// Serves gRPC until the shutdown begins, then lets calls in flight end.
struct GRPCService: Service {
  let server: GRPCServer<GRPCFrontend.Transport>

  func run() async throws {
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
struct EngineMaintenance: Service {
  let engine: Engine
  private static let interval = Duration.milliseconds(40)

  func run() async throws {
    engine.clusterMaintainer.start()
    engine.watchMaintainer.start()
    defer {
      engine.clusterMaintainer.stop()
      engine.watchMaintainer.stop()
    }
    try? await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        // All of them, however many expire at once: each call is short, others run in between.
        while engine.reclaimExpired() > 0 && !Task.isCancelled { await Task.yield() }
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
