import Foundation
import GeoMath
import LiveLayers
import MoyeoStorage
import ObjectModel
import Synchronization

/// What goes on beside the joins: backups back to back, and people who move.
final class Disturbances: Sendable {
  let city: JoinedCity
  let directory: String
  let backs: Bool
  let movesPerSecond: Int
  let objects: Int
  let positionsEvery: Int
  private let isStopping = Atomic<Bool>(false)
  private let backups = Atomic<Int>(0)
  private let moves = Atomic<Int>(0)
  private let running = DispatchGroup()

  init(
    city: JoinedCity, directory: String, backs: Bool, movesPerSecond: Int, objects: Int,
    positionsEvery: Int
  ) {
    self.city = city
    self.directory = directory
    self.backs = backs
    self.movesPerSecond = movesPerSecond
    self.objects = objects
    self.positionsEvery = positionsEvery
  }

  var counts: (backups: Int, moves: Int) {
    (backups.load(ordering: .relaxed), moves.load(ordering: .relaxed))
  }

  func start() {
    if backs { onThread { [self] in backUp() } }
    if movesPerSecond > 0 {
      onThread { [self] in move() }
      if positionsEvery > 0 { onThread { [self] in keepPositions() } }
    }
  }

  func stop() {
    isStopping.store(true, ordering: .relaxed)
    running.wait()
  }

  private func onThread(_ work: @escaping @Sendable () -> Void) {
    running.enter()
    Thread {
      work()
      self.running.leave()
    }.start()
  }

  private var goesOn: Bool { !isStopping.load(ordering: .relaxed) }

  private func backUp() {
    let copy = directory + "/copy.sqlite"
    while goesOn {
      do {
        _ = try StoreBackup.run(dataDirectory: directory, to: copy)
        backups.add(1, ordering: .relaxed)
      } catch { print("backup: \(error)") }
      try? FileManager.default.removeItem(atPath: copy)
    }
  }

  private func keepPositions() {
    let keeper = PositionWriteBehind(
      layers: city.layers, archive: PositionsSnapshot(directory: directory),
      intervalMilliseconds: Int64(positionsEvery) * 1000)
    keeper.start()
    while goesOn { usleep(50_000) }
    keeper.stop()
  }

  /// Reports of 500 at a time at an even pace; everyone walks a few meters between two reports. What
  /// is late is made up for.
  private func move() {
    do {
      let layer = try city.layers.layerForReports("users")
      let ids = (0..<objects).map { Array("user-\($0)".utf8) }
      let batch = 500
      let start = ContinuousClock.now
      var sent = 0
      while goesOn {
        let now = city.layers.clock.now()
        var reports = layer.reportBatch(now: now, limits: city.layers.limits)
        reports.reserveCapacity(batch)
        let tags = ["walking"]
        for number in sent..<sent + batch {
          let i = number % objects
          let place = JoinedCity.place(i)
          let step = Double(number / objects) * 2e-5
          ids[i].withUnsafeBytes { id in
            reports.append(
              id: id, latitude: place.latitude + step, longitude: place.longitude, tags: tags,
              attributes: UnsafeRawBufferPointer(start: nil, count: 0), ttlMilliseconds: nil,
              observedAt: nil)
          }
        }
        _ = layer.apply(reports)
        sent += batch
        moves.add(batch, ordering: .relaxed)
        let due = start + .seconds(Double(sent) / Double(movesPerSecond))
        let ahead = (due - .now) / .microseconds(1)
        if ahead > 0 { usleep(UInt32(ahead)) }
      }
    } catch { print("moves: \(error)") }
  }
}
