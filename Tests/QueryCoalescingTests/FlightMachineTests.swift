import ObjectModel
import QueryCoalescing
import Testing
import Threading

/// The rules of flights under random schedules.
@Suite struct FlightMachineTests {
  private struct Caller: Hashable {
    let id: Int
    let key: Int
    let arrivedAt: Nanoseconds
    let freshness: Freshness
  }

  private struct Flight {
    let key: Int
    var startedAt: Nanoseconds?
    var reading: Reading?
    let marks: Bool
  }

  /// Random arrivals, readings, endings, cancellations and deadlines; every step is held against
  /// what a caller may rely on.
  @Test(arguments: [71, 72, 73, 74, 75, 76, 77, 78] as [UInt64])
  func everyWaiterIsAnsweredOnceWithAReadingItAccepts(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var machine = FlightMachine<Int, Caller, UInt64>(
      limits: SingleFlightLimits(waitersPerKey: 12, keys: 5))
    var now: Nanoseconds = 0
    var version: UInt64 = 0
    var flights: [UInt64: Flight] = [:]
    /// Who waits where; a leader that has not attached waits too, without a payload.
    var places: [Int: (caller: Caller, flight: UInt64, waiter: UInt64, isAttached: Bool)] = [:]
    var answered = 0

    func begin(_ id: UInt64) {
      flights[id]?.startedAt = now
      if flights[id]?.marks == false { flights[id]?.reading = Reading(time: now) }
      let key = flights[id]?.key
      let running = flights.values.filter { $0.key == key && $0.startedAt != nil }.count
      #expect(running == 1, "two computations at once for one key")
    }

    func check(_ caller: Caller, _ reading: Reading) {
      answered += 1
      let isNew = reading.time >= caller.arrivedAt
      #expect(isNew || caller.freshness.accepts(reading, at: caller.arrivedAt), "a stale answer")
    }

    for step in 0..<12_000 {
      now += Nanoseconds(random.below(10))
      if random.below(3) == 0 { version += 1 }
      switch random.below(12) {
      case 0..<6:
        let caller = Caller(
          id: step, key: random.below(7), arrivedAt: now,
          freshness: [
            .current, .unlimited, Freshness(maximumAge: Nanoseconds(random.below(60))),
            Freshness(sufficientVersion: version),
          ][random.below(4)])
        let marks = random.below(2) == 0
        let crowd = places.values.filter { $0.caller.key == caller.key }.count
        let keys = Set(flights.values.map(\.key))
        let joinable = flights.contains { entry in
          entry.value.key == caller.key
            && (entry.value.reading.map { caller.freshness.accepts($0, at: now) } ?? true)
        }
        let arrival = machine.arrive(
          caller.key, freshness: caller.freshness, at: now, marksReading: marks,
          makeWaiter: { caller }, makeWork: { $0 })
        switch arrival {
        case .lead(let id, let waiter, let work):
          #expect(work == id && !joinable && !keys.contains(caller.key))
          flights[id] = Flight(key: caller.key, marks: marks)
          begin(id)
          places[step] = (caller, id, waiter, false)
        case .joined(let id, let waiter):
          #expect(flights[id]?.startedAt != nil && flights[id]?.key == caller.key)
          places[step] = (caller, id, waiter, true)
        case .queued(let id, let waiter, let isFirst):
          if isFirst {
            #expect(!joinable)
            flights[id] = Flight(key: caller.key, marks: marks)
          }
          #expect(flights[id]?.startedAt == nil && flights[id]?.key == caller.key)
          places[step] = (caller, id, waiter, true)
        case .refused(.tooManyWaiters): #expect(crowd == 12)
        case .refused(.tooManyKeys): #expect(keys.count == 5 && !keys.contains(caller.key))
        case .refused(.deadlineExceeded): Issue.record("the machine knows no deadlines")
        }
      case 6:
        for (id, place) in places where !place.isAttached {
          let isAttached = machine.attach(
            place.caller.key, flight: place.flight, waiter: place.waiter, place.caller)
          #expect(isAttached)
          places[id]?.isAttached = true
        }
      case 7:
        guard
          let (id, flight) = flights.first(where: { $0.value.marks && $0.value.startedAt != nil })
        else { continue }
        guard flight.reading == nil else { continue }
        let reading = Reading(time: now, version: version)
        machine.mark(flight.key, flight: id, reading: reading)
        flights[id]?.reading = reading
        #expect(machine.reading(flight.key, flight: id) == reading)
      case 8, 9:
        guard
          let (id, flight) = flights.filter({ $0.value.startedAt != nil }).min(by: {
            $0.key < $1.key
          })
        else { continue }
        // Work that has to say when it reads may end before only with an error.
        let failed = flight.reading == nil || random.below(4) == 0
        let departure = machine.finish(flight.key, flight: id, failed: failed) { now }
        guard let departure else {
          Issue.record("a running flight was not known")
          continue
        }
        // Whoever waited for it hears of it, the detached leader by itself.
        let expected = places.values.filter { $0.flight == id }
        let told = departure.others + (departure.leader.map { [$0] } ?? [])
        #expect(Set(told) == Set(expected.filter(\.isAttached).map(\.caller)))
        #expect(told.count == Set(told).count)
        for place in expected {
          if !failed { check(place.caller, departure.reading) }
          places[place.caller.id] = nil
        }
        flights[id] = nil
        if let next = departure.start { begin(next) }
        let twice = machine.finish(flight.key, flight: id, failed: false) { now }
        #expect(twice == nil)
      default:
        guard
          let place = places.values.filter(\.isAttached).min(by: { $0.caller.id < $1.caller.id })
        else { continue }
        let key = place.caller.key
        let departure = machine.leave(key, flight: place.flight, waiter: place.waiter, at: now)
        places[place.caller.id] = nil
        let others = places.values.filter { $0.flight == place.flight }.count
        let wasRunning = flights[place.flight]?.startedAt != nil
        #expect(departure != nil)
        #expect(departure?.others.isEmpty == true && departure?.leader == nil)
        // The work is cancelled if and only if nobody waits for it any more.
        #expect((departure?.cancel == place.flight) == (others == 0 && wasRunning))
        if others == 0 { flights[place.flight] = nil }
        if let next = departure?.start { begin(next) }
        let twice = machine.leave(key, flight: place.flight, waiter: place.waiter, at: now)
        #expect(twice == nil)
      }
      #expect(machine.keyCount == Set(flights.values.map(\.key)).count)
      // Every waiter has a flight that runs, or one that starts when the running one ends.
      for place in places.values {
        let flight = flights[place.flight]
        #expect(flight != nil)
        if flight?.startedAt == nil {
          #expect(flights.values.contains { $0.key == place.caller.key && $0.startedAt != nil })
        }
      }
    }
    #expect(answered > 1_000)
    // When the work stops coming and each flight ends, nobody is left.
    while let (id, flight) = flights.first(where: { $0.value.startedAt != nil }) {
      let departure = machine.finish(flight.key, flight: id, failed: false) { now }
      for place in places.values where place.flight == id { places[place.caller.id] = nil }
      flights[id] = nil
      if let next = departure?.start { begin(next) }
    }
    #expect(places.isEmpty && machine.keyCount == 0)
    let counts = machine.statistics
    #expect(counts.started + counts.joined + counts.refused <= counts.arrivals)
  }

  @Test func aRefreshBelongsToNobody() {
    var machine = FlightMachine<Int, Int, UInt64>()
    let work = machine.refresh(1, at: 0, marksReading: false) { $0 }
    #expect(work != nil)
    let again = machine.refresh(1, at: 0, marksReading: false) { $0 }
    #expect(again == nil)
    guard let work,
      case .joined(let flight, let waiter) = machine.arrive(
        1, freshness: .unlimited, at: 1, marksReading: false, makeWaiter: { 7 }, makeWork: { $0 })
    else {
      Issue.record("a refresh cannot be joined")
      return
    }
    let departure = machine.leave(1, flight: flight, waiter: waiter, at: 2)
    #expect(flight == work && departure?.cancel == nil && machine.keyCount == 1)
    let end = machine.finish(1, flight: work, failed: false) { 3 }
    #expect(end?.reading == Reading(time: 0) && machine.keyCount == 0)
  }
}
