import ObjectModel

extension CommitPipeline {
  struct Pending {
    var item: Item
    var result: Outcome
    var change: (group: ChangeGroup, effect: Model.Effect)?
    /// What the store is to verify of a result without a change.
    var verification: ChangeGroup?
  }

  /// Has what is committed published and answered, and hands back the rest.
  func conclude(
    _ pending: [Pending], _ outcomes: [CommitOutcome], now: Instant
  ) -> [Item] {
    var effects: [Model.Effect] = []
    var events: UInt64 = 0
    let allCommitted = outcomes.allSatisfy { $0.isCommitted }
    var next = outcomes.makeIterator()
    var answered: [(Item, Outcome)] = []
    var repeated: [(item: Item, reply: StoredReply, claim: IdempotencyClaim)] = []
    var retries: [Item] = []
    var hasConflict = false
    var unchanged: [Pending] = []
    for one in pending {
      guard one.change != nil || one.verification != nil, let outcome = next.next() else {
        unchanged.append(one)
        continue
      }
      let item = one.item
      item.attempts += 1
      switch outcome {
      case .committed(var sequence):
        guard var change = one.change else {
          unchanged.append(one)
          continue
        }
        change.effect.giveSequences(from: &sequence)
        effects.append(change.effect)
        events += UInt64(change.group.events.count)
        if let reply = change.group.reply { replies.insert(reply) }
        answered.append((one.item, one.result))
      case .duplicate(let reply):
        count { $0.duplicates += 1 }
        replies.insert(reply)
        if let claim = item.claim {
          repeated.append((item, reply, claim))
        } else {
          retries.append(item)
        }
      case .conflict(let newest):
        count { $0.conflicts += 1 }
        hasConflict = true
        takeConflict(one, newest, now: now)
        retries.append(item)
      case .notDone(let reason), .unknown(let reason):
        count { $0.notDone += 1 }
        if pending.count == 1, item.attempts > 1 {
          answered.append((item, .failure(model.failure(.unavailable(reason: reason)))))
        } else {
          retries.append(item)
        }
      }
    }
    if !effects.isEmpty { count { $0.committedGroups += effects.count } }
    var isFollowed = false
    if let follower, hasConflict || !effects.isEmpty {
      // Where others committed before this batch, all is read, this batch as well: it comes in its order.
      let isNext = !hasConflict && follower.noteOwnCommit(events: events)
      if !isNext { isFollowed = follow(now: now) }
    }
    if isFollowed { effects = [] }
    if !effects.isEmpty { model.apply(effects) }
    // A refusal may rest on a change that did not come about.
    for one in unchanged {
      if allCommitted { answered.append((one.item, one.result)) } else { retries.append(one.item) }
    }
    publish(effects, answered, now: now)
    answerRepeated(repeated, isFollowed: isFollowed, now: now)
    return retries
  }

  /// Takes over what a command met that was decided on something older.
  private func takeConflict(_ one: Pending, _ newest: [StoredAggregate], now: Instant) {
    finishPublishing()
    model.take(newest, now: now)
    guard follower != nil, let group = one.change?.group ?? one.verification else { return }
    let keys = Set(group.changes.map(\.aggregate.key) + group.expectations.map(\.key))
    let gone = keys.subtracting(newest.map(\.key))
    if !gone.isEmpty { model.remove(Array(gone), now: now) }
  }

  /// Answers commands that took effect before, maybe by another daemon: then memory lacks the effect
  /// until it was followed.
  private func answerRepeated(
    _ repeated: [(item: Item, reply: StoredReply, claim: IdempotencyClaim)], isFollowed: Bool,
    now: Instant
  ) {
    guard !repeated.isEmpty else { return }
    if follower != nil, !isFollowed { follow(now: now) }
    publish([], repeated.map { ($0.item, replay($0.reply, $0.claim, $0.item)) }, now: now)
  }
}
