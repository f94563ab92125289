import Dispatch
import Identity
import LiveLayers
import MoyeoServer
import MoyeoStorage
import ObjectModel
import ServiceLifecycle
import Threading

/// Settings of the log that says who was shown whose position (`disclosures.*`).
enum DisclosureSettings {
  /// - Parameters:
  ///   - values: The settings.
  ///   - doors: What else would show positions and notes nothing, by the settings that open it.
  /// - Returns: Nil where no layer is noted.
  /// - Throws: ``SettingError`` with the key and what is wrong.
  static func read(
    _ values: Values, doors: [(key: String, isOpen: Bool)]
  ) async throws -> DisclosureFiles.Settings? {
    var out = DisclosureFiles.Settings()
    for word in (try await values.list("disclosures.layers") ?? []).flatMap(AdapterSettings.words)
    where !word.isEmpty {
      guard LayerName.isValid(word) else {
        throw SettingError(
          key: "disclosures.layers", problem: "names \"\(word)\", which is no layer")
      }
      out.layers.insert(word)
    }
    if let seconds = try await values.int("disclosures.windowSeconds", in: 0...3600) {
      out.windowSeconds = Int64(seconds)
    }
    if let days = try await values.int("disclosures.retentionDays", in: 1...36_500) {
      out.retentionDays = days
    }
    if let bytes = try await values.int("disclosures.waitingBytes", in: 65_536...(1 << 32)) {
      out.waitingBytes = bytes
    }
    guard !out.layers.isEmpty else { return nil }
    for door in doors where door.isOpen {
      throw SettingError(
        key: "disclosures.layers",
        problem: "cannot be kept beside \(door.key): what is shown there is noted nowhere")
    }
    return out
  }
}

/// The log as the calls see it, over the files of a data directory.
final class KeptDisclosures: DisclosureLog, Service {
  let files: DisclosureFiles
  private let clock: any WallClock
  private let writer: MaintenanceThread
  /// Lines gather for so long, so that a crash of the process loses no more than these.
  private static let gatheringMilliseconds: Int64 = 50
  private static let syncMilliseconds: Int64 = 1000

  init(files: DisclosureFiles, clock: any WallClock) {
    self.files = files
    self.clock = clock
    writer = MaintenanceThread(
      name: "moyeo-disclosed", gatheringMilliseconds: Self.gatheringMilliseconds,
      idleMilliseconds: Self.syncMilliseconds, work: { files.write(sync: false) },
      housekeeping: { files.write(sync: true) })
  }

  func covers(layer: String) -> Bool { files.settings.layers.contains(layer) }

  func note(_ disclosure: Disclosure) throws(DisclosureLogError) {
    let caller = disclosure.caller
    do throws(DisclosureFiles.Refusal) {
      try files.note(
        DisclosureFiles.Entry(
          tenant: caller.tenant, at: clock.now(), role: caller.role.rawValue,
          viewer: caller.subject ?? caller.keyID, call: disclosure.call, layer: disclosure.layer,
          ids: disclosure.ids))
    } catch {
      switch error {
      case .full: throw .full
      case .failing(let reason): throw .failing(reason)
      }
    }
    writer.signal()
  }

  var figures: DisclosureFigures {
    DisclosureFigures(written: files.writtenCount, waitingBytes: files.waitingBytes)
  }

  func run() async throws {
    writer.start()
    try? await gracefulShutdown()
    writer.stop()
    await withCheckedContinuation { done in
      DispatchQueue.global().async { [files] in
        files.finish()
        done.resume()
      }
    }
  }
}
