import Foundation
import DurableCommands
import RideMatching
import Parties

/// Clients that ask for seats, one after the other, each under a key of its own.
struct JoinRounds {
  let city: JoinedCity
  let ids: [String]
  let clients: Int
  private var rider = 0

  init(city: JoinedCity, ids: [String], clients: Int) {
    self.city = city
    self.ids = ids
    self.clients = clients
  }

  mutating func run(seconds: Double) async -> JoinRound {
    let first = rider
    let (partyService, ids, clients) = (city.partyService, ids, clients)
    let before = partyService.commitStatistics
    let processor = Self.processorSeconds()
    let start = ContinuousClock.now
    let end = start + .seconds(seconds)
    let done = await withTaskGroup(of: (waits: [Double], asked: Int, refused: Int).self) { group in
      for client in 0..<clients {
        group.addTask {
          var waits: [Double] = []
          var refused = 0
          var number = first + client
          while ContinuousClock.now < end {
            let began = ContinuousClock.now
            let id = ids[number % ids.count]
            let rider = "rider-\(number)"
            number += clients
            let context = CommandContext(
              caller: rider, path: "/v1/parties/\(id)/join", idempotencyKey: rider,
              requestHash: 1)
            do {
              _ = try await partyService.join(partyID: id, JoinParty(riderID: rider), context)
              waits.append((ContinuousClock.now - began) / .milliseconds(1))
            } catch { refused += 1 }
          }
          return (waits, number, refused)
        }
      }
      var all: (waits: [Double], asked: Int, refused: Int) = ([], 0, 0)
      for await one in group {
        all.waits += one.waits
        all.asked = max(all.asked, one.asked)
        all.refused += one.refused
      }
      return all
    }
    rider = done.asked
    let after = partyService.commitStatistics
    return JoinRound(
      seconds: (ContinuousClock.now - start) / .seconds(1), waits: done.waits.sorted(),
      isSoldOut: done.refused > 0,
      batch: Double(after.commands - before.commands) / Double(after.batches - before.batches),
      processorSeconds: Self.processorSeconds() - processor)
  }

  /// Of all threads of this process.
  private static func processorSeconds() -> Double {
    var used = rusage()
    getrusage(__rusage_who_t(0), &used)
    return Double(used.ru_utime.tv_sec + used.ru_stime.tv_sec)
      + Double(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6
  }
}

/// What a round came to.
struct JoinRound {
  let seconds: Double
  /// Milliseconds, ascending.
  let waits: [Double]
  let isSoldOut: Bool
  let batch: Double
  let processorSeconds: Double

  var line: String {
    func wait(_ share: Double) -> String {
      guard !waits.isEmpty else { return "-" }
      return String(format: "%.2f", waits[min(waits.count - 1, Int(Double(waits.count) * share))])
    }
    return "\(Int(Double(waits.count) / seconds))".padded(7) + " "
      + [0.5, 0.99, 0.999, 1].map { wait($0).padded(7) }.joined(separator: " ")
      + "    " + String(format: "%.1f", batch).padded(8)
      + String(format: "%.0f", processorSeconds * 1e6 / Double(max(1, waits.count))).padded(8)
  }
}
