import CSpatiaLite
import Foundation
import ObjectModel
import Webhooks

extension StoreDoctor {
  /// Whether a daemon serves a data directory now.
  package static func isServed(dataDirectory: String) -> Bool {
    DirectoryLock.isHeld(directory: dataDirectory).isHeld
  }

  // MARK: The disk

  /// With less than this free, not even what a running daemon has to note may fit.
  static let leastFreeBytes = 64e6
  /// With less than this free it is time to look.
  static let comfortableFreeBytes = 1e9

  /// Says whether there is room.
  ///
  /// - Parameters:
  ///   - directory: Where the record lies.
  ///   - record: Bytes of the record; nil: there is none yet.
  ///   - free: Bytes that are free where it lies.
  /// - Returns: A finding.
  static func disk(_ directory: String, record: Double?, free: Double) -> Finding {
    let taken = record.map { "the record takes \(megabytes($0)), and " } ?? ""
    guard free >= leastFreeBytes else {
      return Finding(
        .wrong, "disk",
        "\(taken)only \(megabytes(free)) are free where \(directory) lies: make room, for commands are "
          + "refused once the disk is full")
    }
    guard free >= comfortableFreeBytes, free >= record ?? 0 else {
      return Finding(
        .notice, "disk",
        "\(taken)\(megabytes(free)) are free where \(directory) lies: make room before it has doubled"
      )
    }
    return Finding(.fine, "disk", "\(taken)\(megabytes(free)) are free where \(directory) lies")
  }

  // MARK: Erasures

  /// Says whether those who were erased stay so after a restore.
  // `reader` is nil where there is no record that can be read.
  static func erasures(_ reader: StoreReader?, _ directory: String) throws -> Finding {
    let list = ErasureList(directory: directory)
    let entries: [ErasureList.Entry]
    do { entries = try list.entries() } catch {
      return Finding(
        .wrong, "erasures", "\(error.reason): without it a restored backup brings people back")
    }
    var seen: Set<String> = []
    if let reader, try reader.number("PRAGMA user_version") >= 5 {
      let rows = try SQLStatement(reader.connection, "SELECT id FROM erasures")
      while try rows.step() { seen.insert(rows.text(0)) }
    }
    let listed = Set(entries.map(\.id))
    let lost = seen.subtracting(listed).count
    guard lost == 0 else {
      return Finding(
        .wrong, "erasures",
        "\(list.path) lacks \(lost) erasures that the record has seen: put a kept copy of it back, or a "
          + "restored backup brings these people back")
    }
    let open = listed.subtracting(seen).count
    if reader != nil, open > 0 {
      return Finding(
        .notice, "erasures",
        "\(open) of \(listed.count) erasures are not carried out in this record yet: the next start "
          + "does it before it serves")
    }
    return listed.isEmpty
      ? Finding(.fine, "erasures", "nobody was erased")
      : Finding(
        .fine, "erasures",
        "\(listed.count == 1 ? "1 person was" : "\(listed.count) people were") erased and will not come "
          + "back: keep copies of \(list.path) outside of the "
          + "backups")
  }

  // MARK: Webhooks

  /// Whether there are webhooks, and events that none of their attempts delivered.
  static func webhooks(_ directory: String) -> [Finding] {
    let all: [Webhook]
    do throws(WebhookFileError) {
      all = try WebhookFile(directory: directory).webhooks()
    } catch {
      return [
        Finding(
          .wrong, "webhooks", "\(error): restore the file, for nothing is delivered without it")
      ]
    }
    guard !all.isEmpty else { return [] }
    let words = all.count == 1 ? "1 is set" : "\(all.count) are set"
    let clear = all.filter { $0.url.lowercased().hasPrefix("http:") }.map(\.id)
    var out = [
      clear.isEmpty
        ? Finding(.fine, "webhooks", words)
        : Finding(
          .notice, "webhooks",
          "\(words), and events go to \(clear.joined(separator: ", ")) in the clear: give "
            + "them https addresses where others share the network")
    ]
    guard SQLiteLetterStore.exists(in: directory) else { return out }
    let most = 1000
    do {
      let dead = try SQLiteLetterStore(directory: directory).dead(of: nil, limit: most + 1)
      guard !dead.isEmpty else { return out }
      out.append(
        Finding(
          .notice, "letters",
          "\(dead.count > most ? "more than \(most) events" : Self.events(dead.count)) could not be "
            + "delivered: "
            + "moyeo webhooks letters says why, moyeo webhooks replay sends them again"))
    } catch {
      out.append(
        Finding(
          .wrong, "letters",
          "\(SQLiteLetterStore.fileName) cannot be read, and with it the daemon does not start: "
            + "\(error)"))
    }
    return out
  }

  private static func events(_ count: Int) -> String { count == 1 ? "1 event" : "\(count) events" }
}
