import GRPCServerTransport
import NIOCore
import NIOHTTP1

/// Requests of the fast path that turn out to be long: the pool answers them, and the connection waits.
extension HTTPRequestGate {
  /// A request that the pool answers. What comes meanwhile waits until it is answered.
  struct PoolRequest {
    let task: Task<Void, Never>
    fileprivate(set) var waiting: [Input] = []
  }

  enum Input {
    case part(HTTPServerRequestPart)
    case event(Any)
    case error(any Error)
  }

  /// The most parts of requests that wait behind one that the pool answers. One piece of input, of 64
  /// KiB, has fewer unless all its requests are of one line.
  private static let maximumWaitingInputs = 8_192

  /// Has a request answered by the pool. The task is cancelled when the connection ends.
  func answerOnPool(_ call: HTTPFastPath.PoolCall, _ context: ChannelHandlerContext) {
    guard let fastPath else { return }
    unanswered += 1
    deadlines?.requestArrived(at: context.eventLoop.now)
    let task = context.eventLoop.answerLater {
      await fastPath.answerOnPool(call)
    } _: { [weak self] answer in
      self?.finishPoolRequest(answer, context)
    }
    poolRequest = PoolRequest(task: task)
  }

  private func finishPoolRequest(_ answer: ByteBuffer, _ context: ChannelHandlerContext) {
    guard let request = poolRequest, let deadlines, context.channel.isActive else { return }
    poolRequest = nil
    unanswered -= 1
    let written = context.eventLoop.makePromise(of: Void.self)
    deadlines.write(answer, promise: written)
    context.flush()
    deadlines.answersEnded(at: context.eventLoop.now)
    for input in request.waiting { take(input, after: written.futureResult, context) }
    if !request.waiting.isEmpty { channelReadComplete(context: context) }
    // Whoever asked to read on meanwhile was not heard.
    if poolRequest == nil { context.read() }
  }

  /// Has something that came behind a request for the pool wait.
  func keep(_ input: Input, _ context: ChannelHandlerContext) {
    poolRequest?.waiting.append(input)
    // Nothing is read meanwhile, but for what is left when the peer says that it will send no more.
    if poolRequest?.waiting.count ?? 0 > Self.maximumWaitingInputs { context.close(promise: nil) }
  }

  /// Takes what waited behind a request for the pool, or has it wait again, behind another one.
  ///
  /// - Parameters:
  ///   - input: What waited.
  ///   - written: Succeeds once the request's answer is with the system.
  ///   - context: Of this handler.
  private func take(
    _ input: Input, after written: EventLoopFuture<Void>, _ context: ChannelHandlerContext
  ) {
    if poolRequest != nil { return keep(input, context) }
    switch input {
    case .part(let part): channelRead(context: context, data: Self.wrapInboundOut(part))
    case .error(let error): errorCaught(context: context, error: error)
    case .event(let event):
      guard event is ChannelShouldQuiesceEvent else {
        return userInboundEventTriggered(context: context, event: event)
      }
      // Whoever closes the connection for it would take back what is not written.
      written.assumeIsolated().whenComplete { [weak self] _ in
        self?.userInboundEventTriggered(context: context, event: event)
      }
    }
  }
}
