import Foundation

/// An address for deliveries: http or https, with a host, without a user.
package struct WebhookURL: Hashable, Sendable {
  package static let maximumBytes = 2048

  package let text: String
  /// Without brackets.
  package let host: String

  /// Nil for what is no such address.
  package init?(_ text: String) {
    guard text.utf8.count <= Self.maximumBytes, let parts = URLComponents(string: text),
      let scheme = parts.scheme?.lowercased(), ["http", "https"].contains(scheme),
      let host = parts.host, !host.isEmpty, parts.user == nil, parts.fragment == nil
    else { return nil }
    // A port that is there and none: URLComponents then has a range without a number.
    guard (1...65_535).contains(parts.port ?? (parts.rangeOfPort == nil ? 80 : 0)) else {
      return nil
    }
    self.text = text
    self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
  }
}

/// An IP address, and whether it is one of the public internet.
package struct NetworkAddress: Hashable, Sendable {
  private let bytes: [UInt8]

  /// - Parameter bytes: 4 or 16, in network order.
  package init(_ bytes: [UInt8]) {
    // ::ffff:0:0/96 is IPv4 in another form.
    let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
    self.bytes = bytes.count == 16 && bytes.starts(with: mapped) ? Array(bytes[12...]) : bytes
  }

  /// What is neither this machine, nor a private network, nor set apart for another use by the
  /// registries of special addresses of IANA (RFC 6890).
  package var isPublic: Bool { bytes.count == 4 ? isPublic4 : isPublic6 }

  private var isPublic4: Bool {
    let special: [([UInt8], Int)] = [
      ([0, 0, 0, 0], 8), ([10, 0, 0, 0], 8), ([100, 64, 0, 0], 10), ([127, 0, 0, 0], 8),
      ([169, 254, 0, 0], 16), ([172, 16, 0, 0], 12), ([192, 0, 0, 0], 24), ([192, 0, 2, 0], 24),
      ([192, 88, 99, 0], 24), ([192, 168, 0, 0], 16), ([198, 18, 0, 0], 15),
      ([198, 51, 100, 0], 24), ([203, 0, 113, 0], 24), ([224, 0, 0, 0], 4), ([240, 0, 0, 0], 4),
    ]
    return !special.contains { isWithin($0.0, bits: $0.1) }
  }

  private var isPublic6: Bool {
    // Global unicast is 2000::/3; of it, what carries an IPv4 address or is set apart is not.
    guard isWithin([0x20, 0], bits: 3) else { return false }
    let special: [([UInt8], Int)] = [
      ([0x20, 0x01, 0, 0], 23), ([0x20, 0x01, 0x0D, 0xB8], 32), ([0x20, 0x02], 16),
      ([0x3F, 0xFF], 20),
    ]
    return !special.contains { isWithin($0.0, bits: $0.1) }
  }

  private func isWithin(_ prefix: [UInt8], bits: Int) -> Bool {
    (0..<bits).allSatisfy { bit in
      let (index, mask) = (bit / 8, UInt8(0x80) >> UInt8(bit % 8))
      let expected = index < prefix.count ? prefix[index] : 0
      return bytes[index] & mask == expected & mask
    }
  }

  /// As a connection is made to it.
  package var text: String {
    if bytes.count == 4 { return bytes.map { "\($0)" }.joined(separator: ".") }
    return stride(from: 0, to: 16, by: 2).map {
      String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16)
    }.joined(separator: ":")
  }
}
