import ObjectModel

/// A command of one of the models that share a pipeline.
struct SharedCommand: Sendable {
  var part: Int
  var command: any Sendable
}

/// A command of one model that a change of another one brings about; see
/// ``CommandLane/consequence(_:)``.
package struct CommandConsequence: Sendable {
  let command: SharedCommand
}

/// A committed change of one of them.
struct SharedEffect: CommitEffect {
  struct Own: Sendable {
    var part: Int
    var effect: any CommitEffect
  }

  /// Of the command's model first, then of its consequences.
  var parts: [Own]

  /// In the order in which `ChangeGroup.merge` joins their events.
  mutating func giveSequences(from next: inout UInt64) {
    for index in parts.indices { parts[index].effect.giveSequences(from: &next) }
  }
}

/// Several models under one pipeline, so that their changes are committed in one transaction and
/// their events numbered in one order. None of them knows another, and what they share, the feed and
/// its numbers, follows the record here.
///
/// `@unchecked`: ``parts`` changes only before the pipeline starts.
final class SharedCommitModel: CommitModel, @unchecked Sendable {
  typealias Command = SharedCommand
  typealias Answer = any Sendable
  typealias Failure = any Error
  typealias Overlay = [Any?]
  typealias Effect = SharedEffect

  private let feed: EventFeed
  private let isFollowing: Bool
  private var parts: [any ModelPart] = []

  /// `isFollowing`: whether a ``RecordFollower`` brings what others write.
  init(feed: EventFeed, isFollowing: Bool) {
    self.feed = feed
    self.isFollowing = isFollowing
  }

  /// - Returns: The number of the model, for its commands.
  func add<Model: CommitModel>(_ model: Model) -> Int {
    parts.append(TypedPart(model: model))
    return parts.count - 1
  }

  /// An overlay is made when the first command of its model comes.
  func makeOverlay(now: Instant) -> [Any?] {
    [Any?](repeating: nil, count: parts.count)
  }

  func decide(
    _ command: SharedCommand, in overlay: inout [Any?], now: Instant
  ) -> CommitDecision<any Sendable, any Error, SharedEffect> {
    let decision = decideOwn(command, in: &overlay, now: now)
    guard let change = decision.change else {
      return CommitDecision(result: decision.result)
    }
    var group = change.group
    var effect = SharedEffect(parts: [.init(part: command.part, effect: change.effect)])
    for consequence in decision.consequences {
      // One that changes nothing, or may not be, leaves the command as it is.
      guard
        let further = decideOwn(consequence.command, in: &overlay, now: now).change,
        further.group.claims.isEmpty
      else { continue }
      group.merge(further.group)
      effect.parts.append(.init(part: consequence.command.part, effect: further.effect))
    }
    return CommitDecision(change: (group, effect), result: decision.result)
  }

  func expectations(
    of command: SharedCommand, in overlay: [Any?], now: Instant
  ) -> [StateExpectation] {
    guard let own = overlay[command.part] else { return [] }
    return parts[command.part].expectations(of: command.command, in: own, now: now)
  }

  private func decideOwn(
    _ command: SharedCommand, in overlay: inout [Any?], now: Instant
  ) -> CommitDecision<any Sendable, any Error, any CommitEffect> {
    let part = parts[command.part]
    var own = overlay[command.part] ?? part.makeOverlay(now: now)
    let decision = part.decide(command.command, in: &own, now: now)
    overlay[command.part] = own
    return decision
  }

  func apply(_ effects: [SharedEffect]) {
    Self.eachRun(effects) { part, run in parts[part].apply(run) }
  }

  func publish(_ effects: [SharedEffect], now: Instant) {
    Self.eachRun(effects) { part, run in parts[part].publish(run, now: now) }
  }

  /// In their order: the feed takes events ascending, whichever model they are of.
  private static func eachRun(
    _ effects: [SharedEffect], _ body: (_ part: Int, _ run: [any CommitEffect]) -> Void
  ) {
    let all = effects.flatMap(\.parts)
    var rest = all[...]
    while let first = rest.first {
      let run = rest.prefix { $0.part == first.part }
      body(first.part, run.map(\.effect))
      rest = rest.dropFirst(run.count)
    }
  }

  func answer(
    to reply: StoredReply, of command: SharedCommand
  ) -> Result<any Sendable, any Error> {
    parts[command.part].answer(to: reply, of: command.command)
  }

