import NIOCore
import NIOPosix

/// Memory for answers and for what searches find, which the connections of one event loop take in
/// turns: one command runs at a time, and its answer mostly leaves at once. So a connection that
/// waits keeps none, and the next command finds memory that is still in the cache.
///
/// It is used on its event loop only.
final class AnswerMemory {
  // Each thread reads and writes its own.
  private nonisolated(unsafe) static let current = ThreadSpecificVariable<AnswerMemory>()
  private static let leastBytes = 4 * 1024
  /// The most that is kept: answers are sent from 64 KiB on, and one piece may come on top.
  private static let keptBytes = 128 * 1024

  private var spare: ByteBuffer?
  private var hits: GeoHits?

  init() {}

  /// The memory of the event loop that runs now.
  static func of(_ eventLoop: any EventLoop) -> AnswerMemory {
    eventLoop.assertInEventLoop()
    if let known = current.currentValue { return known }
    let made = AnswerMemory()
    current.currentValue = made
    return made
  }

  /// Takes a buffer that has memory and is empty.
  func takeBuffer() -> ByteBuffer {
    spare.take() ?? ByteBufferAllocator().buffer(capacity: Self.leastBytes)
  }

  /// Gives a buffer back that nobody else holds, and leaves one without memory.
  func give(_ buffer: inout ByteBuffer) {
    var given = ByteBuffer()
    swap(&given, &buffer)
    guard given.capacity > 0, given.capacity <= Self.keptBytes else { return }
    // Clearing it would take new memory, were a copy alive.
    given.moveReaderIndex(to: 0)
    given.moveWriterIndex(to: 0)
    spare = given
  }

  /// Takes what a search collects in, for an answer of at most so many bytes.
  func takeHits(maximumBytes: Int) -> GeoHits {
    var taken = hits.take() ?? GeoHits(maximumBytes: maximumBytes)
    taken.maximumBytes = maximumBytes
    return taken
  }

  /// Gives it back, to be kept if it is small.
  func give(_ given: GeoHits) {
    if given.isSmall { hits = given }
  }
}
