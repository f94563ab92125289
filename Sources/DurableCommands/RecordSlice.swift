/// The part of a record that the groups of a batch are checked against, and the rules of the port
/// ``AggregateStore``: all of it in memory, or what a database was asked for a batch.
package struct RecordSlice: Sendable {
  /// What a group comes to.
  package enum Verdict: Hashable, Sendable {
    /// The slice holds the group's changes; its events have the sequences from this one on.
    case taken(firstSequence: UInt64)
    case duplicate(StoredReply)
    /// These aggregates are not what the group expected, or hold a claim in its way.
    case conflict([AggregateKey])
    /// No store takes such a group.
    case malformed(reason: String)
  }

  /// Somebody's claims are theirs in one tenant.
  package struct User: Hashable, Sendable {
    package var tenant: String
    package var id: String

    package init(tenant: String, id: String) {
      self.tenant = tenant
      self.id = id
    }
  }

  /// Of what is there; an aggregate that is not has version 0.
  package var versions: [AggregateKey: UInt64] = [:]
  package private(set) var claims: [AggregateKey: [TimeClaim]] = [:]
  private var claimsOfUsers: [User: [TimeClaim]] = [:]
  package var replies: [IdempotencyHash: StoredReply] = [:]
  /// By tenant, the sequence of the newest event.
  package var newestSequences: [String: UInt64] = [:]
  /// Versions that groups of this batch would have made, the first of each aggregate, and that did not
  /// come about. Who writes has decided later groups on them: they may expect a version that somebody else
  /// has given to another state.
  private var missed: [AggregateKey: UInt64] = [:]

  package init() {}

  /// What follows was decided on what the record has now.
  package mutating func beginBatch() { missed = [:] }

  /// A group is not taken, for a reason that is none of the slice's.
  package mutating func miss(_ group: ChangeGroup) {
    for change in group.changes {
      let version = change.aggregate.version
      missed[change.aggregate.key] = min(missed[change.aggregate.key] ?? version, version)
    }
  }

  package func reply(_ tenant: String, _ key: IdempotencyHash) -> StoredReply? {
    replies[key].flatMap { $0.tenant == tenant ? $0 : nil }
  }

  /// Adds a claim that the record holds.
  package mutating func add(_ claim: TimeClaim) {
    claims[claim.aggregate, default: []].append(claim)
    claimsOfUsers[User(tenant: claim.tenant, id: claim.userID), default: []].append(claim)
  }

  /// Forgets an aggregate with its claims.
  package mutating func remove(_ key: AggregateKey) {
    replaceClaims(of: key, with: [])
    versions[key] = nil
  }

  /// Checks a group and, if it holds, changes the slice by it: the next one is checked against that.
  package mutating func take(_ group: ChangeGroup) -> Verdict {
    let verdict = check(group)
    if case .taken = verdict { return verdict }
    miss(group)
    return verdict
  }

  private mutating func check(_ group: ChangeGroup) -> Verdict {
    if let wanted = group.reply, let earlier = reply(wanted.tenant, wanted.key) {
      return .duplicate(earlier)
    }
    if let asked = group.earlierKey, let earlier = reply(asked.tenant, asked.key) {
      return .duplicate(earlier)
    }
    if let reason = group.malformation { return .malformed(reason: reason) }
    let keys = group.changes.map(\.aggregate.key)
    let expected =
      group.changes.allSatisfy { holds($0.aggregate.key, $0.expectedVersion) }
      && group.expectations.allSatisfy { holds($0.key, $0.version) }
    let holders = expected && group.claimsMustNotOverlap ? holders(against: group, keys) : []
    guard expected, holders.isEmpty else {
      return .conflict(keys + group.expectations.map(\.key) + holders)
    }
    for change in group.changes {
      let key = change.aggregate.key
      versions[key] = change.aggregate.version
      replaceClaims(of: key, with: group.claims.filter { $0.aggregate == key })
    }
    if let reply = group.reply { replies[reply.key] = reply }
    guard let tenant = group.events.first?.tenant else { return .taken(firstSequence: 0) }
    let newest = newestSequences[tenant] ?? 0
    newestSequences[tenant] = newest + UInt64(group.events.count)
    return .taken(firstSequence: newest + 1)
  }

  private func holds(_ key: AggregateKey, _ expected: UInt64) -> Bool {
    (versions[key] ?? 0) == expected && missed[key].map { expected < $0 } ?? true
  }

  private func holders(against group: ChangeGroup, _ keys: [AggregateKey]) -> [AggregateKey] {
    var found: [AggregateKey] = []
    for claim in group.claims where !(claims[claim.aggregate] ?? []).contains(claim) {
      let elsewhere = (claimsOfUsers[User(tenant: claim.tenant, id: claim.userID)] ?? []).filter {
        !keys.contains($0.aggregate)
      }
      for other in group.claims + elsewhere
      where other.userID == claim.userID && other.tenant == claim.tenant
        && other.aggregate != claim.aggregate && other.from <= claim.through
        && claim.from <= other.through
      {
        found.append(other.aggregate)
      }
    }
    return found.sorted { ($0.kind.rawValue, $0.id) < ($1.kind.rawValue, $1.id) }
  }

  private mutating func replaceClaims(of key: AggregateKey, with new: [TimeClaim]) {
    for claim in claims[key] ?? [] {
      claimsOfUsers[User(tenant: claim.tenant, id: claim.userID)]?.removeAll {
        $0.aggregate == key
      }
    }
    for claim in new {
      claimsOfUsers[User(tenant: claim.tenant, id: claim.userID), default: []].append(claim)
    }
    claims[key] = new.isEmpty ? nil : new
  }
}

extension ChangeGroup {
  /// Why no store takes such a group; `nil` for one that a rule may make.
  package var malformation: String? {
    let keys = changes.map(\.aggregate.key)
    guard Set(keys).count == keys.count else {
      return "two changes of one aggregate in a group"
    }
    for claim in claims
    where !keys.contains(claim.aggregate) || claim.tenant != claim.aggregate.tenant {
      return "a claim of an aggregate that the group does not change"
    }
    guard events.allSatisfy({ $0.tenant == events[0].tenant }) else {
      return "events of two tenants in a group"
    }
    return nil
  }
}
