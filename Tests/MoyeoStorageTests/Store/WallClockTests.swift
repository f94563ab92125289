import CWallClock
import Foundation
import Synchronization
import Testing

@testable import MoyeoStorage
import Threading
import DurableCommands

/// Somebody sets the wall clock back while a thread of ours waits.
@Suite(.serialized) struct WallClockTests {
  /// What stands for the step lasts a minute; far less is enough for what goes on without it.
  private static let patience = Duration.seconds(20)

  /// Runs `body` on a thread of the product's kind. - Returns: Whether it ended in time.
  private static func runs(_ body: @escaping @Sendable () -> Void) -> Bool {
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      nameThread()
      body()
      done.signal()
    }
    thread.start()
    return done.wait(timeout: .now() + 20) == .success
  }

  @Test func checkpointsGoOn() throws {
    let directory = try ScratchDirectory.withTemplate()
    let store = try SQLiteStore(directory: directory.path)
    wall_clock_steps_back(1)
    defer { wall_clock_steps_back(0) }
    let log = try store.current().log
    var version: UInt64 = 0
    // 4 MiB of pages are copied at the next tick, which shows in the file's length.
    func length() throws -> Int {
      let attributes = try FileManager.default.attributesOfItem(atPath: directory.databasePath)
      return attributes[.size] as? Int ?? 0
    }
    let before = try length()
    while log.frames.load(ordering: .relaxed) < 2_048 {
      let groups = (0..<16).map { index in
        group(
          party("\(version)-\(index)", version: 1, bytes: [UInt8](repeating: 7, count: 30_000)),
          expecting: 0)
      }
      #expect(store.commit(groups).allSatisfy { $0.isCommitted })
      version += 1
    }
    let end = ContinuousClock.now + Self.patience
    while try length() == before, ContinuousClock.now < end { usleep(5_000) }
    #expect(try length() > before)
    let hasClosed = Self.runs { store.close() }
    #expect(hasClosed)
  }

  /// The last copy of a log is made with commits waiting; it gives up when they do not.
  @Test func whoeverWaitsForTheWritersLockGivesUp() throws {
    let lock = WriteLock()
    wall_clock_steps_back(1)
    defer { wall_clock_steps_back(0) }
    lock.lock()
    let gaveUp = Self.runs { #expect(!lock.lock(withinMilliseconds: 50)) }
    #expect(gaveUp)
    lock.unlock()
    let gotIt = Self.runs { #expect(lock.lock(withinMilliseconds: 50)) }
    #expect(gotIt)
    lock.unlock()
  }

  @Test func aSemaphoreCountsAndTimesOut() {
    let semaphore = MonotonicSemaphore(value: 2)
    #expect(semaphore.wait(milliseconds: 0))
    semaphore.wait()
    wall_clock_steps_back(1)
    defer { wall_clock_steps_back(0) }
    let timedOut = Self.runs { #expect(!semaphore.wait(milliseconds: 20)) }
    #expect(timedOut)
    semaphore.signal()
    semaphore.signal()
    #expect(semaphore.wait(milliseconds: 10_000))
    #expect(semaphore.wait(milliseconds: 10_000))
    #expect(!semaphore.wait(milliseconds: 0))
  }

  /// Without this, the tests above might be ones that cannot fail.
  @Test func aWaitByTheWallClockIsHeldUp() {
    // A thread that loses its core between reading the time and waiting is not held up.
    let wasHeldUp = (1...10).contains { _ in Self.isHeldUp() }
    #expect(wasHeldUp)
  }

  private static func isHeldUp() -> Bool {
    wall_clock_steps_back(1)
    let semaphore = DispatchSemaphore(value: 0)
    let done = MonotonicSemaphore(value: 0)
    let thread = Thread {
      nameThread()
      _ = semaphore.wait(timeout: .now() + .milliseconds(20))
      done.signal()
    }
    thread.start()
    let isHeldUp = !done.wait(milliseconds: 400)
    wall_clock_steps_back(0)
    semaphore.signal()
    if isHeldUp { _ = done.wait(milliseconds: 10_000) }
    return isHeldUp
  }
}

/// What `wall_clock.c` knows threads of ours by; Foundation names a thread only once it runs.
private func nameThread() {
  Thread.current.name = "moyeo.test"
}
