import MoyeoAPI

extension RequestValidation {
  /// The least time between two events of a stream, 50 ms to a minute.
  func interval(_ milliseconds: Int32?, default standard: Int32) throws(APIError) -> Duration {
    let interval = milliseconds ?? standard
    guard (50...60_000).contains(interval) else {
      throw APIError(
        .limitOutOfRange, field: "intervalMilliseconds",
        "intervalMilliseconds is 50 to 60000; got \(interval)")
    }
    return .milliseconds(Int(interval))
  }
}
