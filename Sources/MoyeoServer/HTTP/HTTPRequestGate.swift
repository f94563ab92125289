import CallTracing
import Dispatch
import GRPCServerTransport
import MoyeoAPI
import NIOCore
import NIOHTTP1

/// Stands between the HTTP/1.1 parser and the calls of one connection, and refuses what can be
/// judged by a head: a wrong host, a foreign origin, a body that is too large. It also turns the
/// parser's errors into refusals, and says `100 Continue` to who waits for it with a body that
/// will be read (RFC 9110, section 10.1.1; curl waits a second for the word).
///
/// An answer may be given before its request has arrived. What still comes is then thrown away,
/// so that the caller can finish sending and read the answer: closing at once would have the
/// system send a reset, which may take the answer from the caller. Only where that would be too
/// much, or nobody knows where the next request begins, does the connection end, after a while in
/// which what comes is thrown away too.
///
/// ```
/// passing --refused--> discarding --end of the request--> passing
///    |--refused behind other answers--> refusing --those are out--> lingering --time--> closed
///    +--answer that says close------------------------------------------^
/// ```
final class HTTPRequestGate: ChannelDuplexHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  private enum Stage {
    /// Requests go on to their calls.
    case passing
    /// The newest request is refused; the rest of it is thrown away.
    case discarding
    /// Nothing more goes on. The refusal waits until `answersBefore` answers are out.
    case refusing(Refusal, answersBefore: Int)
    /// The last answer is written; what arrives is thrown away.
    case lingering
  }

  private struct Refusal {
    let error: APIError
    /// The same in the dialect of who asks.
    var dialect: DoorAnswer?
    var origin: String?
    var isHead = false
    var tags = CallTagHeaders()
    /// Of the request; known once the refusal is counted.
    var requestID = ""
    /// Whether the connection ends with it.
    var isLast = true
  }

  /// How long what arrives after the last answer is thrown away.
  private static let lingerTime = TimeAmount.seconds(5)
  /// The most bytes of a request that are thrown away.
  private static let maximumDiscardedBytes = 64 << 20

  /// A request that is answered in front of the calls once all of it has come.
  private struct ShortRequest {
    let answer: ShortAnswer
    let head: HTTPRequestHead
    var body: ByteBuffer?
  }

  private enum ShortAnswer {
    case call(HTTPFastPath.Call)
    /// That the daemon lives.
    case liveness(CallTagHeaders)
  }

  /// How many requests that came together are answered on the spot: those behind them wait their
  /// turn among the requests of other connections.
  static let maximumShortAnswersInARow = 16

  private let policy: RequestHeadPolicy
  let fastPath: HTTPFastPath?
  private let identifiers: CallIdentifiers
  let deadlines: HTTPDeadlines?
  /// Counts a refusal, and returns the identifier of its request.
  typealias Record = @Sendable (Reason, _ start: UInt64, CallTagHeaders) -> String
  private let record: Record
  private var stage = Stage.passing
  /// Requests that went on and whose answers have not ended.
  var unanswered = 0
  private var isAnswerBegun = false
  /// Whether all of the newest request has arrived.
  private var isNewestComplete = true
  private var isAnswerTheLast = false
  /// Whether the rest of the newest request can be thrown away, so that the connection goes on.
  private var isNewestShort = true
  private var discardedBytes = 0
  private var linger: EventLoopTimer?
  private var memory = HTTPFastPath.Memory()
  private var shortRequest: ShortRequest?
  /// What the pool answers for the fast path.
  var poolRequest: PoolRequest?
  /// Since bytes came last.
  private var shortAnswers = 0

  /// Stands in one connection, with no request seen yet.
  ///
  /// - Parameters:
  ///   - policy: Judges the heads.
  ///   - fastPath: Answers what is short, which takes `deadlines` to write; `nil` where the calls
  ///     answer everything.
  ///   - identifiers: Names the requests that are answered here.
  ///   - deadlines: Stands in front of the parser of the same connection.
  ///   - record: Counts a refusal; `start` is the time at which its request came.
  init(
    policy: RequestHeadPolicy, fastPath: HTTPFastPath? = nil,
    identifiers: CallIdentifiers = CallIdentifiers(), deadlines: HTTPDeadlines? = nil,
    record: @escaping Record
  ) {
    self.policy = policy
    self.fastPath = deadlines == nil ? nil : fastPath
    self.identifiers = identifiers
    self.deadlines = deadlines
    self.record = record
  }

  // MARK: - Requests

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let part = Self.unwrapInboundIn(data)
    if poolRequest != nil { return keep(.part(part), context) }
    tellDeadlines(of: part, context)
    guard case .passing = stage else { return discard(part, context) }
    if shortRequest != nil { return continueShort(with: part, context) }
    switch part {
    case .head(let head):
      begin(head)
      // Behind other answers it has to wait, and an answer that is not taken keeps its reader waiting.
      if unanswered == 0, shortAnswers < Self.maximumShortAnswersInARow, context.channel.isWritable,
        let answer = shortAnswer(to: head)
      {
        shortRequest = ShortRequest(answer: answer, head: head)
        return
      }
      if let error = policy.refusal(of: head) {
        let refusal = Refusal(
          error: error,
          dialect: policy.dialectAnswer(refusing: error, uri: head.uri) {
            head.headers.first(name: $0)
          },
          origin: head.headers.first(name: "origin"), isHead: head.method == .HEAD,
          tags: CallTagHeaders(head.headers),
          isLast: unanswered > 0 || !isNewestShort || !head.isKeepAlive)
        return refuse(refusal, answersBefore: unanswered, context)
      }
      sayContinue(to: head, context)
      unanswered += 1
    case .body(let bytes):
      // The call has answered, and throws away what still comes.
      if unanswered == 0 { countDiscarded(bytes, context) }
    case .end: isNewestComplete = true
    }
    context.fireChannelRead(data)
  }

  private func tellDeadlines(of part: HTTPServerRequestPart, _ context: ChannelHandlerContext) {
    switch part {
    case .head: deadlines?.headArrived(at: context.eventLoop.now)
    case .body(let bytes): deadlines?.bodyArrived(bytes.readableBytes)
    case .end:
      // A refused request has its answer already.
      if unanswered == 0 {
        deadlines?.answersEnded(at: context.eventLoop.now)
      } else {
        deadlines?.requestArrived(at: context.eventLoop.now)
      }
    }
  }

  private func continueShort(with part: HTTPServerRequestPart, _ context: ChannelHandlerContext) {
    switch part {
    case .head: break
    case .body(var bytes):
      // It has no more than its head says, which is little.
      if shortRequest?.body?.writeBuffer(&bytes) == nil { shortRequest?.body = bytes }
    case .end:
      isNewestComplete = true
      guard let request = shortRequest else { return }
      switch outcome(of: request) {
      case .answered(let answer):
        shortRequest = nil
        shortAnswers += 1
        deadlines?.write(answer)
      case .forPool(let call):
        shortRequest = nil
        answerOnPool(call, context)
      case .forFrontend: passOnShortRequest(context, isComplete: true)
      }
    }
  }

  /// What will answer a request here; `nil` where the calls have to.
  private func shortAnswer(to head: HTTPRequestHead) -> ShortAnswer? {
    if let call = fastPath?.call(of: head, &memory) { return .call(call) }
    // Whoever asks for it decides by the time of the answer, so that it waits for no task of others.
    guard deadlines != nil, head.method == .GET, head.uri == OperatorPages.livenessPath,
      head.version == .http1_1, let headers = PlainHeaders(of: head),
      headers.contentLength == nil, policy.refusal(of: head) == nil
    else { return nil }
    return .liveness(headers.tags)
  }

  private func outcome(of request: ShortRequest) -> HTTPFastPath.Outcome {
    switch request.answer {
    case .call(let call): return fastPath?.answer(call, body: request.body) ?? .forFrontend
    case .liveness(let tags):
      let text = OperatorPages.livenessText
      var bytes = HTTPAnswerBytes(
        status: .ok, contentType: OperatorPages.textType, bodyBytes: text.utf8.count)
      bytes.add("Cache-Control", "no-store")
      return .answered(
        bytes.finished(
          requestID: CallTags(tags, identifiers)?.requestID ?? identifiers.requestID(),
          body: text.utf8))
    }
  }

  /// Gives what has come of a short request to the calls.
  private func passOnShortRequest(_ context: ChannelHandlerContext, isComplete: Bool = false) {
    guard let request = shortRequest else { return }
    shortRequest = nil
    unanswered += 1
    context.fireChannelRead(Self.wrapInboundOut(.head(request.head)))
    if let body = request.body { context.fireChannelRead(Self.wrapInboundOut(.body(body))) }
    guard isComplete else { return }
    deadlines?.requestArrived(at: context.eventLoop.now)
    context.fireChannelRead(Self.wrapInboundOut(.end(nil)))
  }

  private func begin(_ head: HTTPRequestHead) {
    isNewestComplete = false
    discardedBytes = 0
    let length = head.headers.first(name: "content-length").flatMap { Int($0) } ?? 0
    // Who waits for the word to send a body may send none after a refusal.
    isNewestShort =
      length <= Self.maximumDiscardedBytes && !head.headers.contains(name: "expect")
  }

  private func sayContinue(to head: HTTPRequestHead, _ context: ChannelHandlerContext) {
    // Amid an earlier answer nothing may be said; the caller may go on without the word.
    guard unanswered == 0, head.version != .http1_0,
      head.headers.first(name: "expect")?.lowercased() == "100-continue"
    else { return }
    let answer = HTTPResponseHead(version: .http1_1, status: .continue)
    context.writeAndFlush(Self.wrapOutboundOut(.head(answer)), promise: nil)
  }

  /// What the parser cannot read ends the connection, since nobody knows where the next request
  /// would begin.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard error is HTTPParserError else { return context.fireErrorCaught(error) }
    if poolRequest != nil { return keep(.error(error), context) }
    guard case .passing = stage else { return }
    shortRequest = nil
    let refusal = Refusal(
      error: APIError(.malformedRequest, "this is not HTTP/1.1: \(Self.sentence(for: error))"))
    // Of a request that has begun, this is the answer, unless another has begun as well.
    let isOfNewest = !isNewestComplete && unanswered > 0
    // No more of it will be read.
    isNewestComplete = true
    refuse(refusal, answersBefore: unanswered - (isOfNewest && !isAnswerBegun ? 1 : 0), context)
    // Its call must not take what has come for all of it. What it answers goes nowhere.
    if isOfNewest { context.fireErrorCaught(error) }
  }

  private static func sentence(for error: any Error) -> String {
    switch error as? HTTPParserError {
    case .headerOverflow: "the headers are too long"
    case .invalidMethod: "the method is not known"
    case .invalidURL, .invalidHost, .invalidPort, .invalidPath, .invalidQueryString,
      .invalidFragment:
      "the request's target is not a path"
    case .invalidVersion: "the version is not known"
    case .invalidHeaderToken: "a header has a character that it must not have"
    case .invalidContentLength, .unexpectedContentLength: "the length of the body is not clear"
    case .invalidChunkSize: "a chunk's length is not a number"
    case .invalidEOFState: "the request ends too early"
    default: "the request cannot be read"
    }
  }

  private func discard(_ part: HTTPServerRequestPart, _ context: ChannelHandlerContext) {
    switch part {
    case .head: break
    case .body(let bytes): countDiscarded(bytes, context)
    case .end:
      isNewestComplete = true
      if case .discarding = stage { stage = .passing }
      if case .lingering = stage { context.close(mode: .output, promise: nil) }
    }
  }

  private func countDiscarded(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
    discardedBytes += bytes.readableBytes
    if discardedBytes > Self.maximumDiscardedBytes { context.close(promise: nil) }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    if shortAnswers > 0 { context.flush() }
    guard poolRequest == nil else {
      shortAnswers = 0
      return context.fireChannelReadComplete()
    }
    // The calls do not ask for what goes past them, and no longer for what is thrown away.
    let isPast = shortAnswers > 0 || shortRequest != nil
    shortAnswers = 0
    context.fireChannelReadComplete()
    if case .passing = stage, !isPast { return }
    context.read()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if poolRequest != nil { return keep(.event(event), context) }
    if case .lingering = stage, case ChannelEvent.inputClosed = event {
      return context.close(promise: nil)
    }
    // When the daemon ends, connections do that amid no request are closed: this one is amid one.
    if event is ChannelShouldQuiesceEvent { passOnShortRequest(context) }
    context.fireUserInboundEventTriggered(event)
  }

  func channelInactive(context: ChannelHandlerContext) {
    linger?.cancel()
    poolRequest?.task.cancel()
    poolRequest = nil
    context.fireChannelInactive()
  }

  /// Nothing is read while a request is with the pool, so that no more than one piece of input waits.
  func read(context: ChannelHandlerContext) {
    if poolRequest == nil { context.read() }
  }

  // MARK: - Answers

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .lingering = stage {
      promise?.succeed()
      return
    }
    switch Self.unwrapOutboundIn(data) {
    case .head(var head) where head.status.code >= 200:
      isAnswerBegun = true
      if unanswered == 1, !isNewestComplete, !isNewestShort {
        isAnswerTheLast = true
        head.headers.replaceOrAdd(name: "connection", value: "close")
      }
      context.write(Self.wrapOutboundOut(.head(head)), promise: promise)
    case .end:
      isAnswerBegun = false
      unanswered -= 1
      context.write(data, promise: promise)
      answerEnded(context)
    case .head, .body: context.write(data, promise: promise)
    }
  }

  private func answerEnded(_ context: ChannelHandlerContext) {
    if unanswered == 0, isNewestComplete { deadlines?.answersEnded(at: context.eventLoop.now) }
    if case .refusing(let refusal, let answersBefore) = stage {
      let left = answersBefore - 1
      stage = .refusing(refusal, answersBefore: left)
      if left <= 0 { write(refusal, context) }
    } else if isAnswerTheLast {
      beginLingering(context)
    }
  }

  private func refuse(_ refusal: Refusal, answersBefore: Int, _ context: ChannelHandlerContext) {
    var refusal = refusal
    refusal.requestID = record(
      refusal.error.reason, DispatchTime.now().uptimeNanoseconds, refusal.tags)
    stage = .refusing(refusal, answersBefore: answersBefore)
    if answersBefore <= 0, !isAnswerBegun { write(refusal, context) }
  }

  private func write(_ refusal: Refusal, _ context: ChannelHandlerContext) {
    let body = refusal.dialect?.body ?? refusal.error.httpBody()
    let type = refusal.dialect?.contentType ?? "application/json; charset=utf-8"
    let status = refusal.dialect?.status ?? refusal.error.reason.status.http
    var headers = HTTPHeaders([
      ("content-type", type), ("content-length", "\(body.count)"),
      ("date", HTTPDate.now), ("server", HTTPFrontend.serverName),
      (CallTagHeaders.requestIDName, refusal.requestID),
    ])
    if refusal.isLast { headers.add(name: "connection", value: "close") }
    if let origin = refusal.origin, policy.origins.allows(origin) {
      headers.add(name: "access-control-allow-origin", value: policy.origins.allowed(origin))
    }
    let head = HTTPResponseHead(
      version: .http1_1, status: .init(statusCode: status), headers: headers)
    context.write(Self.wrapOutboundOut(.head(head)), promise: nil)
    if !refusal.isHead {
      let bytes = context.channel.allocator.buffer(bytes: body)
      context.write(Self.wrapOutboundOut(.body(.byteBuffer(bytes))), promise: nil)
    }
    context.writeAndFlush(Self.wrapOutboundOut(.end(nil)), promise: nil)
    guard refusal.isLast else {
      stage = .discarding
      return
    }
    beginLingering(context)
  }

  private func beginLingering(_ context: ChannelHandlerContext) {
    stage = .lingering
    context.flush()
    // Some clients take the end of what we send for the end of all, and lose the answer when it
    // comes while they send.
    if isNewestComplete { context.close(mode: .output, promise: nil) }
    linger = EventLoopTimers.of(context.eventLoop).schedule(in: Self.lingerTime) {
      context.close(promise: nil)
    }
    context.read()
  }
}
