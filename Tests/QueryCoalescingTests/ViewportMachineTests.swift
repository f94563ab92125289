import ObjectModel
import QueryCoalescing
import Testing
import Threading

/// Timelines: one character is 100 ms, a letter a request of that name.
private struct Marbles: Equatable, CustomStringConvertible {
  var runs: String
  var superseded: String
  var description: String { "\nruns        \(runs)\nsuperseded  \(superseded)" }

  /// Plays a line of requests. Sequence numbers, if any, are the letters' places in the alphabet.
  static func play(
    _ requests: String, interval: Int = 8, burst: Int = 1, sequences: Bool = false,
    withdrawing: [Character] = []
  ) -> Marbles {
    var machine = ViewportMachine<Int, Character>(
      settings: .init(interval: Nanoseconds(interval), burst: burst, reorderWindow: 20))
    var runs = ""
    var superseded = ""
    for (moment, request) in requests.enumerated() {
      var ran: [Character] = machine.runDue(at: Nanoseconds(moment))
      var lost: [Character] = []
      if request != "-" {
        let sequence = sequences ? UInt64(request.asciiValue ?? 0) : nil
        let submission = machine.submit(1, sequence: sequence, at: Nanoseconds(moment)) { request }
        if let replaced = submission.replaced { lost.append(replaced) }
        switch submission.decision {
        case .run: ran.append(request)
        case .held(let ticket, _):
          if withdrawing.contains(request) {
            #expect(machine.withdraw(1, ticket: ticket) == request)
            #expect(machine.withdraw(1, ticket: ticket) == nil)
          }
        case .superseded: lost.append(request)
        }
      }
      #expect(ran.count <= 1 && lost.count <= 1, "at \(moment): \(ran), \(lost)")
      runs.append(ran.first ?? "-")
      superseded.append(lost.first ?? "-")
    }
    return Marbles(runs: runs, superseded: superseded)
  }
}

