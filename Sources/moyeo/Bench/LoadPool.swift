import Foundation
import MoyeoClient
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOPosix

/// The connections of a load test, all on one event loop: a thread that only sends and counts.
final class LoadPool: Sendable {
  /// The connections, by number; absent while one is opened again.
  struct Connections {
    private var slots: [(any LoadConnection)?]
    private var last = 0

    init(count: Int) { slots = Array(repeating: nil, count: count) }

    subscript(index: Int) -> (any LoadConnection)? {
      get { slots[index] }
      set { slots[index] = newValue }
    }

    /// The next connection in turn that takes a request.
    mutating func nextWithRoom() -> Int? {
      for _ in slots.indices {
        last = last + 1 < slots.count ? last + 1 : 0
        if slots[last]?.hasRoom == true { return last }
      }
      return nil
    }

    var hasRoom: Bool { slots.contains { $0?.hasRoom == true } }

    func flush() { for slot in slots { slot?.flush() } }
    func close() { for slot in slots { slot?.close() } }
  }

  /// Where plain bytes go: no TLS.
  private struct Address: Sendable {
    var host: String
    var port: Int
    /// In front of `/v1`.
    var path = ""

    var authority: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    init(_ endpoint: Endpoint) throws {
      switch endpoint {
      case .grpc(let host, let port): (self.host, self.port) = (host, port)
      case .grpcs:
        throw CommandFailure.usage("load goes without TLS: to http:// or grpc:// addresses")
      case .http(let text):
        guard let url = URL(string: text), url.scheme?.lowercased() == "http",
          let host = url.host, !host.isEmpty
        else {
          throw CommandFailure.usage("load goes to http:// or gRPC addresses, not to \(text)")
        }
        self.host = host
        port = url.port ?? 80
        path = url.path
        while path.hasSuffix("/") { path.removeLast() }
      }
    }
  }

  let loop: any EventLoop
  let connections: NIOLoopBoundBox<Connections>
  /// Whether the loop never sleeps.
  let spins: Bool
  /// When it does not: called at each of its turns.
  let onTurn: NIOLoopBoundBox<(() -> Void)?>
  private let spinner: NIOLoopBoundBox<(any Channel)?>
  private let isClosed: NIOLoopBoundBox<Bool>
  private let address: Address
  private let endpoint: Endpoint
  /// HTTP's path of the layer.
  private let root: String
  /// Whether a connection that ends is opened again.
  private let reopens: Bool

  /// Opens `count` connections to `endpoint`, for requests to `layer`.
  ///
  /// - Parameters:
  ///   - endpoint: A gRPC or `http://` address.
  ///   - layer: The layer's name, not yet percent-encoded.
  ///   - count: How many connections are held.
  ///   - reopens: Whether a connection that ends is opened again.
  ///   - spins: Whether the loop's thread stays awake (``LoopSpinner``).
  /// - Throws: ``MoyeoError``: nobody answers there. ``CommandFailure``: the address is not one for
  ///   load, or the thread cannot be kept awake.
  init(_ endpoint: Endpoint, layer: String, count: Int, reopens: Bool, spins: Bool) async throws {
    loop = MultiThreadedEventLoopGroup.singleton.next()
    onTurn = .makeEmptyBox(valueType: (() -> Void).self, eventLoop: loop)
    spinner = .makeEmptyBox(valueType: (any Channel).self, eventLoop: loop)
    self.spins = spins
    connections = .makeBoxSendingValue(Connections(count: count), eventLoop: loop)
    isClosed = .makeBoxSendingValue(false, eventLoop: loop)
    self.endpoint = endpoint
    self.reopens = reopens
    address = try Address(endpoint)
    root = "\(address.path)/v1/layers/\(HTTPRoute.percentEncoded(layer))/"
    do {
      for index in 0..<count { try await open(index).get() }
    } catch {
      await close()
      throw MoyeoError.unreachable(
        endpoint: endpoint.description, cause: MoyeoError.words(error))
    }
    guard spins else { return }
    let channel = try await LoopSpinner.start(on: loop) { [onTurn] in onTurn.value?() }
    try await loop.submit { [spinner] in spinner.value = channel }.get()
  }

  private func open(_ index: Int) -> EventLoopFuture<Void> {
    ClientBootstrap(group: loop)
      .channelOption(.socketOption(.tcp_nodelay), value: 1)
      .channelInitializer { [self] channel in
        channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          switch endpoint {
          case .grpc, .grpcs:
            let connection = GRPCLoadConnection(authority: address.authority) { [self] in
              ended(index)
            }
            try pipeline.addHandlers(
              NIOHTTP2Handler(mode: .client, initialSettings: GRPCLoadConnection.settings),
              connection)
          case .http:
            let connection = HTTPLoadConnection(authority: address.authority, root: root) {
              [self] in ended(index)
            }
            try pipeline.addHTTPClientHandlers()
            try pipeline.addHandler(connection)
          }
        }
      }
      .connect(host: address.host, port: address.port)
      .flatMapThrowing { [self] channel in
        // Not before: what is sent to a connection that never comes about has no end.
        let pipeline = channel.pipeline.syncOperations
        connections.value[index] =
          switch endpoint {
          case .grpc, .grpcs: try pipeline.handler(type: GRPCLoadConnection.self)
          case .http: try pipeline.handler(type: HTTPLoadConnection.self)
          }
      }
  }

  /// On the loop: a connection takes no more requests.
  private func ended(_ index: Int) {
    connections.value[index] = nil
    guard reopens, !isClosed.value else { return }
    loop.scheduleTask(in: .milliseconds(20)) { [self] in
      guard !isClosed.value else { return }
      open(index).whenFailure { _ in self.ended(index) }
    }
  }

  /// Sends messages one after the other on one connection's report stream.
  func exchange(_ requests: [BenchRequests.Prepared], connection index: Int) async throws
    -> [ByteBuffer]
  {
    var answers: [ByteBuffer] = []
    for request in requests {
      let answer = loop.flatSubmit { [loop, connections] in
        let promise = loop.makePromise(of: ByteBuffer.self)
        if let connection = connections.value[index] {
          connection.send(request) { promise.completeWith($0.mapError { $0 as any Error }) }
          connection.flush()
        } else {
          promise.fail(LoadFailure.unreachable)
        }
        return promise.futureResult
      }
      answers.append(try await answer.get())
    }
    return answers
  }

  func close() async {
    try? await loop.submit { [self] in
      isClosed.value = true
      spinner.value?.close(promise: nil)
      connections.value.close()
    }.get()
  }
}
