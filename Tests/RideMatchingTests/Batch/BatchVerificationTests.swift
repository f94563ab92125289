import ObjectModel
import RoutePlanning
import TaxiFares
import Testing

@testable import RideMatching

/// The checker itself: each kind of damage to a good answer is found.
@Suite struct BatchVerificationTests {
  private let requests: [RideRequest]
  private let options = BatchOptions(iterations: 50, pricing: BatchCases.pricing)
  private let good: BatchResult

  init() {
    var cases = BatchCases(seed: 21)
    requests = cases.requests(40)
    good = BatchMatching.solve(requests: requests, options: options)
  }

  private func problems(
    _ requests: [RideRequest]? = nil, _ damage: (inout BatchResult) -> Void = { _ in }
  ) -> [BatchVerification.Problem] {
    var result = good
    damage(&result)
    return BatchVerification.problems(
      of: result, requests: requests ?? self.requests, options: options)
  }

  @Test func goodAnswerHolds() { #expect(problems() == []) }

  @Test func findsARequestTwice() {
    #expect(
      problems { $0.unmatched.append($0.groups[0].members[0]) }
        == [.notOnce(request: good.groups[0].members[0])])
    #expect(problems { $0.unmatched.append(99) } == [.notOnce(request: 99)])
  }

  @Test func findsBrokenLimits() {
    let group = good.groups[0]
    let member = group.members[1]
    var changed = requests
    changed[member].limits.maxWalkMeters = group.walkMeters[1] - 1
    #expect(
      problems(changed).contains {
        if case .walksTooFar(0, member, _) = $0 { true } else { false }
      })
    changed = requests
    changed[member].window = DepartureWindow(
      time: group.departure.advanced(milliseconds: 60_001), toleranceMilliseconds: 60_000)
    #expect(problems(changed).contains(.outsideWindow(group: 0, request: member)))
    changed = requests
    changed[member].seats = 4
    #expect(
      problems(changed).contains {
        if case .tooManySeats(0, _) = $0 { true } else { false }
      })
    changed = requests
    changed[member].limits.maxDetourRatio = -0.9
    #expect(
      problems(changed).contains {
        if case .ridesTooFar(0, member, _, _) = $0 { true } else { false }
      })
    changed = requests
    changed[member].riderID = changed[group.members[0]].riderID
    #expect(
      problems(changed).contains {
        if case .sameRider(0, _) = $0 { true } else { false }
      })
  }

  @Test func findsWrongFigures() {
    func finds(_ name: String, _ damage: (inout BatchResult) -> Void) -> Bool {
      problems(nil, damage).contains {
        if case .wrongFigure(_, name, _, _) = $0 { true } else { false }
      }
    }
    #expect(finds("fare") { $0.groups[0].fare += 100 })
    #expect(finds("shares") { $0.groups[0].shares.removeLast() })
    #expect(finds("saving") { $0.groups[0].saving += 1 })
    #expect(finds("objective") { $0.objective += 1 })
    #expect(finds("distanceMeters") { $0.groups[0].distanceMeters += 1 })
    #expect(finds("durationSeconds") { $0.groups[0].durationSeconds += 1 })
    #expect(finds("walkMeters") { $0.groups[0].walkMeters[1] += 1 })
    #expect(finds("departure") { $0.groups[0].departure.milliseconds -= 1 })
    #expect(problems { $0.groups[0].dropOffOrder.removeLast() }.contains(.badOrder(group: 0)))
  }
}
