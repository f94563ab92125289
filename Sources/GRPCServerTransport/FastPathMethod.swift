/// A method whose calls the fast path answers: encoded messages in, encoded messages out.
package final class FastPathMethod: Sendable {
  /// Answers one message on the event loop: it must be short, and must not block.
  package typealias Handler = @Sendable (UnsafeRawBufferPointer) throws(CallRefusal) -> [UInt8]

  /// What a call of the method is made of.
  package enum Kind: Sendable {
    /// Each call has one message and one answer.
    case unary(Handler)
    /// Each call has any number of messages with one answer each.
    case stream(@Sendable () -> any FastPathStream)
  }

  /// The most bytes that one message may have.
  let maximumRequestBytes: Int
  /// Counts unary calls, and each message of a stream.
  let recorder: any CallRecorder
  /// Whether calls with the header ``FastPathServerTransport/Settings/bypassHeader`` go to the
  /// stream handlers, because they may have to wait.
  let honoursBypassHeader: Bool
  /// Answers a unary request that the handler left by throwing ``CallRefusal/deferral``, somewhere
  /// else than on the event loop.
  package typealias Deferred = @Sendable ([UInt8]) async throws(CallRefusal) -> [UInt8]
  let deferred: Deferred?
  /// Whether ``deferred`` only hands its request on before it waits, so that for a small one it begins on
  /// the event loop.
  let handsOnDeferred: Bool
  let kind: Kind

  /// What becomes of a call once it is known who makes it.
  package enum Binding: Sendable {
    /// This method answers the call.
    case method(FastPathMethod)
    case refused(CallRefusal)
    case forStreamHandlers
  }

  /// Tells by the header `authorization` of a call who makes it, on the event loop.
  package typealias Binder = @Sendable (_ authorization: String?) -> Binding
  let binder: Binder?
  /// Whether a call is asked who makes it before anything else.
  package var asksWhoCalls: Bool { binder != nil }

  package init(
    maximumRequestBytes: Int, recorder: any CallRecorder, honoursBypassHeader: Bool = false,
    deferred: Deferred? = nil, handsOnDeferred: Bool = false, binder: Binder? = nil, kind: Kind
  ) {
    self.maximumRequestBytes = maximumRequestBytes
    self.recorder = recorder
    self.honoursBypassHeader = honoursBypassHeader
    self.deferred = deferred
    self.handsOnDeferred = handsOnDeferred
    self.binder = binder
    self.kind = kind
  }

  /// The same method, whose calls are bound to who makes them before anything is read of them.
  package func bound(_ binder: @escaping Binder) -> FastPathMethod {
    FastPathMethod(
      maximumRequestBytes: maximumRequestBytes, recorder: recorder,
      honoursBypassHeader: honoursBypassHeader, deferred: deferred,
      handsOnDeferred: handsOnDeferred, binder: binder, kind: kind)
  }
}

/// What a stream of a fast-path method remembers from message to message.
package protocol FastPathStream: AnyObject {
  /// Answers one message on the event loop.
  ///
  /// - Throws: The refusal that ends the stream.
  func answer(_ message: UnsafeRawBufferPointer) throws(CallRefusal) -> [UInt8]
}
