import ObjectModel
import RideMatching
import Testing

@testable import DurableCommands
@testable import Parties
@testable import Tickets
import TestSupport

/// What a person who is erased leaves behind in parties and in other people's tickets.
struct PartyErasureTests {
  @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
  func onlyTheNameAndWhatPoliciesLookAtChange(seed: UInt64) throws {
    let party = PartyRecordTests.party(seed: seed)
    let bytes = PartyRecord.encode(party)
    #expect(try PartyRecord.replacing("nobody", by: "erased-1", in: bytes) == nil)
    for rider in party.riders {
      let out = try #require(try PartyRecord.replacing(rider.id, by: "erased-1", in: bytes))
      var expected = party
      let place = try #require(expected.riders.firstIndex { $0.id == rider.id })
      expected.riders[place].id = "erased-1"
      expected.riders[place].attributes = [:]
      if let stop = party.riders[place].boarding {
        expected.riders[place].boarding?.asked = stop.place.coordinate
        expected.riders[place].boarding?.place.name = ""
      }
      expected.route.stops = party.route.stops.map { stop in
        var stop = stop
        if stop.riderID == rider.id { stop.riderID = "erased-1" }
        return stop
      }
      expected.route.stopOrder = party.route.stopOrder.map { $0 == rider.id ? "erased-1" : $0 }
      let read = try PartyRecord.decode(out.bytes)
      #expect(read.riders == expected.riders)
      #expect(read.route.stopOrder == expected.route.stopOrder)
      #expect(read.route.stops == expected.route.stops)
      #expect(read.fare == party.fare)
      #expect(out.ownerID == read.hostID)
      #expect(try !PartyRecord.people(in: out.bytes).contains(rider.id))
      #expect(try PartyRecord.replacing(rider.id, by: "erased-2", in: out.bytes) == nil)
    }
  }

  @Test func whoIsErasedLeavesWhatIsOpenAndStaysInWhatHasDeparted() async throws {
    let clock = ManualClock(PartyFixture.start)
    let both = try NoShowTests.Both(MemoryStore(), clock)
    defer { both.commands.stop() }
    let departed = try await both.departingParty(clock)
    _ = try await both.parties.depart(
      partyID: departed, actorID: "host", CommandContext(path: "/depart"))
    let open = try await both.parties.create(
      PartyFixture.create("rider", minutes: 300), PartyFixture.plain
    ).party.id
    for _ in 0..<2 { try await both.parties.retire("rider", PartyFixture.plain) }
    #expect(try await both.parties.get(open, minVersion: nil).state == .cancelled)
    #expect(try await both.riders(departed) == ["host", "rider"])
  }
}
