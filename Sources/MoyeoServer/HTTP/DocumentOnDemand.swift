import Threading

/// A document that is made when it is first asked for, and kept: making /openapi.json takes as long as
/// the rest of a daemon's start.
final class DocumentOnDemand: Sendable {
  private let make: @Sendable () -> [UInt8]
  private let making = StateLock<Task<[UInt8], Never>?>(nil)

  init(_ make: @escaping @Sendable () -> [UInt8]) { self.make = make }

  /// The document, which is made once however many ask at the same time.
  func bytes() async -> [UInt8] {
    await making.withLock { task in
      if let task { return task }
      let begun = Task(executorPreference: globalConcurrentExecutor) { [make] in make() }
      task = begun
      return begun
    }.value
  }
}
