package import FareEstimation
import Foundation
import GeoMath
package import ObjectModel
package import TaxiFares

/// Where the files of the tests are: the checkout, and the data shared beside it.
package enum FareFixtures {
  package static let checkout: String = {
    // <checkout>/Tests/TestSupport/FareFixtures.swift
    var url = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
    for _ in 0..<3 { url.deleteLastPathComponent() }
    return url.path
  }()

  package static let sharedData: String? = {
    if let path = ProcessInfo.processInfo.environment["MOYEO_SHARED_DATA"] { return path }
    var here = URL(fileURLWithPath: checkout)
    while here.path != "/" {
      let path = here.appendingPathComponent("shared/data").path
      if FileManager.default.fileExists(atPath: path) { return path }
      here.deleteLastPathComponent()
    }
    return nil
  }()

  package static let library: TariffLibrary = {
    do {
      return try TariffLibrary.load(
        tariffDirectories: [checkout + "/data/tariffs"],
        areaDirectories: [checkout + "/data/areas"])
    } catch {
      fatalError("shipped tariffs do not load:\n\(error)")
    }
  }()

  /// A tariff among the fixtures of the tests.
  package static func tariff(_ name: String) throws -> Tariff {
    let path = checkout + "/Tests/FareEstimationTests/Fixtures/\(name).json"
    return try TariffDocument.read(try Data(contentsOf: URL(fileURLWithPath: path)), file: name)
  }

  package static func instant(_ text: String) -> Instant {
    guard let instant = LocalInstant.parse(text, in: nil) else { fatalError("bad time \(text)") }
    return instant
  }

  /// A shipped tariff at a moment, with fields changed.
  package static func tariff(
    _ id: String, at time: String, _ change: (inout TariffContent) -> Void = { _ in }
  ) throws -> Tariff {
    var content = try library.catalog.tariff(id: id, at: instant(time)).content
    change(&content)
    return try Tariff(content)
  }
}
