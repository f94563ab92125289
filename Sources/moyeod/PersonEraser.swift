import DurableCommands
import LiveLayers
import MoyeoServer
import MoyeoStorage
import ObjectModel
import Parties
import PeerMatching
import Synchronization
import Threading
import Tickets

/// The files from which people are erased; all tenants share them.
final class ErasureFiles: Sendable {
  let list: ErasureList
  let store: (any ErasableStore)?
  let archive: PositionsSnapshot?
  let webhooks: WebhookParts?
  /// Nil: nothing is noted now; files of before may be there.
  let disclosures: DisclosureFiles?
  let directory: String
  private let pool = BoundedThreadPool(threadCount: 1)
  private let isBusy = Atomic(false)

  init(
    directory: String, store: (any ErasableStore)?, archive: PositionsSnapshot?,
    webhooks: WebhookParts?, disclosures: DisclosureFiles? = nil
  ) {
    list = ErasureList(directory: directory)
    self.store = store
    self.archive = archive
    self.webhooks = webhooks
    self.disclosures = disclosures
    self.directory = directory
  }

  /// Runs what reads and writes files away from the event loops.
  func blocking<Answer: Sendable>(
    _ body: @escaping @Sendable () throws(StoreFailure) -> Answer
  ) async throws -> Answer {
    try await pool.run(mayBeShed: false) { _ in try body() }
  }

  /// One person at a time: files are looked through as a whole.
  ///
  /// - Throws: ``StoreFailure`` while another one is being erased, and what `body` throws.
  func alone<Answer>(_ body: () async throws -> Answer) async throws -> Answer {
    guard !isBusy.exchange(true, ordering: .acquiringAndReleasing) else {
      throw StoreFailure("another person is being erased")
    }
    defer { isBusy.store(false, ordering: .releasing) }
    return try await body()
  }
}

/// Erases people of one tenant from memory and from all files.
///
/// Every step may be repeated: a call that was cut short by a crash is completed by the next start,
/// which finds in ``ErasureList`` what the record has not seen.
struct PersonEraser: Sendable {
  let tenant: String
  let layers: LayerRegistry
  let parties: PartyService?
  let tickets: TicketService?
  let writeBehind: PositionWriteBehind?
  let files: ErasureFiles

  /// Rounds in which the record is looked through; more than one only while the person goes on acting.
  private static let rounds = 5
  private static let commandMilliseconds: Int64 = 5000

  private var context: CommandContext {
    CommandContext(
      caller: "erasure",
      deadline: layers.clock.now().advanced(milliseconds: Self.commandMilliseconds))
  }

  /// - Parameter userID: Whom; unknown people are noted all the same, as backups may have them.
  /// - Returns: What there was.
  /// - Throws: ``StoreFailure``, and what the services refuse; then it can be called again.
  func erase(_ userID: String) async throws -> ErasureReport {
    try await files.alone {
      let (list, tenant, now) = (files.list, tenant, layers.clock.now())
      let entry = try await files.blocking { () throws(StoreFailure) in
        try list.add(tenant: tenant, userID: userID, at: now)
      }
      guard await files.webhooks?.pause(tenant) ?? true else {
        throw StoreFailure("a delivery to a webhook does not end")
      }
      defer { files.webhooks?.resume(tenant) }
      let erasure = PersonErasure(tenant: tenant, userID: userID)
      var report = ErasureReport(pseudonym: erasure.pseudonym)
      try await retire(userID)
      // The record comes last: as long as it names the person, a crash is completed by the next start.
      try await eraseLetters(erasure, &report)
      try await erasePositions(erasure, &report)
      try await eraseDisclosures(erasure)
      try await eraseRecord(erasure, &report)
      if let store = files.store {
        try await files.blocking { () throws(StoreFailure) in
          try store.scrub(erasure.needles)
          try store.noteErasures([entry.id])
        }
      }
      return report
    }
  }

  /// By the rules that hold for everybody, so that those who stay hear of it.
  private func retire(_ userID: String) async throws {
    try await parties?.retire(userID, context)
    do throws(TicketServiceError) {
      _ = try await tickets?.carryOut(.close(userID: userID), context)
    } catch {
      // Who never waited has no ticket to close.
      guard case .rule = error else { throw error }
    }
  }

