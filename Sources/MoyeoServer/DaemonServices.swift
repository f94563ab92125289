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

/// Takes expired objects out of the index, some tens of milliseconds after they expire.
struct LayerMaintenance: Service {
  let layers: LayerRegistry
  private static let interval = Duration.milliseconds(40)
  /// The pause while nothing expires. Waking a thread that often costs an idle daemon more than all
  /// that it does then; an object that is reported to live for less is taken out this much later.
  private static let restMilliseconds: Int64 = 250
  private static let lookForEmpty = Duration.seconds(10)

  func run() async throws {
    layers.clusterMaintainer.start()
    layers.watchMaintainer.start()
    defer {
      layers.clusterMaintainer.stop()
      layers.watchMaintainer.stop()
    }
    try? await cancelWhenGracefulShutdown {
      var nextLookForEmpty = ContinuousClock.now + Self.lookForEmpty
      while !Task.isCancelled {
        if ContinuousClock.now >= nextLookForEmpty {
          layers.endEmptyLayers()
          nextLookForEmpty = .now + Self.lookForEmpty
        }
        // All of them, however many expire at once: each call is short, others run in between.
        while layers.reclaimExpired() > 0 && !Task.isCancelled { await Task.yield() }
        try await Task.sleep(
          for: layers.mayExpire(withinMilliseconds: Self.restMilliseconds)
            ? Self.interval : .milliseconds(Self.restMilliseconds))
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
