import ObjectModel
import Testing
import Threading

@Suite struct FairQueueTests {
  @Test func sessionsTakeTurns() throws {
    var queue = FairQueue<Character, String>()
    for name in ["a1", "a2", "a3", "b1", "c1", "c2", "a4"] {
      try queue.append(name, of: name.first ?? "?")
    }
    var order: [String] = []
    while let next = queue.popFirst() { order.append(next.element) }
    #expect(order == ["a1", "b1", "c1", "a2", "c2", "a3", "a4"])
    #expect(queue.isEmpty && queue.sessionCount == 0)
  }

  @Test func aFullSessionAndAFullQueueAreRefused() throws {
    var queue = FairQueue<Int, Int>(capacity: 3, perSession: 2)
    try queue.append(1, of: 1)
    try queue.append(2, of: 1)
    #expect(throws: FairQueue<Int, Int>.Refusal.sessionFull(limit: 2)) {
      try queue.append(3, of: 1)
    }
    try queue.append(4, of: 2)
    #expect(throws: FairQueue<Int, Int>.Refusal.queueFull(limit: 3)) {
      try queue.append(5, of: 3)
    }
    #expect(queue.count == 3)
  }

  /// Against a model; and nobody waits for more than one round, whatever the others ask for.
  @Test(arguments: [61, 62, 63, 64] as [UInt64])
  func theQueueIsAsAModelAndNobodyWaitsForMoreThanARound(seed: UInt64) throws {
    struct Item: Equatable {
      let session: Int
      let number: Int
    }
    var random = SplitMix64(seed: seed)
    var queue = FairQueue<Int, Item>(capacity: 200, perSession: 40)
    var model: [Int: [Item]] = [:]
    /// Turns of others since a session became the next but had not been served.
    var served: [Int: [Int: Int]] = [:]
    for number in 0..<10_000 {
      switch random.below(20) {
      case 0..<10:
        // Session 0 is the greedy one.
        let session = random.below(3) == 0 ? 1 + random.below(9) : 0
        let item = Item(session: session, number: number)
        let length = model[session]?.count ?? 0
        do {
          try queue.append(item, of: session)
          if length == 0 { served[session] = [:] }
          model[session, default: []].append(item)
        } catch {
          #expect(length == 40 || model.values.reduce(0) { $0 + $1.count } == 200)
        }
      case 10:
        let session = random.below(10)
        let gone = queue.removeAll(of: session, where: { $0.number % 3 == 0 })
        let expected = (model[session] ?? []).filter { $0.number % 3 == 0 }
        #expect(gone == expected)
        model[session]?.removeAll { $0.number % 3 == 0 }
      default:
        guard let (session, item) = queue.popFirst() else {
          #expect(model.values.allSatisfy { $0.isEmpty })
          continue
        }
        #expect(model[session]?.first == item)
        model[session]?.removeFirst()
        // Between two turns of a session each other session has at most one.
        served[session] = [:]
        for other in served.keys where other != session {
          served[other]?[session, default: 0] += 1
          if model[other]?.isEmpty == false {
            #expect(
              (served[other]?[session] ?? 0) <= 1, "\(session) was served twice before \(other)")
          }
        }
      }
      #expect(queue.count == model.values.reduce(0) { $0 + $1.count })
      #expect(queue.sessionCount == model.values.filter { !$0.isEmpty }.count)
    }
  }
}
