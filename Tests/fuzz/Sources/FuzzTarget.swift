/// A decoder with the laws that it keeps for any bytes. A trap or a broken law is a finding.
struct FuzzTarget: Sendable {
  let name: String
  let feed: @Sendable (UnsafeRawBufferPointer) -> Void

  /// What a run of the program feeds; set once, before libFuzzer begins its one thread.
  nonisolated(unsafe) static var chosen: FuzzTarget?

  static let all = [
    FuzzTarget(name: "protobuf", feed: ProtobufTarget.feed),
    FuzzTarget(name: "text", feed: TextTarget.feed),
    FuzzTarget(name: "json", feed: JSONTarget.feed),
    FuzzTarget(name: "requests", feed: RequestTarget.feed),
    FuzzTarget(name: "parameters", feed: ParameterTarget.feed),
    FuzzTarget(name: "tokens", feed: TokenTarget.feed),
    FuzzTarget(name: "frames", feed: FrameTarget.feed),
    FuzzTarget(name: "imports", feed: ImportTarget.feed),
    FuzzTarget(name: "documents", feed: DocumentTarget.feed),
    FuzzTarget(name: "routes", feed: RouteTarget.feed),
    FuzzTarget(name: "places", feed: PlaceTarget.feed),
    FuzzTarget(name: "doors", feed: DoorTarget.feed),
    FuzzTarget(name: "resp", feed: RESPTarget.feed),
    FuzzTarget(name: "redis", feed: RedisTarget.feed),
  ]
}

/// Ends the run when a law is broken; the input is then kept by libFuzzer.
func hold(_ condition: @autoclosure () -> Bool, _ law: @autoclosure () -> String) {
  precondition(condition(), law())
}

extension UnsafeRawBufferPointer {
  /// The first byte, which chooses between variants, and what follows it.
  var choice: (UInt8, UnsafeRawBufferPointer)? {
    guard let first else { return nil }
    return (first, UnsafeRawBufferPointer(rebasing: dropFirst()))
  }

  /// As text, where it is UTF-8.
  var text: String? { String(validating: self, as: UTF8.self) }
}
