import Dispatch
import MoyeoEngine
import ObjectModel
import ServiceLifecycle

/// PartyService and EventService over one desk.
struct PartyCalls: Sendable {
  let operations: [Operation]
  let streams: [StreamOperation]

  init(
    desk: PartyDesk, clock: any WallClock, validation: RequestValidation, shared: SharedReads,
    shutdown: ShutdownSignal
  ) {
    let parties = PartyOperations(
      desk: desk, clock: clock, validation: validation, shared: shared)
    let events = EventOperations(desk: desk, shutdown: shutdown)
    operations = parties.all + [events.list]
    streams = [
      PartyWatch(desk: desk, reading: parties.reading).operation,
      MatchWatch(operations: parties).operation, events.stream,
    ]
  }
}

/// Runs the desk's commit thread and timers; stops once all calls have ended, when everything that
/// was accepted is on disk.
struct PartyDeskService: Service {
  let desk: PartyDesk

  func run() async throws {
    desk.start()
    try? await gracefulShutdown()
    await withCheckedContinuation { done in
      DispatchQueue.global().async {
        desk.stop()
        done.resume()
      }
    }
  }
}

/// The desk's figures as Prometheus text.
enum PartyFigures {
  static func text(_ desk: PartyDesk) -> String {
    let statistics = desk.commitStatistics
    let bounds = desk.eventBounds
    var out = ""
    func add(_ name: String, _ kind: String, _ value: some BinaryInteger) {
      out += "# TYPE \(name) \(kind)\n\(name) \(value)\n"
    }
    add("moyeo_parties", "gauge", desk.partyCount)
    add("moyeo_read_only", "gauge", desk.readOnlyReason == nil ? 0 : 1)
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
    return out
  }
}
