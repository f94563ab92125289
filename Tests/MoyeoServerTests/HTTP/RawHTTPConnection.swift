import Foundation
import NIOCore
import NIOPosix

@testable import MoyeoServer

/// A plain TCP connection to the HTTP port, for requests that no HTTP library would send.
struct RawHTTPConnection {
  /// One answer as it stands on the wire.
  struct Answer {
    let text: String

    /// 0 when nothing came.
    var status: Int { Int(text.split(separator: " ").dropFirst().first ?? "") ?? 0 }
    var body: String {
      text.range(of: "\r\n\r\n").map { String(text[$0.upperBound...]) } ?? ""
    }

    func header(_ name: String) -> String? {
      for line in text.split(separator: "\r\n").dropFirst() {
        let halves = line.split(separator: ":", maxSplits: 1)
        if halves.count == 2, halves[0].lowercased() == name {
          return halves[1].trimmingPrefix(" ").description
        }
      }
      return nil
    }
  }

  private final class Collector: ChannelInboundHandler, @unchecked Sendable {
    typealias InboundIn = ByteBuffer
    private var bytes: [UInt8] = []
    private let answers: Int?
    private let ended: EventLoopPromise<[UInt8]>

    init(answers: Int?, _ ended: EventLoopPromise<[UInt8]>) {
      self.answers = answers
      self.ended = ended
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      bytes.append(contentsOf: Self.unwrapInboundIn(data).readableBytesView)
      guard let answers, RawHTTPConnection.answers(in: bytes).count >= answers else { return }
      context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
      ended.succeed(bytes)
    }
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      context.close(promise: nil)
    }
  }

  /// The answers that are complete; each has a Content-Length, or is informational.
  static func answers(in bytes: [UInt8]) -> [Answer] {
    var found: [Answer] = []
    var rest = bytes[...]
    while let end = rest.firstRange(of: Array("\r\n\r\n".utf8)) {
      let head = Answer(text: String(decoding: rest[..<end.upperBound], as: UTF8.self))
      let length = head.header("content-length").flatMap { Int($0) } ?? 0
      guard rest.count >= end.upperBound - rest.startIndex + length else { break }
      let next = end.upperBound + length
      found.append(Answer(text: String(decoding: rest[..<next], as: UTF8.self)))
      rest = rest[next...]
    }
    return found
  }

  /// Sends `text` and waits for so many answers, or until the service has closed the connection.
  static func exchange(
    _ text: String, answers: Int? = 1, with daemon: RunningDaemon
  ) async throws -> [Answer] {
    try await exchange(pieces: [text], answers: answers, with: daemon)
  }

  /// The same, with a write for each piece.
  static func exchange(
    pieces: [String], answers: Int? = 1, with daemon: RunningDaemon
  ) async throws -> [Answer] {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let ended = loop.makePromise(of: [UInt8].self)
    let channel = try await ClientBootstrap(group: loop).channelInitializer { channel in
      channel.pipeline.addHandler(Collector(answers: answers, ended))
    }.connect(host: "127.0.0.1", port: daemon.addresses.httpPort).get()
    // The service may close before all is sent.
    for piece in pieces { try? await channel.writeAndFlush(ByteBuffer(string: piece)) }
    return Self.answers(in: try await ended.futureResult.get())
  }
}