  private func erasePositions(
    _ erasure: PersonErasure, _ report: inout ErasureReport
  ) async throws {
    let now = layers.clock.now()
    for layer in layers.all where !LayerName.reserved.contains(layer.name) {
      if layer.remove(id: erasure.userID, now: now) { report.positions += 1 }
    }
    if let sharing = layers.sharing {
      let keys = layers.all.filter { !LayerName.reserved.contains($0.name) }.map {
        StoredPositionKey(tenant: tenant, layer: $0.name, id: erasure.userID)
      }
      for result in await sharing.write(keys.map { .remove($0) }) {
        if case .failure = result { throw StoreFailure("the log of positions does not answer") }
      }
    }
    guard let archive = files.archive else { return }
    let writeBehind = writeBehind
    let kept = try await files.blocking { () throws(StoreFailure) in
      _ = try writeBehind?.writeRound()
      return try archive.erase(erasure)
    }
    report.positions = max(report.positions, kept)
  }

  private func eraseDisclosures(_ erasure: PersonErasure) async throws {
    let files = files
    try await files.blocking { () throws(StoreFailure) in
      if let disclosures = files.disclosures {
        _ = try disclosures.erase(erasure)
      } else {
        try DisclosureFiles.erase(erasure, directory: files.directory)
      }
    }
  }

  private func eraseRecord(
    _ erasure: PersonErasure, _ report: inout ErasureReport
  ) async throws {
    guard let store = files.store, let parties else { return }
    for _ in 0..<Self.rounds {
      let keys = try await files.blocking { () throws(StoreFailure) in
        try store.aggregates(mentioning: erasure)
      }
      guard !keys.isEmpty else { break }
      _ = try await parties.rewriteRecord(replacing: erasure.userID, by: erasure.pseudonym) {
        () throws(StoreFailure) in
        try store.rewrite(keys, for: erasure)
      }
      report.count(keys.map(\.kind.rawValue))
    }
    // Who got into another party meanwhile leaves it under the name they have now.
    try await parties.retire(erasure.pseudonym, context)
    (report.events, report.replies) = try await files.blocking { () throws(StoreFailure) in
      (try store.rewriteEvents(for: erasure), try store.rewriteReplies(for: erasure))
    }
    parties.forgetEventsInMemory()
  }

  private func eraseLetters(
    _ erasure: PersonErasure, _ report: inout ErasureReport
  ) async throws {
    guard let webhooks = files.webhooks else { return }
    report.letters = try await files.blocking { () throws(StoreFailure) in
      try webhooks.erase(erasure)
    }
  }
}

extension ErasureFiles {
  /// Takes people out of a record that was restored from before their erasure; before anything is
  /// loaded.
  ///
  /// - Returns: Of each tenant, under which names they still are aboard.
  /// - Throws: ``StoreFailure``; then nobody may be served.
  static func replay(
    directory: String, store: any ErasableStore
  ) throws(StoreFailure) -> [String: [String]] {
    let applied = try store.appliedErasures()
    let missing = try ErasureList(directory: directory).entries().filter {
      !applied.contains($0.id)
    }
    guard !missing.isEmpty else { return [:] }
    let archive =
      PositionsSnapshot.exists(in: directory) ? PositionsSnapshot(directory: directory) : nil
    defer { archive?.close() }
    var letters: SQLiteLetterStore?
    if SQLiteLetterStore.exists(in: directory) {
      do { letters = try SQLiteLetterStore(directory: directory) } catch {
        throw StoreFailure("\(error)")
      }
    }
    var out: [String: [String]] = [:]
    for (tenant, entries) in Dictionary(grouping: missing, by: \.tenant) {
      let matcher = ErasureList.Matcher(entries)
      var found: Set<String> = []
      try store.people(of: tenant, namedBy: PersonErasure.people) {
        if matcher.matches($0) { found.insert($0) }
      }
      try archive?.people(of: tenant) { if matcher.matches($0) { found.insert($0) } }
      for userID in found {
        let erasure = PersonErasure(tenant: tenant, userID: userID)
        _ = try store.rewrite(try store.aggregates(mentioning: erasure), for: erasure)
        _ = try store.rewriteEvents(for: erasure)
        _ = try store.rewriteReplies(for: erasure)
        _ = try archive?.erase(erasure)
        _ = try letters?.erase(erasure, except: [])
        try DisclosureFiles.erase(erasure, directory: directory)
        try store.scrub(erasure.needles)
        out[tenant, default: []].append(erasure.pseudonym)
      }
      // Of somebody who is not found the rows may be gone and their bytes not: a crash came in between.
      if entries.contains(where: { !found.contains(where: ErasureList.Matcher([$0]).matches) }) {
        try store.scrub(nil)
      }
    }
    try store.noteErasures(missing.map(\.id))
    return out
  }
}
