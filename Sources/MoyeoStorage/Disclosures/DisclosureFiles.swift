import Foundation
package import ObjectModel
import Threading
import WireFormat

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Who was shown whose position: a line of JSON for each answer, in a file for each day (UTC) in the
/// folder `disclosures` of a data directory.
///
/// Lines are only added. The one exception is the erasure of a person, whose id becomes a pseudonym
/// wherever it stands. A day's file is removed once it is older than
/// ``Settings/retentionDays``.
///
/// ```
/// {"tenant":"default","at":"2026-11-23T12:00:00Z","role":"user","to":"rider-7","call":"Nearby",
///  "layer":"users","of":["rider-1","rider-9"]}
/// ```
///
/// Whom a caller has been shown is told once in ``Settings/windowSeconds``, so that a map that is read
/// every second does not fill the disk.
package final class DisclosureFiles: Sendable {
  package struct Settings: Hashable, Sendable {
    /// The layers whose reads are noted.
    package var layers: Set<String> = []
    /// Within so many seconds a caller's look at an object is noted once.
    package var windowSeconds: Int64 = 60
    /// For so many days a file stays.
    package var retentionDays = 190
    /// Bytes of lines that wait for the disk; beyond them reads are refused.
    package var waitingBytes = 16 << 20

    package init() {}
  }

  /// One answer.
  package struct Entry: Hashable, Sendable {
    package var tenant: String
    package var at: Instant
    /// `open`, `user` or `service`.
    package var role: String
    /// The subject of the token, or the API key's id; nil where nobody says who they are.
    package var viewer: String?
    package var call: String
    package var layer: String
    package var ids: [String]

    package init(
      tenant: String, at: Instant, role: String, viewer: String?, call: String, layer: String,
      ids: [String]
    ) {
      self.tenant = tenant
      self.at = at
      self.role = role
      self.viewer = viewer
      self.call = call
      self.layer = layer
      self.ids = ids
    }
  }

  /// Why an entry is not taken.
  package enum Refusal: Error, Hashable, Sendable {
    case full
    case failing(String)
  }

  package static let folderName = "disclosures"
  static let suffix = ".jsonl"
  /// Looks remembered in one window; beyond them some are noted twice.
  private static let rememberedLooks = 1 << 20

  private struct Waiting {
    var lines: [(day: String, line: [UInt8])] = []
    var bytes = 0
    /// Keyed hashes of caller, layer and object.
    var looks: Set<Int> = []
    var window: Int64 = .min
    var failure: String?
    var written: UInt64 = 0
  }

  /// What the writing thread has open.
  private struct Open {
    var day = ""
    var descriptor: Int32 = -1
    var isSynced = true
  }

  package let folder: String
  package let settings: Settings
  private let onTrouble: @Sendable (String?) -> Void
  private let waiting = StateLock(Waiting())
  private let file = StateLock(Open())
  private let now: @Sendable () -> Instant

  /// - Parameters:
  ///   - directory: The data directory.
  ///   - settings: What is noted, and for how long it stays.
  ///   - clock: The time of entries, and of what is too old.
  ///   - onTrouble: Told why lines cannot be written, and nil once they can.
  /// - Throws: ``StorageError`` when the folder cannot be made or written.
  package init(
    directory: String, settings: Settings, clock: any WallClock,
    onTrouble: @escaping @Sendable (String?) -> Void
  ) throws(StorageError) {
    folder = directory + "/" + Self.folderName
    self.settings = settings
    self.onTrouble = onTrouble
    now = { clock.now() }
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true,
        attributes: [.posixPermissions: Int(FileProtection.directoryMode)])
    } catch {
      throw .cannotOpen(path: folder, reason: "\(error)")
    }
    guard access(folder, W_OK | X_OK) == 0 else {
      throw .cannotOpen(path: folder, reason: String(cString: strerror(errno)))
    }
    prune()
  }

  /// Entries written since the start.
  package var writtenCount: UInt64 { waiting.withLock { $0.written } }
  /// Bytes that wait for the disk.
  package var waitingBytes: Int { waiting.withLock { $0.bytes } }

  // MARK: Taking entries

  /// Takes an entry without those whom the caller has just been shown.
  ///
  /// - Throws: ``Refusal`` while too much waits, or the disk fails; nothing is taken then.
  package func note(_ entry: Entry) throws(Refusal) {
    let refusal: Refusal? = waiting.withLock { waiting in
      if let failure = waiting.failure { return .failing(failure) }
      guard waiting.bytes < settings.waitingBytes else { return .full }
      var entry = entry
      entry.ids = unseen(entry, &waiting)
      guard !entry.ids.isEmpty else { return nil }
      let line = Self.line(entry)
      waiting.lines.append((Self.day(entry.at), line))
      waiting.bytes += line.count
      return nil
    }
    if let refusal { throw refusal }
  }

  private func unseen(_ entry: Entry, _ waiting: inout Waiting) -> [String] {
    guard settings.windowSeconds > 0 else { return entry.ids }
    let window = entry.at.milliseconds / (settings.windowSeconds * 1000)
    if window != waiting.window {
      waiting.window = window
      waiting.looks.removeAll(keepingCapacity: true)
    }
    return entry.ids.filter { id in
      // By this process's own secret, so that nobody can choose ids that meet.
      var hasher = Hasher()
      hasher.combine(entry.tenant)
      hasher.combine(entry.role)
      hasher.combine(entry.viewer)
      hasher.combine(entry.layer)
      hasher.combine(id)
      let look = hasher.finalize()
      guard waiting.looks.count < Self.rememberedLooks else { return !waiting.looks.contains(look) }
      return waiting.looks.insert(look).inserted
    }
  }

  static func line(_ entry: Entry) -> [UInt8] {
    JSONWriter.object {
      // First, and alike for all lines of a tenant: an erasure looks at the beginning.
      $0.string("tenant", entry.tenant)
      $0.string("at", RFC3339.utc(entry.at))
      $0.string("role", entry.role)
      if let viewer = entry.viewer { $0.string("to", viewer) }
      $0.string("call", entry.call)
      $0.string("layer", entry.layer)
      $0.strings("of", entry.ids)
    } + [UInt8(ascii: "\n")]
  }

  /// The day of a moment in UTC: `2026-11-23`.
  static func day(_ at: Instant) -> String { String(RFC3339.utc(at).prefix(10)) }

  // MARK: Writing

  /// Writes what waits, and gives it to the disk where `sync` says so. The writing thread's.
  ///
  /// A failure is told to callers from then on, until a later attempt succeeds.
  package func write(sync: Bool) {
    file.withLock { open in
      let (lines, hadFailed) = waiting.withLock { waiting in
        defer { waiting.lines = [] }
        return (waiting.lines, waiting.failure != nil)
      }
      var done = 0
      do {
        for group in Self.byDay(lines) {
          try append(Array(group.lines.joined()), day: group.day, &open)
          done += group.lines.count
        }
        if sync, !open.isSynced, open.descriptor >= 0 {
          guard fdatasync(open.descriptor) == 0 else { throw SystemFailure() }
          open.isSynced = true
        }
        note(written: lines, failure: nil)
        if hadFailed { onTrouble(nil) }
      } catch {
        // What a day's write left is tried again, in front of what has come since.
        let rest = Array(lines[done...])
        close(&open)
        note(written: Array(lines[..<done]), failure: "\(error)", unwritten: rest)
        onTrouble("\(error)")
      }
    }
  }

  private func note(
    written: [(day: String, line: [UInt8])], failure: String?,
    unwritten: [(day: String, line: [UInt8])] = []
  ) {
    waiting.withLock { waiting in
      waiting.bytes -= written.reduce(0) { $0 + $1.line.count }
      waiting.written += UInt64(written.count)
      waiting.failure = failure
      waiting.lines = unwritten + waiting.lines
    }
  }

  private static func byDay(
    _ lines: [(day: String, line: [UInt8])]
  ) -> [(day: String, lines: [[UInt8]])] {
    var out: [(day: String, lines: [[UInt8]])] = []
    for (day, line) in lines {
      if out.last?.day == day {
        out[out.count - 1].lines.append(line)
      } else {
        out.append((day, [line]))
      }
    }
    return out
  }

  /// Appends whole lines: of a write that fails in the middle nothing stays.
  private func append(_ bytes: [UInt8], day: String, _ open: inout Open) throws {
    if open.day != day || open.descriptor < 0 {
      close(&open)
      let path = folder + "/" + day + Self.suffix
      open.descriptor = Glibc.open(
        path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, FileProtection.fileMode)
      guard open.descriptor >= 0 else { throw SystemFailure() }
      open.day = day
      try Self.endLastLine(open.descriptor)
      prune()
    }
    let before = lseek(open.descriptor, 0, SEEK_END)
    var offset = 0
    while offset < bytes.count {
      let count = bytes[offset...].withUnsafeBytes {
        Glibc.write(open.descriptor, $0.baseAddress, $0.count)
      }
      guard count > 0 else {
        let failure = SystemFailure()
        _ = ftruncate(open.descriptor, before)
        throw failure
      }
      offset += count
    }
    open.isSynced = false
  }

  /// A crash may have cut the last line short; what follows begins a line of its own.
  private static func endLastLine(_ descriptor: Int32) throws {
    let size = lseek(descriptor, 0, SEEK_END)
    guard size > 0 else { return }
    var last: UInt8 = 0
    guard pread(descriptor, &last, 1, size - 1) == 1 else { throw SystemFailure() }
    var newline = UInt8(ascii: "\n")
    guard last == newline || Glibc.write(descriptor, &newline, 1) == 1 else {
      throw SystemFailure()
    }
  }

  private func close(_ open: inout Open) {
    if open.descriptor >= 0 {
      _ = fdatasync(open.descriptor)
      Glibc.close(open.descriptor)
    }
    open = Open()
  }

  /// Writes what waits and closes the file; nothing is noted afterwards.
  package func finish() {
    write(sync: true)
    file.withLock { close(&$0) }
  }

  // MARK: What is too old, and who is erased

  /// Days of which there are files, oldest first.
  static func days(in folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
      .filter { $0.hasSuffix(suffix) && $0.count == 10 + suffix.count }
      .map { String($0.dropLast(suffix.count)) }.sorted()
  }

  /// Removes the files of days that are over for longer than they stay.
  private func prune() {
    let oldest = Self.day(now().advanced(milliseconds: -Int64(settings.retentionDays) * 86_400_000))
    for day in Self.days(in: folder) where day < oldest {
      unlink(folder + "/" + day + Self.suffix)
    }
  }

  /// Puts a pseudonym in place of a person in all files.
  ///
  /// Past days are looked through while lines are written; of the present one lines wait meanwhile.
  ///
  /// - Returns: The lines that were changed.
  /// - Throws: ``StoreFailure``; it can be called again.
  package func erase(_ erasure: PersonErasure) throws(StoreFailure) -> Int {
    do {
      let today = Self.day(now())
      var changed = 0
      for day in Self.days(in: folder) where day < today {
        changed += try DisclosureErasure.rewrite(folder + "/" + day + Self.suffix, erasure)
      }
      write(sync: false)
      changed += try file.withLock { open in
        close(&open)
        var changed = 0
        for day in Self.days(in: folder) where day >= today {
          changed += try DisclosureErasure.rewrite(folder + "/" + day + Self.suffix, erasure)
        }
        return changed
      }
      return changed
    } catch {
      throw StoreFailure("\(error)")
    }
  }

  /// Erases from the files of a directory that no daemon writes.
  ///
  /// - Throws: ``StoreFailure``.
  package static func erase(
    _ erasure: PersonErasure, directory: String
  ) throws(StoreFailure) {
    let folder = directory + "/" + folderName
    do {
      for day in days(in: folder) {
        _ = try DisclosureErasure.rewrite(folder + "/" + day + suffix, erasure)
      }
    } catch {
      throw StoreFailure("\(error)")
    }
  }
}

/// What the system says of the last call that failed.
struct SystemFailure: Error, CustomStringConvertible {
  let code = errno
  var description: String { String(cString: strerror(code)) }
}
