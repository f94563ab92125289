/// Which slot of a Redis Cluster a key belongs to: CRC16 (XMODEM) of the key, or of its hash tag, modulo
/// 16,384 (the cluster specification of Redis, "Key distribution model").
package enum RedisSlots {
  package static let count = 16_384

  package static func slot(of key: some Collection<UInt8>) -> Int {
    var hashed = Array(key)
    if let open = hashed.firstIndex(of: UInt8(ascii: "{")),
      let close = hashed[(open + 1)...].firstIndex(of: UInt8(ascii: "}")), close > open + 1
    {
      hashed = Array(hashed[(open + 1)..<close])
    }
    return Int(crc16(hashed)) % count
  }

  static func crc16(_ bytes: [UInt8]) -> UInt16 {
    var crc: UInt16 = 0
    for byte in bytes {
      crc ^= UInt16(byte) << 8
      for _ in 0..<8 { crc = crc & 0x8000 != 0 ? crc << 1 ^ 0x1021 : crc << 1 }
    }
    return crc
  }
}

/// Where a Redis server listens.
package struct RedisAddress: Hashable, Sendable, CustomStringConvertible {
  package var host: String
  package var port: Int

  package init(host: String, port: Int) {
    self.host = host
    self.port = port
  }

  /// Reads `host:port`, an address of IPv6 with or without brackets.
  package init?(text: some StringProtocol) {
    // A server may add its bus port: `10.0.0.1:6379@16379`.
    let text = String(text.prefix { $0 != "@" })
    guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
      (1...65_535).contains(port)
    else { return nil }
    var host = String(text[..<colon])
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    self.init(host: host, port: port)
  }

  package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

/// Which server has which slots, as one of them told.
package struct RedisSlotMap: Hashable, Sendable {
  private var masters: [RedisAddress] = []
  /// Of each slot the index into `masters`; -1: nobody has it.
  private var owners = [Int16](repeating: -1, count: RedisSlots.count)

  package init() {}

  /// Reads the answer to `CLUSTER SLOTS`.
  ///
  /// - Parameters:
  ///   - reply: The answer.
  ///   - asked: Who answered: a server that does not know its own address leaves it empty.
  package init?(_ reply: RESPReply, asked: RedisAddress) {
    guard let ranges = reply.elements else { return nil }
    for range in ranges {
      guard let parts = range.elements, parts.count >= 3, let first = parts[0].integerValue,
        let last = parts[1].integerValue, first >= 0, last >= first, last < RedisSlots.count,
        let node = parts[2].elements, node.count >= 2, let port = node[1].integerValue,
        (1...65_535).contains(port)
      else { return nil }
      let host = node[0].text ?? ""
      set(
        Int(first)...Int(last),
        RedisAddress(host: host.isEmpty || host == "?" ? asked.host : host, port: Int(port)))
    }
  }

  package subscript(slot: Int) -> RedisAddress? {
    let owner = owners[slot]
    return owner < 0 ? nil : masters[Int(owner)]
  }

  package var addresses: [RedisAddress] { masters }

  /// Notes whom a redirect named.
  package mutating func set(_ slots: ClosedRange<Int>, _ address: RedisAddress) {
    var index = masters.firstIndex(of: address) ?? masters.count
    if index == masters.count {
      // No cluster has so many; without an owner a slot is asked for anew.
      guard index < 1024 else { return }
      masters.append(address)
      index = masters.count - 1
    }
    for slot in slots { owners[slot] = Int16(index) }
  }
}

/// What a server refuses, as far as it tells where to go.
package enum RedisRefusal: Hashable, Sendable {
  case moved(slot: Int, RedisAddress)
  /// This once; the slot has not moved yet.
  case ask(RedisAddress)
  /// The map is old, or the cluster is without somebody for the slot.
  case notServing
  /// The script is not there.
  case unknownScript
  case other

  /// - Parameters:
  ///   - message: The server's own.
  ///   - asked: Who answered; a redirect may leave its own host out.
  package init(_ message: String, asked: RedisAddress) {
    let words = message.split(separator: " ")
    func address() -> RedisAddress? {
      guard words.count >= 3, var address = RedisAddress(text: words[2]) else { return nil }
      if address.host.isEmpty { address.host = asked.host }
      return address
    }
    switch words.first {
    case "MOVED":
      guard words.count >= 3, let slot = Int(words[1]), (0..<RedisSlots.count).contains(slot),
        let address = address()
      else {
        self = .other
        return
      }
      self = .moved(slot: slot, address)
    case "ASK": self = address().map { .ask($0) } ?? .other
    case "CLUSTERDOWN", "READONLY", "LOADING", "MASTERDOWN", "TRYAGAIN": self = .notServing
    case "NOSCRIPT": self = .unknownScript
    default: self = .other
    }
  }
}

extension RedisAddress {
  /// Reads addresses with commas between them; nil unless all of them are some.
  package static func list(_ text: String) -> [RedisAddress]? {
    let parts = text.split(separator: ",").map { $0.filter { $0 != " " } }
    let addresses = parts.compactMap { RedisAddress(text: $0) }
    let areWhole = addresses.count == parts.count && addresses.allSatisfy { !$0.host.isEmpty }
    return areWhole && !addresses.isEmpty ? addresses : nil
  }
}
