import ObjectModel
import Testing

@Suite struct InstantTests {
  @Test func additionStaysAtTheEnds() {
    #expect(Instant(milliseconds: .max).advanced(milliseconds: 1) == .distantFuture)
    #expect(Instant(milliseconds: .min).advanced(milliseconds: -1) == .distantPast)
    #expect(Instant(milliseconds: 5).advanced(milliseconds: .max) == .distantFuture)
    #expect(Instant(milliseconds: -5).advanced(milliseconds: .min) == .distantPast)
    #expect(Instant(milliseconds: 5).advanced(milliseconds: -7) == Instant(milliseconds: -2))
  }

  @Test func differencesStayAtTheEnds() {
    #expect(Instant.distantFuture.milliseconds(since: .distantPast) == .max)
    #expect(Instant.distantPast.milliseconds(since: .distantFuture) == .min)
    #expect(Instant(seconds: 3).milliseconds(since: Instant(milliseconds: 500)) == 2_500)
  }

  @Test func secondsStayAtTheEnds() {
    #expect(Instant(seconds: .max) == .distantFuture)
    #expect(Instant(seconds: .min) == .distantPast)
    #expect(Instant(seconds: -1).milliseconds == -1_000)
    #expect(Instant(seconds: 1) < Instant(milliseconds: 1_001))
  }

  @Test func manualClockStandsStillUntilMoved() {
    let clock = ManualClock(Instant(seconds: 10))
    #expect(clock.now() == clock.now())
    clock.advance(milliseconds: 1_500)
    #expect(clock.now() == Instant(milliseconds: 11_500))
    clock.set(Instant(seconds: 1))
    #expect(clock.now() == Instant(seconds: 1))
  }
}

@Suite struct UTCOffsetsTests {
  /// New York in 2015: EST until 8 March 07:00 UTC, EDT until 1 November 06:00 UTC.
  static let spring = Instant(seconds: 1_425_798_000)
  static let autumn = Instant(seconds: 1_446_357_600)
  static let newYork = UTCOffsets(
    initialSeconds: -18_000,
    transitions: [.init(start: autumn, seconds: -18_000), .init(start: spring, seconds: -14_400)])

  @Test func offsetsChangeExactlyAtTheTransition() {
    let zone = Self.newYork
    #expect(zone.transitions.map(\.start) == [Self.spring, Self.autumn])
    #expect(zone.seconds(at: Self.spring.advanced(milliseconds: -1)) == -18_000)
    #expect(zone.seconds(at: Self.spring) == -14_400)
    #expect(zone.seconds(at: Self.autumn.advanced(milliseconds: -1)) == -14_400)
    #expect(zone.seconds(at: Self.autumn) == -18_000)
    #expect(zone.seconds(at: .distantPast) == -18_000)
    #expect(zone.seconds(at: .distantFuture) == -18_000)
  }

  @Test func nextTransitions() {
    let zone = Self.newYork
    #expect(zone.nextTransition(after: .distantPast)?.start == Self.spring)
    #expect(zone.nextTransition(after: Self.spring)?.start == Self.autumn)
    #expect(zone.nextTransition(after: Self.autumn) == nil)
    #expect(UTCOffsets(initialSeconds: 32_400).nextTransition(after: .distantPast) == nil)
    #expect(UTCOffsets(initialSeconds: 32_400).seconds(at: Self.spring) == 32_400)
  }

  @Test func searchAgreesWithAScan() {
    var state: UInt64 = 4
    let transitions = (0..<50).map { i in
      UTCOffsets.Transition(start: Instant(seconds: Int64(i * i)), seconds: i)
    }
    let zone = UTCOffsets(initialSeconds: -1, transitions: transitions.reversed())
    for _ in 0..<1_000 {
      state = state &* 6_364_136_223_846_793_005 &+ 1
      let at = Instant(seconds: Int64(state >> 50) % 3_000 - 100)
      let expected = transitions.last { $0.start <= at }?.seconds ?? -1
      #expect(zone.seconds(at: at) == expected)
      #expect(zone.nextTransition(after: at) == transitions.first { $0.start > at })
    }
  }
}
