import Foundation
import GRPCCore
import MoyeoAPI
import MoyeoClient
import ObjectModel
import SwiftProtobuf
import Synchronization
import Threading
import Testing

@testable import MoyeoServer

/// The Swift client over grpc-swift's transport, with default options: 16 callers on one connection
/// beside a stream. Each command runs once, counted by the daemon's own events.
///
/// `MOYEO_CLIENT_SECONDS` goes on for so long instead of a fixed number of calls.
@Suite struct StockSwiftClientTests {
  private static let callers = 16
  private static let callsOfOne = 30

  /// What the callers saw.
  private final class Books: Sendable {
    struct State {
      var attempted: Set<String> = []
      var acknowledged: Set<String> = []
      /// Of calls that their caller neither cancelled nor hurried.
      var failures: [String: Int] = [:]
    }
    let state = StateLock(State())
    /// Events that the stream brought.
    let told = Atomic(0)

    func begin(_ host: String) { state.withLock { _ = $0.attempted.insert(host) } }
    func acknowledge(_ host: String) { state.withLock { _ = $0.acknowledged.insert(host) } }
    func fail(_ error: MoyeoError) {
      state.withLock { $0.failures["\(error)", default: 0] += 1 }
    }
  }

  private static func request(_ host: String) -> Moyeo_V1_CreatePartyRequest {
    .with {
      $0.hostID = host
      $0.origin = .with {
        $0.latitude = 37.5547
        $0.longitude = 126.9707
      }
      $0.destination = .with {
        $0.latitude = 37.4979
        $0.longitude = 127.0276
      }
      // An hour after the daemon's clock.
      $0.departureTime = .with { $0.seconds = RunningDaemon.start.milliseconds / 1000 + 3600 }
    }
  }

  /// Hosts by the events of parties created: how often each was.
  private static func created(_ daemon: RunningDaemon) async throws -> [String: Int] {
    var (found, after): ([String: Int], Int) = ([:], 0)
    while true {
      let page = try await daemon.get("/v1/events?after=\(after)&limit=1000&kinds=party.created")
      #expect(page.status == 200, "\(page.text)")
      for event in page.object["events"] as? [[String: Any]] ?? [] {
        let host = (event["body"] as? [String: Any])?["hostId"] as? String ?? ""
        found[host, default: 0] += 1
      }
      let next = page.object["next"] as? Int ?? after
      guard next != after else { return found }
      after = next
    }
  }

  @Test func eachCommandRunsOnceBesideAWatch() async throws {
    let seconds = ProcessInfo.processInfo.environment["MOYEO_CLIENT_SECONDS"].flatMap(Double.init)
    let end = seconds.map { ContinuousClock.now + .seconds($0) }
    try await PartyWireTests.run { daemon in
      let endpoint = Endpoint.grpc(host: "127.0.0.1", port: daemon.addresses.grpcPort)
      let books = Books()
      // However long other tests keep the machine: an answer that is late is not what is tested.
      // Each call is made once: what is tested is not mended by another attempt.
      try await MoyeoClient.with(
        endpoint, configuration: .init(timeout: .seconds(300), retries: .never)
      ) { client in
        let (ended, ends) = AsyncStream.makeStream(of: MoyeoError?.self)
        let watch = Task {
          do {
            try await client.watchEvents(.init()) { _ in books.told.add(1, ordering: .relaxed) }
            ends.yield(nil)
          } catch {
            ends.yield(error as? MoyeoError)
          }
          ends.finish()
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
          for caller in 0..<Self.callers {
            group.addTask { try await Self.call(client, endpoint, caller, until: end, books) }
          }
          try await group.waitForAll()
        }
        #expect(!watch.isCancelled)
        watch.cancel()
        // It lived until it was no longer wanted.
        for await error in ended { #expect(error == .cancelled) }
      }
      let (attempted, acknowledged, failures) = books.state.withLock {
        ($0.attempted, $0.acknowledged, $0.failures)
      }
      let made = try await Self.created(daemon)
      #expect(Set(made.values) == [1], "commands that ran more than once")
      #expect(acknowledged.isSubset(of: made.keys))
      #expect(Set(made.keys).isSubset(of: attempted))
      #expect(failures == [:])
      #expect(acknowledged.count > Self.callers * Self.callsOfOne / 2)
      #expect(books.told.load(ordering: .relaxed) > 0)
    }
  }

  /// Of ten calls one is cancelled and one has a deadline that it may miss.
  private static func call(
    _ client: MoyeoClient, _ endpoint: Endpoint, _ caller: Int, until end: ContinuousClock.Instant?,
    _ books: Books
  ) async throws {
    let hurried = try MoyeoClient(
      endpoint, configuration: .init(timeout: .milliseconds(2 + caller), retries: .never))
    var number = 0
    while end.map({ .now < $0 }) ?? (number < callsOfOne) {
      number += 1
      let host = "swift-\(caller)-\(number)"
      books.begin(host)
      switch number % 10 {
      case 3:
        let call = Task { await create(host, client, books, mayFail: true) }
        await Task.yield()
        call.cancel()
        await call.value
      case 7: await create(host, hurried, books, mayFail: true)
      default: await create(host, client, books)
      }
    }
    await hurried.close()
  }

  private static func create(
    _ host: String, _ client: MoyeoClient, _ books: Books, mayFail: Bool = false
  ) async {
    do throws(MoyeoError) {
      _ = try await client.createParty(request(host))
      books.acknowledge(host)
    } catch {
      if !mayFail { books.fail(error) }
    }
  }
}
