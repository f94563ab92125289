public import ObjectModel

/// All versions of all tariffs, and which of them is in force when.
public struct TariffCatalog: Sendable {
  /// By id, then by effective moment.
  public let tariffs: [Tariff]
  private let versions: [String: [Tariff]]
  private let idsByArea: [String: [String]]

  /// - Throws: ``TariffConflict`` when two tariffs cannot both be.
  public init(_ tariffs: [Tariff]) throws(TariffConflict) {
    self.tariffs = tariffs.sorted { ($0.id, $0.effective) < ($1.id, $1.effective) }
    versions = Dictionary(grouping: self.tariffs, by: \.id)
    var idsByArea: [String: [String]] = [:]
    for id in versions.keys.sorted() {
      for area in Set((versions[id] ?? []).map(\.area)) { idsByArea[area, default: []].append(id) }
    }
    self.idsByArea = idsByArea
    areas = Set(idsByArea.keys)
    try checkVersions()
    try checkClasses()
  }

  /// Ids of all tariffs, ascending.
  public var ids: [String] { versions.keys.sorted() }

  /// The areas that some tariff prices.
  public let areas: Set<String>

  /// The version of a tariff in force at a moment.
  /// - Throws: ``FareError/unknownTariff(id:)``,
  ///   ``FareError/departureBeforeTariffs(id:departure:firstEffective:)``,
  ///   ``FareError/tariffEnded(id:departure:ended:)``.
  public func tariff(id: String, at departure: Instant) throws(FareError) -> Tariff {
    guard let all = versions[id], let first = all.first else { throw .unknownTariff(id: id) }
    guard let newest = all.last(where: { $0.effective <= departure }) else {
      throw .departureBeforeTariffs(
        id: id, departure: departure, firstEffective: first.effective)
    }
    if let until = newest.content.until, departure >= until {
      throw .tariffEnded(id: id, departure: departure, ended: until)
    }
    return newest
  }

  /// The tariff of an area's taxis of a class (nil: the area's default) in force at a moment.
  /// - Throws: ``FareError/noTariff(area:vehicleClass:)``, or why the only tariff there is not in
  ///   force.
  public func tariff(
    area: String, vehicleClass: String?, at departure: Instant
  ) throws(FareError) -> Tariff {
    var failure: FareError?
    var found: [Tariff] = []
    for id in idsByArea[area] ?? [] {
      let all = versions[id] ?? []
      guard all.contains(where: { $0.area == area && $0.serves(vehicleClass) }) else { continue }
      do {
        let tariff = try tariff(id: id, at: departure)
        if tariff.area == area && tariff.serves(vehicleClass) { found.append(tariff) }
      } catch {
        failure = failure ?? error
      }
    }
    if let tariff = found.first(where: \.content.isAreaDefault) ?? found.first { return tariff }
    throw failure ?? .noTariff(area: area, vehicleClass: vehicleClass)
  }

  private func checkVersions() throws(TariffConflict) {
    for id in ids {
      let all = versions[id] ?? []
      for (earlier, later) in zip(all, all.dropFirst()) {
        if earlier.effective == later.effective {
          throw .duplicate(id: id, effective: earlier.effective)
        }
        if let until = earlier.content.until, until > later.effective {
          throw .overlap(
            id: id, other: id, area: earlier.area, from: later.effective)
        }
      }
    }
  }

  /// Two ids may not both price one class in one area at one time.
  private func checkClasses() throws(TariffConflict) {
    for area in areas.sorted() {
      let spans = (idsByArea[area] ?? []).flatMap { self.spans($0) }
        .filter { $0.tariff.area == area }
      for (i, a) in spans.enumerated() {
        for b in spans[(i + 1)...] where a.tariff.id != b.tariff.id {
          let from = max(a.from, b.from)
          guard from < min(a.to, b.to) else { continue }
          let shared = !Set(a.tariff.content.vehicleClasses).isDisjoint(
            with: b.tariff.content.vehicleClasses)
          let defaults = a.tariff.content.isAreaDefault && b.tariff.content.isAreaDefault
          if shared || defaults {
            throw .overlap(id: a.tariff.id, other: b.tariff.id, area: area, from: from)
          }
        }
      }
    }
  }

  private func spans(_ id: String) -> [(tariff: Tariff, from: Instant, to: Instant)] {
    let all = versions[id] ?? []
    return all.indices.map { i in
      let next = i + 1 < all.count ? all[i + 1].effective : .distantFuture
      return (all[i], all[i].effective, min(all[i].content.until ?? .distantFuture, next))
    }
  }
}

extension Tariff {
  fileprivate func serves(_ vehicleClass: String?) -> Bool {
    guard let vehicleClass else { return true }
    return content.vehicleClasses.contains(vehicleClass)
  }
}

/// Why tariffs cannot stand in one catalog.
public enum TariffConflict: Error, Hashable, Sendable {
  /// Two versions of one id begin at the same moment.
  case duplicate(id: String, effective: Instant)
  /// From a moment on two tariffs price the same class in one area, or are both its default; or a
  /// version of a tariff begins before the last one ended.
  case overlap(id: String, other: String, area: String, from: Instant)
}
