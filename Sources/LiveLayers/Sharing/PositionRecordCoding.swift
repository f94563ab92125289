import ObjectModel

/// How the log spells objects and what is stored of them.
///
/// ```
/// member   tenant "/" layer "/" id            neither tenants nor layers contain a slash
/// value    observedAt " " expiresAt " " body  milliseconds in decimal, "-" for never; "-" alone: removed
/// body     latitude, longitude, payload       two doubles, little-endian, and ObjectPayload's bytes
/// ```
package enum PositionRecordCoding {
  package static func member(_ key: StoredPositionKey) -> String {
    "\(key.tenant)/\(key.layer)/\(key.id)"
  }

  package static func key(member: String) -> StoredPositionKey? {
    let parts = member.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, !parts[0].isEmpty, !parts[1].isEmpty, !parts[2].isEmpty else {
      return nil
    }
    return StoredPositionKey(
      tenant: String(parts[0]), layer: String(parts[1]), id: String(parts[2]))
  }

  package static func body(_ position: StoredPosition) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(16 + position.payload.count)
    for number in [position.latitude, position.longitude] {
      withUnsafeBytes(of: number.bitPattern.littleEndian) { out.append(contentsOf: $0) }
    }
    out.append(contentsOf: position.payload)
    return out
  }

  /// Spells a position as the log stores it.
  package static func value(_ position: StoredPosition) -> [UInt8] {
    let expiry = position.expiresAt == .distantFuture ? "-" : "\(position.expiresAt.milliseconds)"
    return Array("\(position.observedAt.milliseconds) \(expiry) ".utf8) + body(position)
  }

  static let removal: [UInt8] = [UInt8(ascii: "-")]

  /// Reads a value. Whoever may write to the store could have written anything.
  ///
  /// - Returns: `nil` for what is none.
  package static func record(_ key: StoredPositionKey, value: some Sequence<UInt8>)
    -> PositionRecord?
  {
    let bytes = Array(value)
    if bytes == removal { return .removal(key) }
    let space = UInt8(ascii: " ")
    guard let first = bytes.prefix(24).firstIndex(of: space),
      let second = bytes.dropFirst(first + 1).prefix(24).firstIndex(of: space),
      let observed = Int64(String(decoding: bytes[..<first], as: UTF8.self)),
      bytes.count - second - 1 >= 16
    else { return nil }
    let ends = String(decoding: bytes[(first + 1)..<second], as: UTF8.self)
    guard let expires = ends == "-" ? Instant.distantFuture.milliseconds : Int64(ends) else {
      return nil
    }
    func number(_ start: Int) -> Double {
      var bits: UInt64 = 0
      for (shift, byte) in bytes[start..<(start + 8)].enumerated() {
        bits |= UInt64(byte) << UInt64(8 * shift)
      }
      return Double(bitPattern: bits)
    }
    let (latitude, longitude) = (number(second + 1), number(second + 9))
    // NaN fails both comparisons.
    guard abs(latitude) <= 90, abs(longitude) <= 180 else { return nil }
    return .position(
      StoredPosition(
        key: key, latitude: latitude, longitude: longitude,
        observedAt: Instant(milliseconds: observed), expiresAt: Instant(milliseconds: expires),
        payload: Array(bytes[(second + 17)...])))
  }

  /// The partition that an object belongs to for ever, whatever its place.
  package static func partition(_ key: StoredPositionKey) -> Int {
    Int(StableHash.hash64(member(key)) % UInt64(SharedPositions.partitionCount))
  }
}
