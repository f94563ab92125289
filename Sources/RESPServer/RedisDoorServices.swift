import LiveLayers
import SpatialIndexing
import Synchronization
import Threading

/// What all connections of the door share.
final class RedisDoorServices: Sendable {
  let layers: LayerRegistry
  /// Those of `layers`; a field of them is read here without a copy of all.
  let limits: LayerLimits
  let configuration: RedisDoor.Configuration
  let expiry = KeyExpiry()
  let pool: BoundedThreadPool
  /// Writers of one key take turns, so that NX, XX and CH count what they changed. Keys share the
  /// locks; writes of other wires do not take them.
  private let writeLocks = (0..<16).map { _ in StateLock<Void>(()) }
  private let nextConnection = Atomic<Int>(1)
  private let open = Atomic<Int>(0)
  let figures = DoorFigures()

  init(layers: LayerRegistry, configuration: RedisDoor.Configuration, pool: BoundedThreadPool) {
    self.layers = layers
    limits = layers.limits
    self.configuration = configuration
    self.pool = pool
  }

  var openConnections: Int { open.load(ordering: .relaxed) }
  var connectionsReceived: Int { nextConnection.load(ordering: .relaxed) - 1 }

  /// Counts a connection. - Returns: Its number.
  func connectionOpened() -> Int {
    open.add(1, ordering: .relaxed)
    return nextConnection.add(1, ordering: .relaxed).oldValue
  }

  func connectionClosed() { open.subtract(1, ordering: .relaxed) }

  func writing<Answer>(to layer: Layer, _ body: () -> Answer) -> Answer {
    // Objects stand 16 bytes apart at least.
    let number = UInt(bitPattern: ObjectIdentifier(layer)) >> 4
    return writeLocks[Int(number % UInt(writeLocks.count))].withLock { _ in body() }
  }

  /// Returns a layer that has objects, by its key; `nil` where Redis would have no such key.
  func existing(_ key: String) -> Layer? {
    guard let layer = try? layers.layer(key), objectCount(layer) > 0 else { return nil }
    return layer
  }

  /// Returns the layer of a key, with objects or without.
  func layer(_ key: String) -> Layer? { try? layers.layer(key) }

  func objectCount(_ layer: Layer) -> Int { layer.index.objectCount }

  /// Ends the keys whose time is over, and removes what is in them: here if it is little, else on the
  /// pool.
  func endDueKeys() { removeInBackground(expiry.endDue(in: layers)) }

  func removeInBackground(_ ended: [EndedLayer]) {
    for layer in ended {
      guard layer.objectCount > Self.objectsPerTurn else {
        layer.removeEverything()
        continue
      }
      let pool = pool
      Task {
        // Without room in the queue it is done here, so that nothing stays behind.
        do { try await pool.run { _ in _ = layer.removeEverything() } } catch {
          layer.removeEverything()
        }
      }
    }
  }

  /// Objects that are removed or listed on the event loop; more go elsewhere.
  static let objectsPerTurn = 2048

  /// Returns the keys that exist. Layers that the service itself fills are none.
  func keys() -> [Layer] {
    layers.all.filter { !LayerName.reserved.contains($0.name) && objectCount($0) > 0 }
  }
}

extension CommandRefusal {
  /// Words what layers refuse.
  init(_ error: LayerError) {
    switch error {
    case .badLayerName(let name):
      self.init(
        "ERR '\(String(name.prefix(64)))' is no layer name: a key is 1 to 63 of a-z, 0-9, _ and -, "
          + "and begins with a letter or digit")
    case .unknownLayer(let name): self.init("ERR there is no layer '\(name)'")
    case .reservedLayer(let name): self.init("ERR only the service itself fills '\(name)'")
    case .tooManyLayers(let limit):
      self.init(
        "ERR there are \(limit) layers, as many as there may be (limits.layers)",
        .quotaExceeded)
    case .tooMuchWork(let limit, _):
      self.init(
        "ERR the search takes more than \(limit) steps: narrow it, or raise limits.workPerRequest",
        .tooMuchWork)
    case .abandoned: self.init("ERR the command took too long", .tooMuchWork)
    case .unknownObject, .badVersion, .versionNotReached, .badCursor, .clustersOff,
      .unknownCluster, .badZoom, .tooManyTiles, .tooManyWatches:
      self.init("ERR the command is not possible here")
    }
  }
}
