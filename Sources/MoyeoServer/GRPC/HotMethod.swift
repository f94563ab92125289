/// A call that the hot lane answers: encoded messages in, encoded messages out.
final class HotMethod: Sendable {
  enum Kind: Sendable {
    /// One message, one answer.
    case unary(@Sendable (UnsafeRawBufferPointer) throws(APIError) -> [UInt8])
    /// Any number of messages, one answer each.
    case stream(@Sendable () -> any HotStream)
  }

  /// Of one message.
  let maximumRequestBytes: Int
  /// Counts unary calls, and each message of a stream.
  let recorder: RequestMetrics.Recorder
  /// Requests of a viewport session may have to wait, which the lane cannot.
  let isThrottled: Bool
  let kind: Kind

  init(
    maximumRequestBytes: Int, recorder: RequestMetrics.Recorder, isThrottled: Bool = false,
    kind: Kind
  ) {
    self.maximumRequestBytes = maximumRequestBytes
    self.recorder = recorder
    self.isThrottled = isThrottled
    self.kind = kind
  }
}

/// What one stream of a hot method remembers from message to message.
protocol HotStream: AnyObject {
  /// What it throws ends the stream.
  func answer(_ message: UnsafeRawBufferPointer) throws(APIError) -> [UInt8]
}
