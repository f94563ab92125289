import NIOCore

/// Host and port as a `Host` header or an origin names them (RFC 9110, section 7.2).
struct Authority: Hashable, Sendable {
  /// In lower case, without the brackets of an IPv6 address and without a last dot.
  let name: String
  let port: Int?
  /// Whether the name is an IPv6 address, which stands in brackets.
  let isBracketed: Bool

  /// `nil` for what is no host, with or without a port.
  init?(_ text: some StringProtocol) {
    var text = Substring(text)
    var isBracketed = false
    let name: Substring
    if text.first == "[" {
      guard let end = text.firstIndex(of: "]") else { return nil }
      name = text[text.index(after: text.startIndex)..<end]
      text = text[text.index(after: end)...]
      isBracketed = true
    } else {
      name = text.prefix { $0 != ":" }
      text = text[name.endIndex...]
    }
    guard !name.isEmpty, name.utf8.count <= 255, name.utf8.allSatisfy(Self.isNameByte) else {
      return nil
    }
    var port: Int?
    if !text.isEmpty {
      let digits = text.dropFirst()
      guard text.first == ":", digits.utf8.count <= 5,
        digits.utf8.allSatisfy({ (48...57).contains($0) })
      else { return nil }
      // An empty port is allowed and means the scheme's own.
      port = Int(digits)
      if let port, port > 65_535 { return nil }
    }
    self.name = (name.last == "." ? name.dropLast() : name).lowercased()
    self.port = port
    self.isBracketed = isBracketed
  }

  /// No byte that ends a host in a URL, no control character and no space.
  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "@"),
      UInt8(ascii: "\\"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: ","), 127:
      false
    default: byte > 32
    }
  }

  /// Whether the name is an IP address, which nobody can point elsewhere as a name can be.
  var isAddress: Bool { (try? SocketAddress(ipAddress: name, port: 0)) != nil }

  var isLoopback: Bool {
    if name == "localhost" || name.hasSuffix(".localhost") { return true }
    if LoopbackHost.isIPv4(name) { return true }
    return isBracketed && (try? SocketAddress(ipAddress: name, port: 0)) == Self.loopback
  }

  private static let loopback = try? SocketAddress(ipAddress: "::1", port: 0)
}

/// Hosts that only this machine reaches.
package enum LoopbackHost {
  /// Whether a service that listens on this host is reached from its own machine alone. A name that
  /// only looks like an address of loopback may lead anywhere.
  package static func contains(_ host: String) -> Bool {
    host == "localhost" || host == "::1" || isIPv4(host)
  }

  static func isIPv4(_ name: String) -> Bool {
    let octets = name.split(separator: ".", omittingEmptySubsequences: false)
    return octets.count == 4 && octets[0] == "127"
      && (try? SocketAddress(ipAddress: name, port: 0)) != nil
  }
}

/// The names under which the service may be asked.
///
/// A page of another site can have its own name resolve to our address ("DNS rebinding"); the
/// browser then takes our answers for that site's, and only the `Host` header tells. So names are
/// allowed one by one: those of loopback, the address that is listened on, and `http.hosts`.
struct HostAllowList: Sendable {
  private let names: Set<String>
  private let allowsEveryName: Bool
  /// Every address of the machine is listened on, so that any may have been meant.
  private let allowsAddresses: Bool

  /// - Parameters:
  ///   - bound: The address or name that is listened on.
  ///   - names: Further ones; `*` for all.
  init(bound: String, names: [String]) {
    var known = Set(names.compactMap { Authority($0)?.name })
    let bare = bound.hasPrefix("[") ? String(bound.dropFirst().dropLast()) : bound
    known.insert(bare.lowercased())
    self.names = known
    allowsEveryName = names.contains("*")
    allowsAddresses = ["0.0.0.0", "::"].contains(bare)
  }

  func allows(_ host: Authority) -> Bool {
    allowsEveryName || names.contains(host.name) || host.isLoopback
      || (allowsAddresses && host.isAddress)
  }
}
