import Foundation
import GeoMath
import HTTPTypes
import MoyeoAPI
import ObjectModel
import PeerMatching
import Testing
import TestSupport
import Threading

@testable import DurableCommands
@testable import Identity
@testable import LiveLayers
@testable import MoyeoAdapters
@testable import MoyeoServer
@testable import Tickets

/// A verifier whose tokens a test lets expire; the token is the user's id otherwise.
private final class ExpiringVerifier: TokenVerifier {
  private let expired = StateLock(false)

  func expire(_ isExpired: Bool = true) { expired.withLock { $0 = isExpired } }

  func verify(_ token: String, now: Instant) -> TokenVerdict {
    expired.withLock { $0 }
      ? .expired : .caller(Caller(subject: token, scopes: [.read, .report, .command]))
  }
}

/// The door over a service in memory, with a clock that the test moves.
private struct Fixture {
  let clock = ManualClock(Instant(milliseconds: 1_790_000_000_000))
  let verifier = ExpiringVerifier()
  let layers: LayerRegistry
  let commands: TenantCommands
  let tickets: TicketService
  let door: StudyQueueDoor
  let services: DoorServices

  init() throws {
    layers = LayerRegistry(clock: clock, epoch: 7)
    commands = try TenantCommands(
      tenant: "default", store: MemoryStore(), clock: clock, eventsInMemory: 1024,
      idempotencySecret: (1, 2))
    var configuration = TicketServiceConfiguration()
    configuration.timerMilliseconds = 3_600_000
    tickets = try TicketService(layers: layers, commands: commands, configuration: configuration)
    tickets.start()
    door = StudyQueueDoor(
      tickets: tickets, verifier: verifier,
      profiles: ProfileSource(layers: layers, layerName: "users"), workPerRequest: 1 << 20,
      clock: clock)
    var sessions = SessionSettings()
    sessions.intervalSeconds = 0
    services = DoorServices(
      throttle: SessionThrottle(settings: sessions), pool: BoundedThreadPool(threadCount: 1))
  }

  func stop() {
    tickets.stop()
    commands.stop()
  }

  func call(_ user: String, _ method: String, _ path: String, _ body: String = "=") async
    -> DoorAnswer
  {
    await door.answer(
      DoorRequest(
        method: method, path: "/v1/queue" + path, query: nil,
        headers: [.init("idtoken")!: user], body: Array(body.utf8)), services)
  }

  static let place = "lat=37.4979&long=127.0276&studylist=swift"

  func meet(_ one: String, _ other: String) async {
    for user in [one, other] { #expect(await call(user, "POST", "", Self.place).status == 200) }
    #expect(await call(one, "POST", "/studyrequest", "otheruid=\(other)").status == 200)
    #expect(await call(other, "POST", "/studyaccept", "otheruid=\(one)").status == 200)
  }
}

@Suite("The study queue's door")
struct StudyQueueDoorTests {
  @Test("The first match called off costs a minute, the second two, every further one three")
  func penalties() async throws {
    let fixture = try Fixture()
    defer { fixture.stop() }
    for (i, status) in [203, 204, 205, 205].enumerated() {
      await fixture.meet("ann", "ben")
      #expect(await fixture.call("ann", "POST", "/dodge", "otheruid=ben").status == 200)
      let refused = await fixture.call("ann", "POST", "", Fixture.place)
      #expect(refused.status == status)
      // 204 and 205 cannot carry a body; a client reads the next answer wrongly if they do.
      #expect(refused.body.isEmpty == (status != 203))
      let milliseconds = Int64(min(i + 1, 3) * 60_000)
      fixture.clock.advance(milliseconds: milliseconds - 1)
      #expect(await fixture.call("ann", "POST", "", Fixture.place).status == status)
      fixture.clock.advance(milliseconds: 1)
    }
    #expect(await fixture.call("ann", "POST", "", Fixture.place).status == 200)
  }

  @Test(
    "A token that expires before any write leaves everything as it was; the repeated write works")
  func expiringToken() async throws {
    let fixture = try Fixture()
    defer { fixture.stop() }
    await fixture.meet("ben", "cat")
    let writes = [
      ("ann", "POST", "", Fixture.place), ("dan", "POST", "", Fixture.place),
      ("ann", "POST", "/studyrequest", "otheruid=dan"),
      ("dan", "POST", "/studyaccept", "otheruid=ann"),
      ("dan", "POST", "/dodge", "otheruid=ann"),
      ("ann", "POST", "/rate/dan", "otheruid=dan&reputation=1&reputation=0&comment=x"),
      ("eve", "POST", "", Fixture.place), ("eve", "DELETE", "", "="),
    ]
    for (user, method, path, body) in writes {
      let before = fixture.tickets.eventBounds.newest
      fixture.verifier.expire()
      let expired = await fixture.call(user, method, path, body)
      #expect(expired.status == 401)
      #expect(expired.reason == .tokenExpired)
      #expect(fixture.tickets.eventBounds.newest == before)
      fixture.verifier.expire(false)
      #expect(await fixture.call(user, method, path, body).status == 200, "\(path)")
      #expect(fixture.tickets.eventBounds.newest > before, "\(path)")
    }
  }

  @Test("Leaving the queue never ends a match, whichever comes first")
  func leaveIsNoDodge() async throws {
    let fixture = try Fixture()
    defer { fixture.stop() }
    for round in 0..<20 {
      let (one, other) = ("one\(round)", "other\(round)")
      for user in [one, other] { _ = await fixture.call(user, "POST", "", Fixture.place) }
      _ = await fixture.call(one, "POST", "/studyrequest", "otheruid=\(other)")
      async let left = fixture.call(one, "DELETE", "")
      async let accepted = fixture.call(other, "POST", "/studyaccept", "otheruid=\(one)")
      let outcome = (await left.status, await accepted.status)
      #expect(outcome == (201, 200) || outcome == (200, 202))
      let isMatched = try fixture.tickets.peek(other).ticket.match != nil
      #expect(isMatched == (outcome.0 == 201))
    }
  }

  @Test("A waiting that ended without a match is not in the queue, whatever came before it")
  func stateAfterOldMatches() async throws {
    let fixture = try Fixture()
    defer { fixture.stop() }
    await fixture.meet("ann", "ben")
    #expect(await fixture.call("ann", "POST", "/rate/ben", "reputation=1").status == 200)
    #expect(await fixture.call("ann", "GET", "/myQueueState").status == 200)
    fixture.clock.advance(milliseconds: 1000)
    #expect(await fixture.call("ann", "POST", "", Fixture.place).status == 200)
    #expect(await fixture.call("ann", "DELETE", "").status == 200)
    #expect(await fixture.call("ann", "GET", "/myQueueState").status == 201)
    // The search stops by itself after a long wait.
    #expect(await fixture.call("ann", "POST", "", Fixture.place).status == 200)
    fixture.clock.advance(milliseconds: 3_600_000)
    #expect(await fixture.call("ann", "GET", "/myQueueState").status == 201)
  }
}
