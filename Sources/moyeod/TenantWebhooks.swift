import DurableCommands
import Logging
import LockedFiles
import Metrics
import MoyeoServer
import MoyeoStorage
import ObjectModel
import Parties
import ServiceLifecycle
import Threading
import Webhooks

/// What all tenants' deliveries share.
final class WebhookParts: Sendable {
  let settings: WebhookSettings
  let file: WebhookFile
  let sender: HTTPWebhookSender
  let clock: any WallClock
  let logger: Logger
  private let directory: String
  private let opened = StateLock<SQLiteLetterStore?>(nil)

  /// - Throws: ``StartFailure`` when there are webhooks and their letters cannot be read: nothing would
  ///   be delivered.
  init(
    _ settings: WebhookSettings, dataDirectory: String, clock: any WallClock, logger: Logger
  ) throws {
    self.settings = settings
    self.clock = clock
    self.logger = logger
    directory = dataDirectory
    file = WebhookFile(directory: dataDirectory)
    sender = HTTPWebhookSender(
      allowsPrivateTargets: settings.allowsPrivateTargets, pool: BoundedThreadPool(threadCount: 2))
    do throws(WebhookFileError) {
      guard try !file.webhooks().isEmpty else { return }
    } catch {
      throw StartFailure.failed(error.description)
    }
    do throws(StoreFailure) { _ = try store() } catch {
      throw StartFailure.failed("\(directory)/\(error.reason)")
    }
  }

  /// The file of letters, which is made with the first webhook.
  func store() throws(StoreFailure) -> SQLiteLetterStore {
    try opened.withLock { store -> Result<SQLiteLetterStore, StoreFailure> in
      if let store { return .success(store) }
      do {
        let made = try SQLiteLetterStore(directory: directory)
        try made.keepOnly(Set(try file.webhooks().map(\.id)))
        store = made
        return .success(made)
      } catch let failure as StoreFailure {
        return .failure(failure)
      } catch {
        return .failure(StoreFailure("\(SQLiteLetterStore.fileName) cannot be opened: \(error)"))
      }
    }.get()
  }

  private let forgetsAt = StateLock<Instant>(.init(milliseconds: 0))
  private static let forgetMilliseconds: Int64 = 3_600_000

  /// Forgets, once an hour, dead letters that nobody has had delivered again in time.
  func forgetOldLetters() {
    let now = clock.now()
    let isDue = forgetsAt.withLock { due in
      guard now >= due else { return false }
      due = now.advanced(milliseconds: Self.forgetMilliseconds)
      return true
    }
    guard isDue, SQLiteLetterStore.exists(in: directory) else { return }
    do throws(StoreFailure) {
      let count = try store().forgetDead(
        before: now.advanced(milliseconds: -settings.letterMilliseconds))
      if count > 0 {
        logger.warning("dead letters are too old and removed", metadata: ["letters": "\(count)"])
      }
    } catch {
      logger.warning("old dead letters stay", metadata: ["reason": "\(error.reason)"])
    }
  }

  // MARK: Pauses

  private enum Pause { case wanted, begun }
  private struct Following {
    var tenants: Set<String> = []
    var pauses: [String: Pause] = [:]
  }
  private let following = StateLock(Following())
  private static let pauseSeconds = 15.0
  private static let lookMilliseconds: Int64 = 20

  /// Ends a tenant's deliveries until ``resume(_:)``.
  ///
  /// - Returns: Whether none is under way; false when one does not end.
  func pause(_ tenant: String) async -> Bool {
    let isFollowed = following.withLock { following in
      following.pauses[tenant] = .wanted
      return following.tenants.contains(tenant)
    }
    guard isFollowed else { return true }
    let end = ContinuousClock.now + .seconds(Self.pauseSeconds)
    while ContinuousClock.now < end {
      let isDone = following.withLock {
        $0.pauses[tenant] == .begun || !$0.tenants.contains(tenant)
      }
      if isDone { return true }
      try? await Task.sleep(for: .milliseconds(Self.lookMilliseconds))
    }
    resume(tenant)
    return false
  }

  func resume(_ tenant: String) { following.withLock { $0.pauses[tenant] = nil } }

  func follows(_ tenant: String, _ isFollowed: Bool) {
    following.withLock {
      if isFollowed { $0.tenants.insert(tenant) } else { $0.tenants.remove(tenant) }
    }
  }

  func isPaused(_ tenant: String) -> Bool { following.withLock { $0.pauses[tenant] != nil } }

  func notePause(_ tenant: String) {
    following.withLock { if $0.pauses[tenant] != nil { $0.pauses[tenant] = .begun } }
  }

  /// Takes a person out of the letters of their tenant, which are not being delivered.
  func erase(_ erasure: PersonErasure) throws(StoreFailure) -> Int {
    guard SQLiteLetterStore.exists(in: directory) else { return 0 }
    let others: Set<String>
    do {
      others = Set(try file.webhooks().filter { $0.tenant != erasure.tenant }.map(\.id))
    } catch {
      throw StoreFailure("\(error)")
    }
    return try store().erase(erasure, except: others)
  }

