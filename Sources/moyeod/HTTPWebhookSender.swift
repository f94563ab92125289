import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Threading
import Webhooks

/// Attempts over HTTP. A host is looked up by us and the connection made to the address that was
/// judged, so that a name which answers differently the second time leads nowhere else.
final class HTTPWebhookSender: WebhookSender {
  private struct Resolved {
    let client: HTTPClient
    let address: NetworkAddress
    let at: ContinuousClock.Instant
  }

  private static let maximumBodyBytes = 64 << 10
  private static let keepsAddress = Duration.seconds(60)

  private let allowsPrivateTargets: Bool
  private let pool: BoundedThreadPool
  private let known = StateLock<[String: Resolved]>([:])

  /// - Parameters:
  ///   - allowsPrivateTargets: Whether a URL may lead to this machine or a private network.
  ///   - pool: Where names are looked up, which blocks.
  init(allowsPrivateTargets: Bool, pool: BoundedThreadPool) {
    self.allowsPrivateTargets = allowsPrivateTargets
    self.pool = pool
  }

  deinit {
    for resolved in known.withLock({ Array($0.values) }) { resolved.client.shutdown { _ in } }
  }

  func send(
    to url: String, headers: [(name: String, value: String)], body: [UInt8],
    timeoutMilliseconds: Int64
  ) async -> WebhookAnswer {
    guard let target = WebhookURL(url) else {
      return .refused(reason: "it is no address of HTTP", retryAfterMilliseconds: nil)
    }
    do {
      return try await withThrowingTaskGroup(of: WebhookAnswer?.self) { group in
        group.addTask { try await self.attempt(target, headers, body) }
        group.addTask {
          try await Task.sleep(for: .milliseconds(timeoutMilliseconds))
          return nil
        }
        defer { group.cancelAll() }
        return try await group.next().flatMap { $0 }
          ?? .refused(
            reason: "there was no answer within \(timeoutMilliseconds) ms",
            retryAfterMilliseconds: nil)
      }
    } catch {
      forget(target.host)
      return .refused(reason: Self.words(error), retryAfterMilliseconds: nil)
    }
  }

  private func attempt(
    _ target: WebhookURL, _ headers: [(name: String, value: String)], _ body: [UInt8]
  ) async throws -> WebhookAnswer {
    let client = try await client(for: target)
    var request = HTTPClientRequest(url: target.text)
    request.method = .POST
    request.headers.add(name: "Content-Type", value: "application/json")
    request.headers.add(name: "User-Agent", value: "moyeo")
    for header in headers { request.headers.add(name: header.name, value: header.value) }
    request.body = .bytes(ByteBuffer(bytes: body))
    // Far away: the caller's own time decides.
    let response = try await client.execute(request, deadline: .distantFuture)
    // What is said beside the status is of no use, but a connection is used again when it was read.
    var left = Self.maximumBodyBytes
    for try await chunk in response.body {
      left -= chunk.readableBytes
      guard left >= 0 else { break }
    }
    let status = Int(response.status.code)
    if (200...299).contains(status) { return .taken }
    let seconds = response.headers.first(name: "Retry-After").flatMap { Int64($0) }
    return .refused(
      reason: "the receiver answered \(status)",
      retryAfterMilliseconds: seconds.map { min(max(0, $0), 86_400) * 1000 })
  }

  // MARK: - Where a name leads

  /// Why nothing is sent to a host; nil: it would be. It looks the name up, which blocks.
  static func refusal(of host: String, allowsPrivateTargets: Bool) -> String? {
    do {
      _ = try address(of: host, among: try lookUp(host), allowsPrivateTargets)
      return nil
    } catch {
      return words(error)
    }
  }

  private static func address(
    of host: String, among addresses: [NetworkAddress], _ allowsPrivateTargets: Bool
  ) throws -> NetworkAddress {
    guard let address = addresses.first(where: { allowsPrivateTargets || $0.isPublic }) else {
      throw Refusal(
        reason: addresses.isEmpty
          ? "\(host) has no address" : "\(host) is not of the public internet")
    }
    return address
  }

  private func client(for target: WebhookURL) async throws -> HTTPClient {
    let now = ContinuousClock.now
    if let known = known.withLock({ $0[target.host] }), now - known.at < Self.keepsAddress {
      return known.client
    }
    let host = target.host
    let addresses = try await pool.run { _ in try Self.lookUp(host) }
    let address = try Self.address(of: host, among: addresses, allowsPrivateTargets)
    return known.withLock { known in
      if let earlier = known[host], earlier.address == address {
        known[host] = Resolved(client: earlier.client, address: address, at: now)
        return earlier.client
      }
      known[host]?.client.shutdown { _ in }
      let made = Self.makeClient(host, address)
      known[host] = Resolved(client: made, address: address, at: now)
      return made
    }
  }

  private func forget(_ host: String) {
    known.withLock { known in
      guard let old = known[host] else { return }
      // Looked up anew at the next attempt; the client stays for those that are under way.
      known[host] = Resolved(
        client: old.client, address: old.address, at: old.at - Self.keepsAddress)
    }
  }

  private static func makeClient(_ host: String, _ address: NetworkAddress) -> HTTPClient {
    var configuration = HTTPClient.Configuration()
    configuration.redirectConfiguration = .disallow
    configuration.decompression = .disabled
    configuration.dnsOverride = [host: address.text]
    return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }

  private static func lookUp(_ host: String) throws -> [NetworkAddress] {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, nil, &hints, &list)
    guard code == 0 else {
      throw Refusal(reason: "\(host) cannot be looked up: \(String(cString: gai_strerror(code)))")
    }
    defer { freeaddrinfo(list) }
    var out: [NetworkAddress] = []
    var next = list
    while let entry = next?.pointee {
      next = entry.ai_next
      guard let socket = entry.ai_addr else { continue }
      if entry.ai_family == AF_INET {
        let address = UnsafeRawPointer(socket).loadUnaligned(as: sockaddr_in.self)
        out.append(NetworkAddress(withUnsafeBytes(of: address.sin_addr, Array.init)))
      } else if entry.ai_family == AF_INET6 {
        let address = UnsafeRawPointer(socket).loadUnaligned(as: sockaddr_in6.self)
        out.append(NetworkAddress(withUnsafeBytes(of: address.sin6_addr, Array.init)))
      }
    }
    return out
  }

  private struct Refusal: Error {
    let reason: String
  }

  private static func words(_ error: any Error) -> String {
    if let refusal = error as? Refusal { return refusal.reason }
    if let error = error as? HTTPClientError { return error.shortDescription }
    // The type only: descriptions of network errors hold addresses.
    return "\(type(of: error))"
  }
}
