import NIOConcurrencyHelpers

@testable import MoyeoClient

/// Gives the answers of a script, one a request, and the last one for ever.
final class Script: Sendable {
  private let answers: NIOLockedValueBox<[FakeHTTPService.Reply]>

  init(_ answers: [FakeHTTPService.Reply]) { self.answers = NIOLockedValueBox(answers) }

  func next() -> FakeHTTPService.Reply {
    answers.withLockedValue { $0.count > 1 ? $0.removeFirst() : $0[0] }
  }
}

/// Time that passes when somebody waits, at once, and dice that show their most.
final class PretendedTime: Sendable {
  private struct State {
    var now = Duration.zero
    var waits: [Duration] = []
  }

  private let state = NIOLockedValueBox(State())

  var waits: [Duration] { state.withLockedValue { $0.waits } }

  var time: ClientTime {
    ClientTime(
      now: { [state] in state.withLockedValue { $0.now } },
      sleep: { [state] wait in
        try Task.checkCancellation()
        state.withLockedValue {
          $0.now += wait
          $0.waits.append(wait)
        }
      },
      dice: { 1 }, secondsSince1970: { 1_800_000_000 })
  }
}

extension FakeHTTPService.Reply {
  /// An answer that says nothing.
  static let fine = Self(body: "{}")

  static func refusal(
    _ status: Int, _ reason: String, retryAfterMilliseconds wait: Int? = nil
  ) -> Self {
    let told = wait.map { #","retryAfterMilliseconds":\#($0)"# } ?? ""
    return Self(
      status: status,
      body:
        #"{"error":{"code":"UNAVAILABLE","reason":"\#(reason)","message":"no","fields":[]\#(told)}}"#
    )
  }

  /// Server-sent events, after which the stream ends.
  static func events(_ events: String...) -> Self {
    Self(
      body: ": moyeo\nretry: 1000\n\n" + events.joined(),
      headers: ["Content-Type": "text/event-stream"])
  }

  static func event(_ sequence: Int) -> String {
    """
    event: x
    id: \(sequence)
    data: {"kind":"x","sequence":\(sequence),"resumeToken":"\(sequence)"}


    """
  }

  static func errorEvent(_ reason: String, retryAfterMilliseconds wait: Int? = nil) -> String {
    "event: error\ndata: \(refusal(0, reason, retryAfterMilliseconds: wait).body)\n\n"
  }
}

/// Runs `body` with a client of a service that answers by a script.
///
/// - Returns: What the service was asked.
@discardableResult
func scripted(
  _ answers: [FakeHTTPService.Reply], _ configuration: MoyeoClient.Configuration = .init(),
  _ time: PretendedTime = PretendedTime(),
  _ body: @Sendable (MoyeoClient) async throws -> Void
) async throws -> [FakeHTTPService.Request] {
  let script = Script(answers)
  let service = try await FakeHTTPService { _ in script.next() }
  var configuration = configuration
  configuration.time = time.time
  do {
    try await MoyeoClient.with(.http(service.url), configuration: configuration, body)
  } catch {
    await service.close()
    throw error
  }
  await service.close()
  return service.requests
}
