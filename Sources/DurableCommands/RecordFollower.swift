import ObjectModel
import Threading

/// Has a tenant's memory take over what other daemons commit to the record that they share.
///
/// The commit thread reads, between two batches and with nothing being published. What it reads is then
/// never older than what memory has, so that newest states are taken over as they are, this daemon's
/// own among them; nothing has to be merged. Own commits that follow directly on what is known are
/// counted without being read.
final class RecordFollower: Sendable {
  /// What a look at the record came to.
  enum Outcome {
    case isUpToDate
    case failed
    /// The record was changed beside the commands, or has lost commits: memory must be loaded anew.
    case mustReload
  }

  private struct State {
    /// What memory has; nil: it must be loaded.
    var known: RecordHead?
    var figures = FollowingFigures()
    /// When memory had all that there was.
    var caughtUpAt: Nanoseconds
    /// Whether the commit thread is asked already.
    var isAsked = false
  }

  private let tenant: String
  private let store: any FollowedStore
  private let model: SharedCommitModel
  private let feed: EventFeed
  private let monotonic: any MonotonicClock
  private let state: StateLock<State>
  /// Transactions whose states are taken over in one piece.
  private static let commitsAtOnce: Int64 = 128
  /// Events that are read in one piece. Of more, readers get those in between from the store.
  private static let eventsAtOnce = 4096

  /// `known`: how far the record had come before anything was loaded; nil: that is not known.
  init(
    tenant: String, store: any FollowedStore, model: SharedCommitModel, feed: EventFeed,
    monotonic: any MonotonicClock, known: RecordHead?
  ) {
    self.tenant = tenant
    self.store = store
    self.model = model
    self.feed = feed
    self.monotonic = monotonic
    state = StateLock(State(known: known, caughtUpAt: monotonic.now()))
  }

  var figures: FollowingFigures {
    let now = monotonic.now()
    return state.withLock { state in
      var figures = state.figures
      figures.lagMilliseconds = max(0, (now - state.caughtUpAt) / 1_000_000)
      return figures
    }
  }

  // MARK: Any thread

  /// - Returns: Whether the commit thread has to look at the record.
  func note(_ result: Result<RecordHead, StoreFailure>) -> Bool {
    let now = monotonic.now()
    return state.withLock { state in
      switch result {
      case .failure(let failure):
        state.figures.failure = failure.reason
        return false
      case .success(let head):
        state.figures.failure = nil
        guard head != state.known else {
          state.caughtUpAt = now
          return false
        }
        defer { state.isAsked = true }
        return !state.isAsked
      }
    }
  }

  // MARK: Commit thread

  /// A batch of this daemon's own was committed.
  /// - Parameter events: Of the batch.
  /// - Returns: Whether nobody else committed since what is known, so that memory lacks nothing.
  func noteOwnCommit(events: UInt64) -> Bool {
    guard let number = store.lastCommit(tenant: tenant) else { return false }
    return state.withLock { state in
      guard let known = state.known, number == known.commits + 1 else { return false }
      state.known?.commits = number
      state.known?.newest += events
      return true
    }
  }

  /// What is noted from here on has to be looked at again.
  func begin() { state.withLock { $0.isAsked = false } }

  /// Takes over all that was committed by now.
  func follow(now: Instant) -> Outcome {
    let began = monotonic.now()
    do throws(StoreFailure) {
      while true {
        guard let known = state.withLock({ $0.known }) else { return .mustReload }
        // The last event that is known comes once more: it tells whether this is the same record still,
        // or one that lost commits and has got others since.
        let anchor = feed.newestEvent
        let newest = feed.newest
        let news = try store.news(
          tenant: tenant, after: known.commits, atMost: Self.commitsAtOnce,
          eventsAfter: anchor == nil ? newest : newest - 1, eventLimit: Self.eventsAtOnce)
        let head = news.head
        guard head.commits >= known.commits, head.revision == known.revision,
          head.newest >= newest,
          anchor == nil || newest < head.oldest || news.events.first == anchor
        else {
          state.withLock { $0.known = nil }
          return .mustReload
        }
        if !news.aggregates.isEmpty { model.take(news.aggregates, now: now) }
        let reached = min(head.commits, known.commits + Self.commitsAtOnce)
        guard reached == head.commits else {
          // Events come with the states that they tell of.
          advance(to: reached, from: known.commits)
          continue
        }
        feed.follow(
          news.events.filter { $0.sequence > newest && $0.sequence <= head.newest }, head)
        if head.endedBefore > known.endedBefore { model.forget(endedBefore: head.endedBefore) }
        advance(to: reached, from: known.commits, head, began)
        return .isUpToDate
      }
    } catch {
      state.withLock { $0.figures.failure = error.reason }
      return .failed
    }
  }

  private func advance(
    to commits: Int64, from before: Int64, _ head: RecordHead? = nil, _ began: Nanoseconds = .min
  ) {
    state.withLock { state in
      state.known?.commits = commits
      state.figures.commits += commits - before
      guard let head else { return }
      state.known = head
      state.caughtUpAt = max(state.caughtUpAt, began)
      state.figures.failure = nil
    }
  }

  /// Memory is about to be loaded: it will have all up to here, at least.
  func beginReload() throws(StoreFailure) {
    let head = try store.head(tenant: tenant)
    state.withLock { $0.known = head }
    feed.forgetTail()
  }

  /// Loading failed.
  func failReload() { state.withLock { $0.known = nil } }
}

/// How a daemon follows what others commit.
package struct FollowingFigures: Hashable, Sendable {
  /// How long ago memory is known to have had all that was committed.
  package var lagMilliseconds: Int64 = 0
  /// Transactions that were read, this daemon's own among them where they came between others'.
  package var commits: Int64 = 0
  /// Why the record could not be read last; nil: it could.
  package var failure: String?

  package init() {}

  /// Beyond it a daemon says that it is behind.
  package static let lagBoundMilliseconds: Int64 = 2_000

  /// Why others' commits may be unknown here; nil where there is no sign of that.
  var reason: String? {
    failure
      ?? (lagMilliseconds > Self.pauseMilliseconds
        ? "others' commits are known until \(lagMilliseconds) ms ago" : nil)
  }

  /// Longer than between two looks at the record.
  private static let pauseMilliseconds: Int64 = 500

  /// Why what is read may be old; nil while it is not.
  package var trouble: String? {
    guard lagMilliseconds > Self.lagBoundMilliseconds else { return nil }
    return "what other daemons commit is not followed since \(lagMilliseconds) ms"
      + (failure.map { ": \($0)" } ?? "")
  }
}
