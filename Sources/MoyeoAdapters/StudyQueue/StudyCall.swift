/// A call of the study-mate queue.
enum StudyCall: Hashable, Sendable, CaseIterable {
  case join
  case leave
  case search
  case state
  case ask
  case accept
  case dodge
  case rate
  /// No call of theirs.
  case unknown

  /// In metrics.
  var name: String {
    switch self {
    case .join: "StudyQueueJoin"
    case .leave: "StudyQueueLeave"
    case .search: "StudyQueueSearch"
    case .state: "StudyQueueState"
    case .ask: "StudyQueueAsk"
    case .accept: "StudyQueueAccept"
    case .dodge: "StudyQueueDodge"
    case .rate: "StudyQueueRate"
    case .unknown: "StudyQueueUnknown"
    }
  }

  /// A call and the person that its path names.
  struct Match: Hashable, Sendable {
    var call: StudyCall
    var pathUserID: String?
  }

  static let roots = ["/v1/queue", "/queue"]

  /// Matches both dialects; the older one has no version in its paths and other words.
  static func match(method: String, path: String) -> Match {
    guard var segments = DoorPath.segments(path) else { return Match(call: .unknown) }
    if segments.first == "v1" { segments.removeFirst() }
    guard segments.first == "queue" else { return Match(call: .unknown) }
    let rest = Array(segments.dropFirst())
    if rest.count == 2, method == "POST", rest[0] == "rate", !rest[1].isEmpty {
      return Match(call: .rate, pathUserID: rest[1])
    }
    guard rest.count <= 1 else { return Match(call: .unknown) }
    let call: StudyCall =
      switch (method, rest.first) {
      case ("POST", nil): .join
      case ("DELETE", nil): .leave
      case ("POST", "search"), ("POST", "onqueue"): .search
      case ("GET", "myQueueState"), ("HEAD", "myQueueState"): .state
      case ("POST", "studyrequest"), ("POST", "hobbyrequest"): .ask
      case ("POST", "studyaccept"), ("POST", "hobbyaccept"): .accept
      case ("POST", "dodge"): .dodge
      case ("POST", "rate"): .rate
      default: .unknown
      }
    return Match(call: call)
  }
}
