import DurableCommands
import ObjectModel
import RideMatching
import WireFormat

/// What a commute's event says, as a JSON object: the names of the API's Commute where it has them.
enum CommuteEventBody {
  static func bytes(_ event: CommuteEvent, _ commute: Commute) -> [UInt8] {
    JSONWriter.object { json in
      json.string("commuteId", commute.id)
      switch commute.trip {
      case .party(let create): json.string("hostId", create.hostID)
      case .request: break
      }
      switch event.detail {
      case .created, .updated: schedule(commute, &json)
      case .cancelled(let reason): json.string("reason", reason)
      case .ended: json.string("state", commute.state.rawValue)
      case .joined(let id), .left(let id): json.string("riderId", id)
      case .appeared(let day): self.day(day, commute, &json)
      case .skipped(let day, let message):
        self.day(day, commute, &json)
        json.string("message", message)
      case .joinRefused(let id, let day, let reason, let message):
        json.string("riderId", id)
        self.day(day, commute, &json)
        json.string("reason", reason)
        json.string("message", message)
      }
    }
  }

  private static func schedule(_ commute: Commute, _ json: inout JSONWriter) {
    let schedule = commute.schedule
    if case .request(let query, _) = commute.trip { json.string("riderId", query.riderID) }
    json.strings("weekdays", schedule.weekdays.words)
    json.string("localTime", schedule.localTimeText)
    json.string("timeZone", schedule.timeZone)
    json.string("from", schedule.from.isoText)
    json.string("to", schedule.through.isoText)
    json.strings("added", schedule.added.map(\.isoText))
    json.strings("removed", schedule.removed.map(\.isoText))
    if let name = schedule.holidays { json.string("holidays", name) }
  }

  private static func day(_ day: CommuteDay, _ commute: Commute, _ json: inout JSONWriter) {
    json.string("date", day.date.isoText)
    json.string("departureTime", RFC3339.utc(day.departure))
    switch (day.outcome, commute.trip) {
    case (.appeared(let id), .party): json.string("partyId", id)
    case (.appeared(let id), .request): json.string("requestId", id)
    case (.skipped(let reason), _): json.string("reason", reason)
    }
  }
}