  /// The tenants that have a webhook.
  var tenants: Set<String> { Set(((try? file.webhooks()) ?? []).map(\.tenant)) }
}

/// Delivers a tenant's events to its webhooks, and follows the file in which they stand.
struct TenantWebhooks: Service {
  private static let fileSeconds = 1.0
  /// How often it is looked whether deliveries are to pause.
  private static let pauseMilliseconds: Int64 = 100

  let tenant: String
  let feed: PartyFeed
  let parts: WebhookParts

  func run() async throws {
    await cancelWhenGracefulShutdown { await follow() }
  }

  private func follow() async {
    var running: [String: (webhook: Webhook, task: Task<Void, Never>)] = [:]
    var stamp: FileStamp??
    parts.follows(tenant, true)
    defer { parts.follows(tenant, false) }
    var look = ContinuousClock.now
    while !Task.isCancelled {
      if parts.isPaused(tenant) {
        await end(&running)
        stamp = nil
        parts.notePause(tenant)
      }
      guard !parts.isPaused(tenant), ContinuousClock.now >= look else {
        try? await Task.sleep(for: .milliseconds(Self.pauseMilliseconds))
        continue
      }
      look = ContinuousClock.now + .seconds(Self.fileSeconds)
      parts.forgetOldLetters()
      if stamp != .some(parts.file.stamp) {
        stamp = .some(parts.file.stamp)
        await take(&running)
      }
    }
    await end(&running)
  }

  private func end(
    _ running: inout [String: (webhook: Webhook, task: Task<Void, Never>)]
  ) async {
    for (_, delivery) in running { delivery.task.cancel() }
    for (_, delivery) in running { await delivery.task.value }
    running = [:]
  }

  private func take(_ running: inout [String: (webhook: Webhook, task: Task<Void, Never>)]) async {
    let webhooks: [Webhook]
    do throws(WebhookFileError) {
      webhooks = try parts.file.webhooks().filter { $0.tenant == tenant }
    } catch {
      parts.logger.warning("the webhooks stay as they were", metadata: ["reason": "\(error)"])
      return
    }
    let wanted = Dictionary(webhooks.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    for (id, delivery) in running where wanted[id] != delivery.webhook {
      delivery.task.cancel()
      await delivery.task.value
      running[id] = nil
    }
    for (id, webhook) in wanted where running[id] == nil {
      running[id] = (webhook, Task { await deliver(webhook) })
    }
  }

  private func deliver(_ webhook: Webhook) async {
    var logger = parts.logger
    logger[metadataKey: "webhook"] = "\(webhook.id)"
    logger[metadataKey: "tenant"] = "\(webhook.tenant)"
    logger.info("events are delivered")
    while !Task.isCancelled {
      do throws(StoreFailure) {
        let delivery = try WebhookDelivery(
          webhook, settings: parts.settings, feed: feed, store: try parts.store(),
          sender: parts.sender, clock: parts.clock, jitter: { Double.random(in: 0..<1) },
          count: { [logger] in Self.count($0, $1, logger) })
        try await drive(delivery)
      } catch {
        logger.warning("the webhook waits", metadata: ["reason": "\(error.reason)"])
        try? await Task.sleep(for: .seconds(5))
      }
    }
  }

  private func drive(_ delivery: WebhookDelivery) async throws(StoreFailure) {
    while !Task.isCancelled {
      switch try await delivery.round() {
      case .none: await Task.yield()
      case .until(let moment, let position):
        await feed.wait(past: position, atMost: .milliseconds(left(until: moment)))
      case .pause(let moment): try? await Task.sleep(for: .milliseconds(left(until: moment)))
      }
    }
  }

  private func left(until moment: Instant) -> Int64 {
    max(1, moment.milliseconds - parts.clock.now().milliseconds)
  }

  private static func count(_ outcome: WebhookOutcome, _ number: Int, _ logger: Logger) {
    Counter(
      label: "moyeo_webhook_deliveries_total", dimensions: [("outcome", outcome.rawValue)]
    ).increment(by: number)
    switch outcome {
    case .taken, .refused: break
    case .dead:
      logger.warning("an event could not be delivered: moyeo webhooks letters shows why")
    case .missed:
      logger.error(
        "events were dropped before they could be delivered", metadata: ["events": "\(number)"])
    }
  }
}

/// A tenant's feed, which parties and tickets share.
struct PartyFeed: WebhookFeed {
  let service: PartyService

  var newest: UInt64 { service.eventBounds.newest }

  func events(
    after sequence: UInt64, kinds: Set<String>, limit: Int
  ) async throws(EventFeedError) -> EventPage {
    do throws(PartyServiceError) {
      return try await service.events(after: sequence, kinds: kinds, limit: limit)
    } catch {
      if case .resumeTokenExpired(let oldest, let newest) = error {
        throw .resumeTokenExpired(oldest: oldest, newest: newest)
      }
      throw .unavailable(reason: "\(error)")
    }
  }

  func wait(past sequence: UInt64, atMost time: Duration) async {
    _ = await service.waitForEvents(after: sequence, atMost: time)
  }

  func body(of event: StoredEvent) -> [UInt8] { EventJSON.body(of: event) }
}
