import NIOCore
import NIOEmbedded
import Testing

@testable import GRPCServerTransport

/// When a connection is read.
@Suite struct PausedReadingTests {
  private let channel = EmbeddedChannel()
  private let reads = ReadCounter()
  private let gathering = WriteGathering()

  init() throws {
    let pipeline = channel.pipeline.syncOperations
    try pipeline.addHandler(reads)
    try pipeline.addHandler(gathering)
  }

  @Test func aPausedConnectionIsReadOnceAfterwards() throws {
    channel.read()
    let before = reads.count
    gathering.pauseReading()
    gathering.pauseReading()
    for _ in 0..<3 { channel.read() }
    #expect(reads.count == before)
    channel.embeddedEventLoop.advanceTime(by: .milliseconds(4))
    #expect(reads.count == before + 1)
    channel.read()
    #expect(reads.count == before + 2)
    _ = try channel.finish()
  }

  @Test func nothingIsReadThatNobodyAskedFor() throws {
    let before = reads.count
    gathering.pauseReading()
    channel.embeddedEventLoop.advanceTime(by: .milliseconds(4))
    #expect(reads.count == before)
    _ = try channel.finish()
  }

  @Test func pausesOfALoopEndTogether() throws {
    let second = WriteGathering()
    let (other, otherReads) = (EmbeddedChannel(loop: channel.embeddedEventLoop), ReadCounter())
    try other.pipeline.syncOperations.addHandler(otherReads)
    try other.pipeline.syncOperations.addHandler(second)
    let before = reads.count + otherReads.count
    gathering.pauseReading()
    channel.read()
    channel.embeddedEventLoop.advanceTime(by: .milliseconds(3))
    second.pauseReading()
    other.read()
    #expect(reads.count + otherReads.count == before)
    channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
    #expect(reads.count + otherReads.count == before + 2)
    _ = try other.finish(acceptAlreadyClosed: true)
    _ = try channel.finish(acceptAlreadyClosed: true)
  }
}
