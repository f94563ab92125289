import GRPCCore
import GRPCNIOTransportHTTP2
import MoyeoEngine
import ServiceLifecycle

/// Serves gRPC until the shutdown begins, then lets calls in flight end.
struct GRPCService: Service {
  let server: GRPCServer<GRPCFrontend.Transport>
  let executor: EventLoopTaskExecutor
  let onListening: @Sendable () async throws -> Void

  func run() async throws {
    try await withGracefulShutdownHandler {
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          try await withTaskExecutorPreference(executor) { try await server.serve() }
        }
        do {
          try await onListening()
        } catch {
          // The server did not start, and its own error says why.
          try await group.waitForAll()
          throw error
        }
        do {
          try await group.waitForAll()
        } catch {
          // Cancelled when the time for a graceful shutdown has run out.
          try Task.checkCancellation()
          throw error
        }
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
