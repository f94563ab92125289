import LiveLayers
import NIOCore
import ObjectModel
import SpatialIndexing
import Threading

@testable import RESPServer

/// A connection of a client of Redis: any bytes, whole and in pieces.
///
/// The first byte is the size of the pieces. However the bytes are cut, the same commands come out,
/// and every command is answered or ends the connection.
enum RESPTarget {
  private struct StoppedClock: WallClock {
    func now() -> Instant { Instant(milliseconds: 1_000_000) }
  }

  private static let services: RedisDoorServices = {
    var configuration = RedisDoor.Configuration()
    configuration.limits.arguments = 64
    configuration.limits.commandBytes = 4096
    var limits = LayerLimits()
    limits.objectsPerLayer = 1024
    limits.layersPerTenant = 4
    return RedisDoorServices(
      layers: LayerRegistry(
        configuration: LayerRegistryConfiguration(limits: limits), clock: StoppedClock(), epoch: 1),
      configuration: configuration, pool: BoundedThreadPool(threadCount: 1))
  }()

  @Sendable
  static func feed(_ bytes: UnsafeRawBufferPointer) {
    guard let (size, rest) = bytes.choice else { return }
    hold(
      commands(rest, pieceSize: max(1, rest.count)) == commands(rest, pieceSize: Int(size) + 1),
      "the commands depend on how their bytes arrive")
    // What an input finds does not hang on those before it.
    for layer in services.keys() { _ = try? services.layers.deleteLayer(layer.name) }
    var executor = CommandExecutor(
      services: services, peer: "", allocator: ByteBufferAllocator(), memory: AnswerMemory())
    defer { services.connectionClosed() }
    for command in commands(rest, pieceSize: max(1, rest.count)) where !command.isEmpty {
      var ranges: [Range<Int>] = []
      var joined: [UInt8] = []
      for word in command {
        ranges.append(joined.count..<joined.count + word.count)
        joined += word
      }
      executor.beginTurn()
      let outcome = joined.withUnsafeBytes { joined in
        executor.execute(CommandWords(bytes: joined, ranges: ranges))
      }
      executor.endTurn()
      if case .long(let work) = outcome {
        var budget = WorkBudget(steps: CommandExecutor.stepsPerTurn)
        work(&executor.writer, &budget)
      }
      hold(executor.writer.buffer.readableBytes > 0, "a command was not answered")
      executor.writer.buffer.clear()
    }
  }

  /// The words of all commands up to the first error, which stands as an empty command.
  private static func commands(
    _ bytes: UnsafeRawBufferPointer, pieceSize: Int
  ) -> [[[UInt8]]] {
    var parser = RESPParser(limits: services.configuration.limits)
    var out: [[[UInt8]]] = []
    var unread: [UInt8] = []
    var position = 0
    repeat {
      let end = min(bytes.count, position + pieceSize)
      unread += bytes[position..<end]
      position = end
      while true {
        // What is no RESP ends the connection.
        let parsed = unread.withUnsafeBytes { bytes in try? parser.next(in: bytes) }
        guard let step = parsed else { return out + [[]] }
        if case .incomplete = step { break }
        if case .nothing(let end) = step { unread.removeFirst(end) }
        if case .command(let end) = step {
          let source = parser.line ?? unread
          out.append(parser.ranges.map { Array(source[$0]) })
          unread.removeFirst(end)
        }
      }
    } while position < bytes.count
    return out
  }
}
