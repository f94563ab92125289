import SpatialIndexing
import Threading

/// A place as the table knows it.
struct PlaceEntry: Sendable {
  /// Its layer, by the place of its name.
  let layer: Int
  let handle: ObjectHandle
  let keys: PlaceKeys
}

/// The places by the number that the text index knows them by, and by layer and slot.
///
/// Written by whoever follows the layers, under that lock; read by searches. `@unchecked`: `lock`
/// guards the rest.
final class PlaceEntries: @unchecked Sendable {
  /// Changes that are made together.
  struct Update {
    fileprivate var puts: [(number: UInt32, entry: PlaceEntry)] = []
    fileprivate var removals: [UInt32] = []
    fileprivate var taken = 0

    /// A number that is free, each time another one.
    mutating func nextNumber(_ entries: PlaceEntries) -> UInt32 {
      defer { taken += 1 }
      return entries.freeNumber(taken)
    }

    mutating func put(_ entry: PlaceEntry, at number: UInt32) { puts.append((number, entry)) }
    mutating func remove(_ number: UInt32) { removals.append(number) }
  }

  /// Where to look for a place in its layer.
  struct Location: Sendable {
    let number: UInt32
    let layer: Int32
    let handle: ObjectHandle
  }

  private let lock = ReadersWriterLock()
  private var entries: [PlaceEntry?] = []
  /// Of the same, apart from the keys: a search reads thousands of them.
  private var locations: [Location?] = []
  private var free: [UInt32] = []
  /// By layer, then slot: number plus 1, 0 for none.
  private var numbers: [[UInt32]] = []

  var count: Int { lock.withReadLock { entries.count - free.count } }

  func entry(_ number: UInt32) -> PlaceEntry? {
    lock.withReadLock { Int(number) < entries.count ? entries[Int(number)] : nil }
  }

  /// Calls `body` for each of some numbers that is a place, under one hold of the lock.
  func forEach(_ numbers: some Sequence<UInt32>, _ body: (UInt32, PlaceEntry) -> Void) {
    lock.withReadLock {
      for number in numbers where Int(number) < entries.count {
        if let entry = entries[Int(number)] { body(number, entry) }
      }
    }
  }

  /// Calls `body` for each candidate that is a place, under one hold of the lock.
  func forEachLocation(of candidates: PlaceCandidates, _ body: (Location) -> Void) {
    lock.withReadLock {
      candidates.forEach { number in
        if Int(number) < locations.count, let location = locations[Int(number)] { body(location) }
      }
    }
  }

  /// Calls `body` with the place in the list, the number and the keys of each handle of a layer that
  /// is a place; the keys are read when they are asked for.
  func forEach(
    layer: Int, handles: [ObjectHandle], _ body: (Int, UInt32, () -> PlaceKeys) -> Void
  ) {
    lock.withReadLock {
      for (i, handle) in handles.enumerated() {
        guard let number = number(layer, handle) else { continue }
        body(i, number) { entries[Int(number)]?.keys ?? PlaceKeys(names: []) }
      }
    }
  }

  func entry(layer: Int, handle: ObjectHandle) -> (number: UInt32, entry: PlaceEntry)? {
    lock.withReadLock { find(layer, handle) }
  }

  private func find(_ layer: Int, _ handle: ObjectHandle) -> (number: UInt32, entry: PlaceEntry)? {
    guard let number = number(layer, handle), let entry = entries[Int(number)] else { return nil }
    return (number, entry)
  }

  private func number(_ layer: Int, _ handle: ObjectHandle) -> UInt32? {
    let slot = Int(handle.slot)
    guard layer < numbers.count, slot < numbers[layer].count, numbers[layer][slot] > 0 else {
      return nil
    }
    let number = numbers[layer][slot] - 1
    return locations[Int(number)]?.handle == handle ? number : nil
  }

  func numbers(ofLayer layer: Int) -> [UInt32] {
    lock.withReadLock {
      entries.indices.filter { entries[$0]?.layer == layer }.map { UInt32($0) }
    }
  }

  func handles(ofLayer layer: Int) -> [ObjectHandle] {
    lock.withReadLock { entries.compactMap { $0?.layer == layer ? $0?.handle : nil } }
  }

  // MARK: - Writing

  fileprivate func freeNumber(_ index: Int) -> UInt32 {
    lock.withReadLock {
      index < free.count
        ? free[free.count - 1 - index] : UInt32(entries.count + index - free.count)
    }
  }

  func apply(_ update: Update) {
    lock.withWriteLock {
      let reused = min(update.taken, free.count)
      free.removeLast(reused)
      entries.append(contentsOf: repeatElement(nil, count: update.taken - reused))
      locations.append(contentsOf: repeatElement(nil, count: update.taken - reused))
      for (number, entry) in update.puts { put(entry, at: number) }
      for number in update.removals { drop(number) }
    }
  }

  func remove(_ numbers: [UInt32]) {
    lock.withWriteLock { for number in numbers { drop(number) } }
  }

  private func put(_ entry: PlaceEntry, at number: UInt32) {
    entries[Int(number)] = entry
    locations[Int(number)] = Location(
      number: number, layer: Int32(entry.layer), handle: entry.handle)
    let slot = Int(entry.handle.slot)
    while numbers.count <= entry.layer { numbers.append([]) }
    let missing = slot + 1 - numbers[entry.layer].count
    if missing > 0 {
      numbers[entry.layer].append(contentsOf: repeatElement(0, count: max(1024, missing)))
    }
    numbers[entry.layer][slot] = number + 1
  }

  private func drop(_ number: UInt32) {
    guard let entry = entries[Int(number)] else { return }
    entries[Int(number)] = nil
    locations[Int(number)] = nil
    free.append(number)
    let slot = Int(entry.handle.slot)
    if numbers[entry.layer][slot] == number + 1 { numbers[entry.layer][slot] = 0 }
  }
}
