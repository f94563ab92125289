import Foundation

import RideMatching
import TaxiFares
import ObjectModel
import FareEstimation
import Parties

/// `moyeod --check-configuration`: reads all that a start reads, but for the data directory and what
/// stands behind a URL.
struct ConfigurationCheck {
  let settings: Settings

  /// - Returns: One line that says what was read.
  /// - Throws: ``StartFailure/usage(_:)``, whatever is wrong.
  func run() async throws -> String {
    let composition = Composition(settings: settings)
    do {
      let library = try composition.tariffs()
      _ = try composition.demoCity()
      _ = try settings.tls.certificates()
      try await settings.auth.checkKeySet()
      _ = try settings.routes.makeProvider(clock: SystemClock())
      let parties =
        settings.parties.map { "\($0.rules.packs.count) policy packs" } ?? "parties are off"
      let resources = settings.resources.map { "files in \($0.path)" } ?? "no shipped files"
      return "the settings are good: \(library.catalog.tariffs.count) tariffs, "
        + "\(library.areas.areas.count) areas, \(parties), \(resources)"
    } catch let failure as StartFailure {
      throw StartFailure.usage(failure.description)
    } catch {
      throw StartFailure.usage("\(error)")
    }
  }
}
