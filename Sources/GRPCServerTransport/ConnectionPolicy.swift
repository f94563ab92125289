package import NIOCore

/// How long a connection lasts, and what a peer may send on it.
///
/// The bounds are those that no ordinary client reaches: one that cancels ten calls a second, that
/// probes its window with a ping after each answer, or that keeps its connection alive every ten
/// seconds (the shortest interval that grpc-go takes) is served for ever.
package struct ConnectionPolicy: Sendable {
  /// A connection without calls is ended after this time, at the latest after twice this time.
  package var idle = TimeAmount.hours(1)
  /// A connection that has sent its preface and begins no call in this time is ended.
  package var firstCallTimeout = TimeAmount.seconds(60)
  /// A connection that sends no preface (24 bytes and SETTINGS) in this time is closed.
  package var prefaceTimeout = TimeAmount.seconds(10)
  /// A unary request, and each message of a stream that has begun to arrive, is dropped when it has
  /// not arrived in this time. The tick that measures it is coarse, so that half the time may be
  /// enough. When a frame stays incomplete for so long, the server asks whether the peer is there.
  package var requestTimeout = TimeAmount.seconds(30)
  /// When no frame comes from a connection for so long, the server asks whether the peer is there,
  /// at the latest after twice this time.
  package var keepaliveInterval = TimeAmount.minutes(10)
  /// The time a peer has to answer that question, and to take what is queued when its connection
  /// ends.
  package var keepaliveTimeout = TimeAmount.seconds(20)
  /// A ping counts as a strike when it comes sooner than this after the last one, with no answer
  /// sent in between.
  package var minimumPingInterval = TimeAmount.seconds(5)
  /// The most strikes in a row; the connection of a peer with more is ended (`too_many_pings`, gRFC
  /// A8).
  package var maximumPingStrikes = 2
  /// The RST_STREAM frames that a peer may send before it has been served at all. Each answer adds
  /// one, and each second ``resetsPerSecond``. The connection of a peer beyond that is ended (rapid
  /// reset, CVE-2023-44487). It is twice the streams that a peer may have open by default.
  package var resetBurst = 2000
  package var resetsPerSecond = 100
  /// The SETTINGS and PRIORITY frames that a peer may send, counted in the same way.
  package var controlFrameBurst = 1000
  package var controlFramesPerSecond = 100
  /// The time a peer has to acknowledge the first GOAWAY before the second names the last call, and
  /// to close the connection once it has all its answers.
  package var goAwayTimeout = TimeAmount.seconds(5)
  /// The connection is closed when a shutdown has been announced for so long, whatever is half sent
  /// or still runs.
  package var shutdownGrace = TimeAmount.seconds(5)

  package init() {}
}
