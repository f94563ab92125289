import CitySimulation
import Foundation
import GeoMath
import Logging
import LiveLayers
import ObjectModel
import ServiceLifecycle

/// Keeps a simulated city moving in the layer `users`.
struct DemoCity: Service {
  static let layerName = "users"
  let layers: LayerRegistry
  let city: City
  let users: Int
  let seed: UInt64
  let logger: Logger
  let onLoaded: @Sendable () -> Void

  private static let stepInterval = Duration.milliseconds(100)
  private static let batchSize = 1000
  /// People come and go at most this long after their last report.
  private static let ttlMilliseconds: Int64 = 60_000

  func run() async throws {
    let start = layers.clock.now()
    let simulation = CitySimulation(city: city, users: users, seed: seed, start: start)
    if let sharing = layers.sharing {
      while !sharing.isLoaded { try await Task.sleep(for: Self.stepInterval) }
      let places = try layers.layerForReports(DemoPlaces.layerName)
      _ = await sharing.write(
        DemoPlaces.reports(city).compactMap {
          places.change($0, tenant: layers.tenant, now: start, limits: layers.limits)
        })
    }
    try await report(simulation.snapshot(at: start), simulation)
    logger.info("demo city loaded", metadata: ["city": "\(city.name)", "users": "\(users)"])
    onLoaded()
    try? await cancelWhenGracefulShutdown { [simulation] in
      var simulation = simulation
      while !Task.isCancelled {
        try await Task.sleep(for: Self.stepInterval)
        try await report(simulation.step(to: layers.clock.now(), limit: 100_000), simulation)
      }
    }
  }

  private func report(_ reports: [CitySimulation.Report], _ simulation: CitySimulation) async throws
  {
    guard !reports.isEmpty else { return }
    let layer = try layers.layerForReports(Self.layerName)
    var from = 0
    while from < reports.count {
      let batch = reports[from..<min(from + Self.batchSize, reports.count)]
      if let sharing = layers.sharing {
        // The next step repeats what the log did not take.
        let now = layers.clock.now()
        _ = await sharing.write(
          batch.compactMap {
            layer.change(
              positionReport($0, simulation), tenant: layers.tenant, now: now,
              limits: layers.limits)
          })
        from += Self.batchSize
        continue
      }
      _ = layer.report(
        batch.map { positionReport($0, simulation) }, now: layers.clock.now(),
        limits: layers.limits)
      from += Self.batchSize
      await Task.yield()
    }
  }

  private func positionReport(
    _ report: CitySimulation.Report, _ simulation: CitySimulation
  ) -> PositionReport {
    let user = simulation.user(at: report.user)
    return PositionReport(
      id: user.id, latitude: report.coordinate.latitude, longitude: report.coordinate.longitude,
      tags: user.tags,
      attributes: AttributeEncoding.encode([
        ("gender", .string(user.gender.rawValue)), ("level", .number(Double(user.level))),
      ]), ttlMilliseconds: Self.ttlMilliseconds, observedAt: report.observedAt)
  }
}