@Suite struct ViewportMachineTests {
  @Test func theNewestViewportRunsAndOlderOnesAreSuperseded() {
    #expect(
      Marbles.play("a--b-c--------d---------")
        == Marbles(
          runs: "a-------c-------d-------",
          superseded: "-----b------------------"))
    // Rested: at once.
    #expect(
      Marbles.play("a-------b-----------c---")
        == Marbles(
          runs: "a-------b-----------c---",
          superseded: "------------------------"))
    // A long pan: one an interval, then the last.
    #expect(
      Marbles.play("abcdefghijklmnopqrst------")
        == Marbles(
          runs: "a-------h-------p-------t-",
          superseded: "--bcdefg-ijklmno-qrs------"))
  }

  @Test func aBurstRunsAtOnceAndIsPaidBackByWaiting() {
    #expect(
      Marbles.play("abcd--------------------e", burst: 3)
        == Marbles(
          runs: "abc-----d---------------e",
          superseded: "-------------------------"))
  }

  @Test func whatWasSentEarlierAndArrivesLaterIsSuperseded() {
    // b was sent before c and arrives after it.
    #expect(
      Marbles.play("a-c-b-------------------", sequences: true)
        == Marbles(
          runs: "a-------c---------------",
          superseded: "----b-------------------"))
    // The same number again is a repetition and takes the place of the first.
    #expect(
      Marbles.play("a-c-c-------------------", sequences: true)
        == Marbles(
          runs: "a-------c---------------",
          superseded: "----c-------------------"))
    // A client that starts anew long after is not late.
    #expect(
      Marbles.play("z-----------a-----------", sequences: true)
        == Marbles(
          runs: "z-----------------------",
          superseded: "------------a-----------"))
    #expect(
      Marbles.play("z-------------------a---", sequences: true)
        == Marbles(
          runs: "z-------------------a---",
          superseded: "------------------------"))
  }

  @Test func aWithdrawnViewportNeitherRunsNorSupersedes() {
    #expect(
      Marbles.play("a--b--c-----------------", withdrawing: ["b"])
        == Marbles(
          runs: "a-------c---------------",
          superseded: "------------------------"))
    #expect(
      Marbles.play("a--b----------c---------", withdrawing: ["b"])
        == Marbles(
          runs: "a-------------c---------",
          superseded: "------------------------"))
  }

  @Test func whatRateAllowanceAllows() {
    var one = RateAllowance(interval: 10, burst: 2)
    #expect([0, 0, 0, 5, 10, 10].map { one.take(at: $0) } == [nil, nil, 10, 5, nil, 10])
    var late = RateAllowance(interval: .max, burst: .max)
    #expect(late.take(at: .max) == nil && late.take(at: .max) == nil)
  }

  /// Random requests of many sessions with a late and jittery timer, held against the definition.
  @Test(arguments: [11, 12, 13, 14, 15, 16] as [UInt64])
  func theNewestRunsAndNoSessionExceedsItsRate(seed: UInt64) {
    struct Sent: Hashable {
      let session: Int
      let number: Int
    }
    var random = SplitMix64(seed: seed)
    let interval: Nanoseconds = 800
    let burst = 1 + random.below(2)
    var machine = ViewportMachine<Int, Sent>(
      settings: .init(interval: interval, burst: burst, reorderWindow: 3_000, sessions: 64))
    var now: Nanoseconds = 0
    var fate: [Sent: String] = [:]
    var newest: [Int: Int] = [:]
    var newestAt: [Int: Nanoseconds] = [:]
    var heldAt: [Sent: Nanoseconds] = [:]
    var runs: [Int: [Nanoseconds]] = [:]
    var withdrawnNewest: Set<Int> = []
    func ran(_ sent: Sent) {
      #expect(fate.updateValue("ran", forKey: sent) == nil || fate[sent] == "ran")
      #expect(newest[sent.session] == sent.number, "a superseded request ran")
      runs[sent.session, default: []].append(now)
    }
    var latest: Nanoseconds = 0
    for step in 0..<8_000 {
      now += Nanoseconds(random.below(30))
      if random.below(3) == 0 || step > 7_900 {
        let due = machine.runDue(at: now)
        for sent in due {
          ran(sent)
          latest = max(latest, now - (heldAt[sent] ?? now))
        }
      }
      guard step < 7_900 else {
        now += 100
        continue
      }
      // One noisy session, forty quiet ones.
      let session = random.below(2) == 0 ? 0 : 1 + random.below(40)
      let sent = Sent(session: session, number: (newest[session] ?? 0) + 1)
      let outdated =
        random.below(20) == 0 && sent.number > 3 && now - (newestAt[session] ?? 0) < 3_000
      let sequence = outdated ? sent.number - 2 : sent.number
      if outdated {
        let submission = machine.submit(session, sequence: UInt64(sequence), at: now) { sent }
        guard case .superseded = submission.decision else {
          Issue.record("an outdated request was not superseded")
          return
        }
        #expect(submission.replaced == nil)
        continue
      }
      newest[session] = sent.number
      newestAt[session] = now
      withdrawnNewest.remove(session)
      let submission = machine.submit(session, sequence: UInt64(sequence), at: now) { sent }
      if let replaced = submission.replaced {
        #expect(fate.updateValue("superseded", forKey: replaced) == nil)
        #expect(replaced.session == session)
      }
      switch submission.decision {
      case .run: ran(sent)
      case .held(let ticket, let until):
        #expect(until > now && until <= now + interval)
        heldAt[sent] = now
        if random.below(30) == 0 {
          #expect(machine.withdraw(session, ticket: ticket) == sent)
          fate[sent] = "withdrawn"
          withdrawnNewest.insert(session)
        }
      case .superseded: Issue.record("the newest request was superseded")
      }
      #expect(machine.sessionCount <= 64)
    }
    // The last one of every session ran, unless its caller left.
    for (session, number) in newest {
      let sent = Sent(session: session, number: number)
      #expect(fate[sent] == (withdrawnNewest.contains(session) ? "withdrawn" : "ran"), "\(sent)")
    }
    // Every request has one fate.
    for (session, number) in newest {
      for n in 1...number { #expect(fate[Sent(session: session, number: n)] != nil) }
    }
    // At most one run an interval, bursts aside.
    for (_, times) in runs where times.count > burst {
      for i in burst..<times.count { #expect(times[i] - times[i - burst] >= interval) }
    }
    // Nobody is held longer than an interval and the timer's delay, the noisy one or not.
    #expect(latest <= interval + 500)
    #expect(machine.nextDeadline == nil)
  }

  @Test func memoryIsBoundedAndIdleSessionsAreForgotten() {
    var machine = ViewportMachine<Int, Int>(settings: .init(interval: 100, sessions: 50))
    for session in 0..<1_000 {
      let decision = machine.submit(session, sequence: nil, at: 0) { session }.decision
      #expect(decision == .run)
    }
    #expect(machine.sessionCount == 50 && machine.statistics.unthrottled == 950)
    // A held request survives every turn-over.
    let held = machine.submit(0, sequence: nil, at: 50) { 7 }.decision
    #expect(held == .held(ticket: 1, until: 100))
    var ran: [Int] = []
    for now in stride(from: 60, to: 2_000, by: 20) as StrideTo<Nanoseconds> {
      ran += machine.runDue(at: now)
      _ = machine.submit(Int(now) + 5_000, sequence: nil, at: now) { -1 }
    }
    #expect(ran == [7])
    for now in stride(from: 2_000, to: 30_000_000_000, by: 3_000_000_000) as StrideTo<Nanoseconds> {
      _ = machine.submit(1, sequence: nil, at: now) { -1 }
    }
    #expect(machine.sessionCount == 1)
  }
}
