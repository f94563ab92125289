import GeoMath
import MoyeoAPI
import LiveLayers
import ObjectModel
import SpatialIndexing
import WireFormat

/// The events of one Watch: those present first, then what enters, moves and leaves.
///
/// A soft stream: between two batches moves of one object merge, and a reader that falls behind
/// what is kept gets `reset` and a snapshot. While a snapshot is sent its events carry a token from
/// which only a new snapshot helps; the last one carries the place after it.
struct WatchSource: EventSource {
  /// Which of `enter`, `move` and `exit` the reader wants to hear of.
  struct Kinds: OptionSet {
    let rawValue: UInt8
    static let enter = Kinds(rawValue: 1)
    static let move = Kinds(rawValue: 2)
    static let exit = Kinds(rawValue: 4)
    static let all: Kinds = [.enter, .move, .exit]
  }

  private struct Draft {
    let kind: String
    var token: WatchToken
    var body: ProtobufWriter
  }

  private let reader: WatchReader
  private let interval: Duration
  private let kinds: Kinds
  /// By area; empty for a watch of one area.
  private let fenceIDs: [String]
  /// Of circles, by area.
  private let origins: [DistanceOrigin?]
  private let clock: any WallClock
  private var looksAt = ContinuousClock.now
  /// The newest event of a snapshot, kept back until it is known whether it is the last.
  private var held: Draft?

  init(
    reader: WatchReader, interval: Duration, kinds: Kinds, fenceIDs: [String],
    clock: any WallClock
  ) {
    self.reader = reader
    self.interval = interval
    self.kinds = kinds
    self.fenceIDs = fenceIDs
    self.clock = clock
    origins = reader.areas.map { area in
      if case .circle(let center, _) = area { return DistanceOrigin(center) }
      return nil
    }
  }

  mutating func next(_ room: StreamRoom, patience: Duration) async throws -> [StreamEvent] {
    let end = ContinuousClock.now + patience
    while true {
      if looksAt > .now { try await Task.sleep(until: min(looksAt, end)) }
      let left = end - .now
      if looksAt > .now { return [] }
      await reader.wait(atMost: max(.zero, left))
      try Task.checkCancellation()
      let (drafts, isMore) = read(room)
      // What is there already, such as a snapshot, is not held back.
      if !isMore { looksAt = .now + interval }
      if !drafts.isEmpty { return drafts.map(Self.event) }
      if end <= .now && !isMore { return [] }
    }
  }

  /// A batch of events, and whether more can follow at once.
  private mutating func read(_ room: StreamRoom) -> (drafts: [Draft], isMore: Bool) {
    var drafts: [Draft] = []
    if let held { drafts.append(held) }
    held = nil
    var bytes = 0
    var isMore = true
    while isMore, drafts.count < room.events, bytes < room.bytes {
      let wasInSnapshot = !reader.isLive
      isMore = reader.read(limit: 32, tellsMoves: kinds.contains(.move)) { notice, hit in
        guard let draft = draft(notice, hit) else { return }
        bytes += draft.body.bytes.count
        drafts.append(draft)
      }
      if wasInSnapshot, reader.isLive, !drafts.isEmpty {
        drafts[drafts.count - 1].token = reader.position
      }
    }
    // A reset is followed by at least one more batch, so it need not wait for the snapshot's end.
    if !reader.isLive, drafts.last?.kind == "enter" { held = drafts.popLast() }
    return (drafts, isMore)
  }

  private func draft(_ notice: WatchNotice, _ hit: HitView?) -> Draft? {
    let kind: String
    switch notice.kind {
    case .reset: kind = "reset"
    case .enter:
      guard kinds.contains(.enter) else { return nil }
      kind = "enter"
    case .move: kind = "move"
    case .exit:
      guard kinds.contains(.exit) else { return nil }
      kind = "exit"
    }
    var body = ProtobufWriter(capacity: 192 + (hit?.payload.count ?? 0))
    body.string(9, kind)
    if !fenceIDs.isEmpty, notice.kind != .reset { body.string(10, fenceIDs[notice.area]) }
    if notice.isSnapshot { body.bool(11, true) }
    if let hit {
      body.string(1, hit.idString)
      body.double(2, hit.latitude)
      body.double(3, hit.longitude)
      if let origin = origins[notice.area] {
        let distance = origin.millimeters(latitude: hit.latitude, longitude: hit.longitude)
        body.double(4, Double(distance) / 1000)
      }
      let age = clock.now().milliseconds(since: hit.observedAt)
      body.double(6, Double(max(0, age)) / 1000)
      body.raw(hit.payload)
    } else if notice.kind == .exit {
      body.string(1, notice.id)
    }
    return Draft(kind: kind, token: notice.resumeToken, body: body)
  }

  private static func event(_ draft: Draft) -> StreamEvent {
    var body = draft.body
    let token = draft.token.text
    body.string(12, token)
    return StreamEvent(kind: draft.kind, resumeToken: token, message: body.bytes)
  }
}
