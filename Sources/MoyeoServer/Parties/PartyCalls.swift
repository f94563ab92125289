import Dispatch
import Parties
import ObjectModel
import ServiceLifecycle
import DurableCommands

/// PartyService and EventService over one partyService.
struct PartyCalls: Sendable {
  let operations: [Operation]
  let streams: [StreamOperation]

  init(
    partyService: PartyService, services: RequestServices, shutdown: ShutdownSignal
  ) {
    let parties = PartyOperations(partyService: partyService, services: services)
    let events = EventOperations(partyService: partyService, shutdown: shutdown)
    let commutes = CommuteOperations(partyService: partyService, services: services)
    operations = parties.all + commutes.all + [events.list]
    streams = [
      PartyWatch(partyService: partyService, reading: parties.reading).operation,
      MatchWatch(operations: parties).operation, events.stream,
    ]
  }
}

/// Runs the parties' commit thread and timers; stops once all calls have ended, when everything that
/// was accepted is on disk.
struct PartyLifecycle: Service {
  let partyService: PartyService

  func run() async throws {
    partyService.start()
    try? await gracefulShutdown()
    await withCheckedContinuation { done in
      DispatchQueue.global().async {
        partyService.stop()
        done.resume()
      }
    }
  }
}

/// The partyService's figures as Prometheus text.
enum PartyFigures {
  static func text(_ partyService: PartyService) -> String {
    let statistics = partyService.commitStatistics
    let bounds = partyService.eventBounds
    var out = ""
    func add(_ name: String, _ kind: String, _ value: some BinaryInteger) {
      out += "# TYPE \(name) \(kind)\n\(name) \(value)\n"
    }
    add("moyeo_parties", "gauge", partyService.partyCount)
    add("moyeo_read_only", "gauge", partyService.readOnlyReason == nil ? 0 : 1)
    add("moyeo_events_newest_sequence", "gauge", bounds.newest)
    add("moyeo_commit_queue", "gauge", statistics.queued)
    add("moyeo_commit_commands_total", "counter", statistics.commands)
    add("moyeo_commit_batches_total", "counter", statistics.batches)
    add("moyeo_commit_groups_total", "counter", statistics.committedGroups)
    add("moyeo_commit_duplicates_total", "counter", statistics.duplicates)
    add("moyeo_commit_conflicts_total", "counter", statistics.conflicts)
    add("moyeo_commit_not_done_total", "counter", statistics.notDone)
    add("moyeo_commit_unknown_outcomes_total", "counter", statistics.unknownOutcomes)
    add("moyeo_commit_refused_for_load_total", "counter", statistics.refusedForLoad)
    add("moyeo_commit_missed_deadlines_total", "counter", statistics.missedDeadlines)
    guard let following = partyService.following else { return out }
    add("moyeo_following_lag_milliseconds", "gauge", following.lagMilliseconds)
    add("moyeo_following_commits_total", "counter", following.commits)
    add("moyeo_following_leads", "gauge", partyService.isLeading ? 1 : 0)
    return out
  }
}
