package import NIOCore

/// How long a connection lasts, and what a peer may send on it.
///
/// The bounds are those that no ordinary client reaches: one that cancels ten calls a second, that
/// probes its window with a ping after each answer, or that keeps its connection alive every ten
/// seconds (the shortest interval that grpc-go takes) is served for ever.
package struct ConnectionPolicy: Sendable {
  /// A connection without calls for so long is ended, at the latest after twice this time.
  package var idle = TimeAmount.hours(1)
  /// A connection that has sent its preface and begins no call in this time is ended.
  package var firstCallTimeout = TimeAmount.seconds(60)
  /// A connection that sends no preface (24 bytes and SETTINGS) in this time is closed.
  package var prefaceTimeout = TimeAmount.seconds(10)
  /// A unary request, and each message of a stream that has begun to arrive, is dropped when it has
  /// not arrived in this time; the tick behind it is coarse, and half the time may be enough.
  /// A frame that stays incomplete for so long makes the server ask whether the peer is there.
  package var requestTimeout = TimeAmount.seconds(30)
  /// A connection from which no frame comes for so long is asked whether it is there, at the latest
  /// after twice this time.
  package var keepaliveInterval = TimeAmount.minutes(10)
  /// The time a peer has to answer that, and to take what is queued when its connection ends.
  package var keepaliveTimeout = TimeAmount.seconds(20)
  /// A ping that comes sooner after the last, with no answer sent in between, is a strike.
  package var minimumPingInterval = TimeAmount.seconds(5)
  /// A peer with more strikes in a row is sent away (`too_many_pings`, gRFC A8).
  package var maximumPingStrikes = 2
  /// RST_STREAM frames that a peer may send before it has been served at all. Each answer gives one
  /// back, and time ``resetsPerSecond``; a peer beyond that is sent away (rapid reset,
  /// CVE-2023-44487). Twice the streams that it may have open by default.
  package var resetBurst = 2000
  package var resetsPerSecond = 100
  /// SETTINGS and PRIORITY frames, in the same way.
  package var controlFrameBurst = 1000
  package var controlFramesPerSecond = 100
  /// The time a peer has to acknowledge the first GOAWAY before the second names the last call, and
  /// to close once it has all its answers.
  package var goAwayTimeout = TimeAmount.seconds(5)
  /// When a shutdown has been announced for so long, the connection is closed, whatever is half
  /// sent or still runs.
  package var shutdownGrace = TimeAmount.seconds(5)

  package init() {}
}
