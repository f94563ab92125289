import MoyeoAPI
import RideMatching
import WireFormat

extension APIError {
  /// The one place where refusals of commutes get their reasons. Of a schedule all is told that is wrong
  /// with it.
  init(_ error: CommuteError) {
    let reason = Reason(error)
    if let field = error.field {
      self.init(reason, field: field, error.message)
    } else {
      self.init(reason, error.message)
    }
    switch error {
    case .badSchedule(let problems):
      fields = problems.map {
        FieldViolation(field: $0.field, reason: Reason($0), message: $0.message)
      }
    case .cancelled(let at), .ended(let at): metadata = ["at": RFC3339.utc(at)]
    case .unknown, .notHost, .alreadyRider, .tooManyRiders, .fieldOfOthers: break
    }
  }
}

extension Reason {
  init(_ error: CommuteError) {
    switch error {
    case .unknown: self = .unknownCommute
    case .badSchedule(let problems): self = problems.first.map { Reason($0) } ?? .badDate
    case .cancelled: self = .commuteCancelled
    case .ended: self = .commuteEnded
    case .notHost: self = .notHost
    case .alreadyRider: self = .alreadyMember
    case .tooManyRiders: self = .quotaExceeded
    case .fieldOfOthers: self = .conflictingFields
    }
  }

  fileprivate init(_ problem: CommuteProblem) {
    switch problem {
    case .noWeekday: self = .badWeekday
    case .unknownTimeZone: self = .badTimeZone
    case .unknownCalendar: self = .unknownCalendar
    case .outsideCalendar, .endsBeforeItStarts, .isOver, .tooLong, .startsTooLate, .dateOutside,
      .addedAndRemoved, .nothingRuns:
      self = .badDate
    case .tooManyDates: self = .quotaExceeded
    }
  }
}

/// Collects what is wrong with a request's fields, so that all of it is told at once.
struct FieldProblems {
  private(set) var first: APIError?
  private var fields: [APIError.FieldViolation] = []

  /// The value, or nil where it is refused, which is noted.
  mutating func read<Value>(_ body: () throws(APIError) -> Value) -> Value? {
    do throws(APIError) {
      return try body()
    } catch {
      first = first ?? error
      fields += error.fields
      return nil
    }
  }

  /// - Throws: The first refusal, with the fields of all.
  func check() throws(APIError) {
    guard var error = first else { return }
    error.fields = fields
    throw error
  }
}