  func take(_ newest: [StoredAggregate], now: Instant) {
    for part in parts { part.take(newest, now: now) }
    // Where others write to the record, events are followed with all else.
    if !isFollowing { try? feed.refresh() }
  }

  func reload(from store: any AggregateStore, now: Instant) throws(StoreFailure) {
    for part in parts { try part.reload(from: store, now: now) }
    try feed.refresh()
  }

  func remove(_ keys: [AggregateKey], now: Instant) {
    for part in parts { part.remove(keys, now: now) }
  }

  func forget(endedBefore moment: Instant) {
    for part in parts { part.forget(endedBefore: moment) }
  }

  /// As it is: the lane knows what its model calls it.
  func failure(_ failure: CommitFailure) -> any Error { failure }
}

/// A model without its types.
private protocol ModelPart: Sendable {
  func makeOverlay(now: Instant) -> Any
  func decide(
    _ command: any Sendable, in overlay: inout Any, now: Instant
  ) -> CommitDecision<any Sendable, any Error, any CommitEffect>
  func expectations(
    of command: any Sendable, in overlay: Any, now: Instant
  ) -> [StateExpectation]
  func apply(_ effects: [any CommitEffect])
  func publish(_ effects: [any CommitEffect], now: Instant)
  func answer(
    to reply: StoredReply, of command: any Sendable
  ) -> Result<any Sendable, any Error>
  func take(_ newest: [StoredAggregate], now: Instant)
  func reload(from store: any AggregateStore, now: Instant) throws(StoreFailure)
  func remove(_ keys: [AggregateKey], now: Instant)
  func forget(endedBefore moment: Instant)
}

private struct TypedPart<Model: CommitModel>: ModelPart {
  let model: Model

  /// What the lane of this model put in, and nobody else.
  private func own<T>(_ value: Any, _: T.Type) -> T {
    guard let value = value as? T else { preconditionFailure("a value of another model") }
    return value
  }

  func makeOverlay(now: Instant) -> Any { model.makeOverlay(now: now) }

  func decide(
    _ command: any Sendable, in overlay: inout Any, now: Instant
  ) -> CommitDecision<any Sendable, any Error, any CommitEffect> {
    var typed = own(overlay, Model.Overlay.self)
    let decision = model.decide(own(command, Model.Command.self), in: &typed, now: now)
    overlay = typed
    return CommitDecision(
      change: decision.change.map { ($0.group, $0.effect) }, result: Self.erased(decision.result),
      consequences: decision.consequences)
  }

  func expectations(
    of command: any Sendable, in overlay: Any, now: Instant
  ) -> [StateExpectation] {
    model.expectations(
      of: own(command, Model.Command.self), in: own(overlay, Model.Overlay.self), now: now)
  }

  private static func erased(
    _ result: Result<Model.Answer, Model.Failure>
  ) -> Result<any Sendable, any Error> {
    switch result {
    case .success(let answer): .success(answer)
    case .failure(let failure): .failure(failure)
    }
  }

  func apply(_ effects: [any CommitEffect]) {
    model.apply(effects.map { own($0, Model.Effect.self) })
  }

  func publish(_ effects: [any CommitEffect], now: Instant) {
    model.publish(effects.map { own($0, Model.Effect.self) }, now: now)
  }

  func answer(
    to reply: StoredReply, of command: any Sendable
  ) -> Result<any Sendable, any Error> {
    Self.erased(model.answer(to: reply, of: own(command, Model.Command.self)))
  }

  func take(_ newest: [StoredAggregate], now: Instant) { model.take(newest, now: now) }

  func reload(from store: any AggregateStore, now: Instant) throws(StoreFailure) {
    try model.reload(from: store, now: now)
  }

  func remove(_ keys: [AggregateKey], now: Instant) { model.remove(keys, now: now) }

  func forget(endedBefore moment: Instant) { model.forget(endedBefore: moment) }
}

extension ChangeGroup {
  /// Adds the changes and events of a group to be committed with this one. An aggregate that both
  /// change gets its newest state, under the version that the first one expects. Claims that come with it
  /// must be those that their aggregates hold already.
  package mutating func merge(_ further: ChangeGroup) {
    for change in further.changes {
      if let known = changes.firstIndex(where: { $0.aggregate.key == change.aggregate.key }) {
        changes[known].aggregate = change.aggregate
      } else {
        changes.append(change)
      }
    }
    claims += further.claims
    events += further.events
  }
}
