import DurableCommands
import ObjectModel
import Testing
import Threading

@testable import MoyeoCluster

/// The record's clock as a daemon tells it, however its own clock is set.
@Suite struct ClusterClockTests {
  private static let second: Nanoseconds = 1_000_000_000
  private static let start = Instant(milliseconds: 1_785_000_000_000)

  /// A server's clock and the way to it.
  private struct Server {
    let monotonic = ManualMonotonicClock(7 * ClusterClockTests.second)
    /// From the monotonic clock to the server's time.
    var offset: Nanoseconds

    var time: Instant {
      Instant(milliseconds: (monotonic.now() + offset) / 1_000_000)
    }

    /// A reading whose ways there and back take so long.
    func read(_ clock: ClusterClock, there: Nanoseconds, back: Nanoseconds) {
      let asked = clock.moment()
      monotonic.advance(by: there)
      let told = (monotonic.now() + offset) / 1000
      monotonic.advance(by: back)
      clock.take(microseconds: told, asked: asked, answered: clock.moment())
    }
  }

  @Test(arguments: [-5_000, 5_000, 86_400_000])
  func aClockThatIsSetWrongDoesNoHarm(_ skew: Int64) {
    let server = Server(offset: Self.start.milliseconds * 1_000_000)
    let wall = ManualClock(server.time.advanced(milliseconds: skew))
    let clock = ClusterClock(monotonic: server.monotonic, wall: wall)
    // Until the server was asked, the machine's own is all there is.
    #expect(clock.now() == wall.now())
    server.read(clock, there: 400_000, back: 600_000)
    #expect(abs(clock.now().milliseconds - server.time.milliseconds) <= 1)
    // Somebody sets it while the daemon runs: nothing goes by it.
    wall.advance(milliseconds: 3_600_000)
    server.monotonic.advance(by: 10 * Self.second)
    #expect(abs(clock.now().milliseconds - server.time.milliseconds) <= 1)
  }

  @Test func slowAnswersMakeItNoWorse() {
    let server = Server(offset: Self.start.milliseconds * 1_000_000)
    let clock = ClusterClock(monotonic: server.monotonic, wall: ManualClock(Self.start))
    server.read(clock, there: 2_000_000_000, back: 0)
    // All that the first tells is that it is within a second.
    #expect(abs(clock.now().milliseconds - server.time.milliseconds) <= 1_000)
    var random = SplitMix64(seed: 5)
    for _ in 0..<500 {
      let slow = random.below(10) == 0
      server.read(
        clock, there: Nanoseconds(random.below(slow ? 900_000_000 : 900_000)),
        back: Nanoseconds(random.below(slow ? 900_000_000 : 900_000)))
      server.monotonic.advance(by: 100_000_000)
    }
    #expect(abs(clock.now().milliseconds - server.time.milliseconds) <= 2)
  }

  /// It drifts by 100 parts in a million, and is away for an hour.
  @Test func itGoesOnWhileTheServerIsAway() {
    var server = Server(offset: Self.start.milliseconds * 1_000_000)
    let clock = ClusterClock(monotonic: server.monotonic, wall: ManualClock(Self.start))
    func drift(_ span: Nanoseconds) {
      server.monotonic.advance(by: span)
      server.offset += span / 10_000
    }
    for _ in 0..<1_000 {
      server.read(clock, there: 300_000, back: 300_000)
      drift(100_000_000)
    }
    #expect(abs(clock.now().milliseconds - server.time.milliseconds) <= 2)
    drift(3_600 * Self.second)
    #expect(abs(clock.now().milliseconds - server.time.milliseconds) <= 365)
    server.read(clock, there: 300_000, back: 300_000)
    #expect(abs(clock.now().milliseconds - server.time.milliseconds) <= 1)
  }

  @Test func aServerWhoseClockIsAnotherIsFollowed() {
    var server = Server(offset: Self.start.milliseconds * 1_000_000)
    let clock = ClusterClock(monotonic: server.monotonic, wall: ManualClock(Self.start))
    server.read(clock, there: 100_000, back: 100_000)
    server.offset -= 4 * Self.second
    server.read(clock, there: 5_000_000, back: 5_000_000)
    #expect(abs(clock.now().milliseconds - server.time.milliseconds) <= 5)
  }

  @Test func beforeItsOriginItIsRoundedDownAsWell() {
    let clock = ClusterClock(
      monotonic: ManualMonotonicClock(500_000), wall: ManualClock(Instant(milliseconds: -3)))
    #expect(clock.now() == Instant(milliseconds: -3))
  }
}

/// What the doctor says of what a server told.
@Suite struct ClusterDoctorTests {
  @Test func whatACommitSurvives() {
    func grade(
      _ commit: String, _ names: String, all: Int64 = 0, synchronous: Int64 = 0, unseen: Int64 = 0
    ) -> ClusterDoctor.Finding.Grade {
      ClusterDoctor.standbys(
        commit: commit, names: names, all: all, synchronous: synchronous, unseen: unseen
      ).grade
    }
    #expect(grade("on", "") == .notice)
    #expect(grade("local", "") == .notice)
    #expect(grade("off", "") == .wrong)
    #expect(grade("local", "*", all: 1, synchronous: 1) == .wrong)
    #expect(grade("on", "*") == .wrong)
    #expect(grade("on", "*", all: 1, synchronous: 1) == .notice)
    #expect(grade("remote_apply", "ANY 1 (a, b)", all: 2, synchronous: 2) == .fine)
    #expect(grade("on", "*", all: 2, unseen: 2) == .notice)
  }

  @Test func clocksAndDaemons() {
    #expect(ClusterDoctor.clock(skew: -900).grade == .fine)
    #expect(ClusterDoctor.clock(skew: 5_000).text.contains("5000 ms ahead of"))
    #expect(ClusterDoctor.clock(skew: -5_000).text.contains("5000 ms behind"))
    #expect(ClusterDoctor.followers(0, slowest: 0).grade == .notice)
    #expect(ClusterDoctor.followers(3, slowest: 90).grade == .fine)
    #expect(ClusterDoctor.followers(3, slowest: 2_001).grade == .wrong)
    #expect(ClusterDoctor.leader(nil).grade == .notice)
  }

  @Test func aRecordIsLookedThrough() throws {
    let address = try ScratchPostgres.shared.get().migratedSchema()
    let store = try PostgresStore(connection: address.connection)
    func findings() -> [String: ClusterDoctor.Finding.Grade] {
      Dictionary(
        ClusterDoctor.examine(address.connection).map { ($0.subject, $0.grade) },
        uniquingKeysWith: { first, _ in first })
    }
    #expect(
      store.commit([group(party("p", version: 1), expecting: 0, events: [event(0, "p")])])[0]
        .isCommitted)
    var found = findings()
    // The tests' server does without fsync.
    #expect(found["disk"] == .wrong)
    for subject in ["postgres", "schema", "clock", "events"] { #expect(found[subject] == .fine) }
    #expect(found["standby"] == .notice)
    #expect(found["timers"] == .notice)
    try address.run("DELETE FROM events")
    #expect(findings()["events"] == .wrong)
    try address.run("INSERT INTO schema_migrations (number, name) VALUES (99, 'later')")
    found = findings()
    #expect(found["schema"] == .wrong && found["events"] == nil)
    let nobody = ClusterDoctor.examine("host=127.0.0.1 port=1 password=s3cret")
    #expect(nobody.map(\.grade) == [.wrong])
    #expect(!nobody[0].text.contains("s3cret"))
  }
}
