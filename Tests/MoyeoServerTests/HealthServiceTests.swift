import GRPCCore
import MoyeoAPI
import ServiceLifecycle
import SwiftProtobuf
import Testing

@testable import MoyeoServer

/// The gRPC health service says what `/readyz` says.
@Suite(.timeLimit(.minutes(5))) struct HealthServiceTests {
  private typealias Status = Grpc_Health_V1_HealthCheckResponse.ServingStatus

  @Test func aDrainedDaemonIsNotServing() async throws {
    try await RunningDaemon.run { daemon in
      let health = Grpc_Health_V1_Health.Client(wrapping: daemon.grpc)
      for isDraining in [false, true, false] {
        _ = daemon.readiness.setDraining(isDraining)
        for service in ["", "moyeo.v1.PositionService"] {
          let answer = try await health.check(.with { $0.service = service })
          #expect(answer.status == (isDraining ? .notServing : .serving))
        }
        #expect(try await daemon.get("/readyz").status == (isDraining ? 503 : 200))
      }
    }
  }

  @Test("Watch tells each change, and a watcher that leaves is forgotten")
  func watching() async throws {
    try await RunningDaemon.run { daemon in
      let health = Grpc_Health_V1_Health.Client(wrapping: daemon.grpc)
      try await health.watch(.with { $0.service = "" }) { response in
        var seen: [Status] = []
        for try await answer in response.messages {
          seen.append(answer.status)
          switch seen.count {
          case 1: _ = daemon.readiness.setDraining(true)
          case 2: _ = daemon.readiness.setDraining(false)
          case 3: await daemon.group.triggerGracefulShutdown()
          default: break
          }
        }
        // The shutdown ends it, after the last word.
        #expect(seen == [.serving, .notServing, .serving, .notServing])
      }
      #expect(daemon.readiness.watcherCount == 0)
    }
  }

  @Test func aServiceThatIsNotKnownStaysUnknown() async throws {
    try await RunningDaemon.run { daemon in
      let health = Grpc_Health_V1_Health.Client(wrapping: daemon.grpc)
      try await health.watch(.with { $0.service = "nope" }) { response in
        var seen: [Status] = []
        for try await answer in response.messages {
          seen.append(answer.status)
          _ = daemon.readiness.setDraining(true)
          await daemon.group.triggerGracefulShutdown()
        }
        #expect(seen == [.serviceUnknown])
      }
    }
  }

  @Test func aDaemonThatIsStartingIsNotServing() async throws {
    let readiness = Readiness(waitingFor: ["demo"])
    var changes = readiness.changes().makeAsyncIterator()
    await changes.next()
    #expect(!readiness.isReady && readiness.watcherCount == 1)
    readiness.markReady("demo")
    await changes.next()
    #expect(readiness.isReady)
  }
}
