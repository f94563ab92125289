import NIOCore
import NIOPosix
import Threading

/// The event loops that all ports share.
enum EventLoops {
  /// So many loops, each of which runs as soon as it wakes, before long searches that have a core.
  static func make(_ count: Int) -> MultiThreadedEventLoopGroup {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: count)
    for loop in group.makeIterator() { loop.execute { TimeSlice.beShort() } }
    return group
  }
}
