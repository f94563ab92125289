import Foundation
import GeoMath
import ObjectModel
import TaxiFares

@testable import MoyeoEngine

/// Where the files of the tests are: the checkout, and the data shared beside it.
enum FareFixtures {
  static let checkout: String = {
    // <checkout>/Tests/MoyeoEngineTests/Fares/FareFixtures.swift
    var url = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
    for _ in 0..<4 { url.deleteLastPathComponent() }
    return url.path
  }()

  static let sharedData: String? = {
    if let path = ProcessInfo.processInfo.environment["MOYEO_SHARED_DATA"] { return path }
    var here = URL(fileURLWithPath: checkout)
    while here.path != "/" {
      let path = here.appendingPathComponent("shared/data").path
      if FileManager.default.fileExists(atPath: path) { return path }
      here.deleteLastPathComponent()
    }
    return nil
  }()

  static let library: TariffLibrary = {
    do {
      return try TariffLibrary.load(
        tariffDirectories: [checkout + "/data/tariffs"],
        areaDirectories: [checkout + "/data/areas"])
    } catch {
      fatalError("shipped tariffs do not load:\n\(error)")
    }
  }()

  /// A tariff among the fixtures of the tests.
  static func tariff(_ name: String) throws -> Tariff {
    let path = checkout + "/Tests/MoyeoEngineTests/Fares/Fixtures/\(name).json"
    return try TariffDocument.read(try Data(contentsOf: URL(fileURLWithPath: path)), file: name)
  }

  static func instant(_ text: String) -> Instant {
    guard let instant = LocalInstant.parse(text, in: nil) else { fatalError("bad time \(text)") }
    return instant
  }

  /// A shipped tariff at a moment, with fields changed.
  static func tariff(
    _ id: String, at time: String, _ change: (inout TariffContent) -> Void = { _ in }
  ) throws -> Tariff {
    var content = try library.catalog.tariff(id: id, at: instant(time)).content
    change(&content)
    return try Tariff(content)
  }
}
