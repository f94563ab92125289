import Foundation
import GRPCCore
import MoyeoAPI
import ServiceLifecycle
import SwiftProtobuf
import Testing

@testable import MoyeoServer

/// The daemon ends although streams are open: `RunningDaemon.run` returns only when it has.
@Suite struct ShutdownTests {
  @Test(.timeLimit(.minutes(10)))
  func openStreamsEndWhenTheShutdownBegins() async throws {
    try await RunningDaemon.run { daemon in
      let (opened, opens) = AsyncStream.makeStream(of: Void.self)
      let reports = Task {
        try await daemon.positions.streamReports { writer in
          try await writer.write(
            .with {
              $0.layer = "users"
              $0.positions = [
                .with {
                  $0.id = "a"
                  $0.latitude = 1
                  $0.longitude = 1
                }
              ]
            })
          // Holds the stream open: never writes again, never ends.
          try await Task.sleep(for: .seconds(3600))
        } onResponse: { response in
          for try await message in response.messages {
            #expect(message.accepted == 1)
            opens.yield()
          }
        }
      }
      let health = Grpc_Health_V1_Health.Client(wrapping: daemon.grpc)
      let watch = Task {
        try await health.watch(.init()) { response in
          var states: [Grpc_Health_V1_HealthCheckResponse.ServingStatus] = []
          for try await message in response.messages {
            states.append(message.status)
            if states.count == 1 { opens.yield() }
          }
          return states
        }
      }
      var open = opened.makeAsyncIterator()
      await open.next()
      await open.next()
      let start = ContinuousClock.now
      await daemon.group.triggerGracefulShutdown()
      let states = try await watch.value
      #expect(states == [.serving, .notServing])
      let ended = await #expect(throws: RPCError.self) { try await reports.value }
      #expect(ended?.code == .unavailable, "\(String(describing: ended))")
      // At once, not when the time for a graceful shutdown has run out.
      #expect(ContinuousClock.now - start < .seconds(5))
    }
  }
}
