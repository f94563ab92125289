/// A URL to which a tenant's events are delivered.
package struct Webhook: Hashable, Sendable {
  package var id: String
  package var tenant: String
  /// `https://…`, or `http://…`.
  package var url: String
  /// Such as `party.joined`; empty: every kind.
  package var kinds: Set<String>
  /// What signs the deliveries; during a rotation the older one signs as well.
  package var secrets: [WebhookSecret]
  /// Whether events that were there before the webhook are delivered as well, as far as they are kept.
  package var startsAtOldest: Bool

  package init(
    id: String, tenant: String, url: String, kinds: Set<String> = [], secrets: [WebhookSecret],
    startsAtOldest: Bool = false
  ) {
    self.id = id
    self.tenant = tenant
    self.url = url
    self.kinds = kinds
    self.secrets = secrets
    self.startsAtOldest = startsAtOldest
  }
}

/// How deliveries are made (`webhooks.*`).
package struct WebhookSettings: Hashable, Sendable {
  /// One attempt takes no longer, its last byte included.
  package var timeoutMilliseconds: Int64 = 10_000
  /// An event that is refused so often, while others are taken, becomes a dead letter.
  package var maximumAttempts = 12
  /// Attempts at once to one URL, each for another party or ticket.
  package var concurrency = 16
  /// Events that wait for their next attempt; at so many no further ones are read from the feed.
  package var maximumWaiting = 10_000
  /// Where nothing at all is taken for so long, events become dead letters too.
  package var outageMilliseconds: Int64 = 3 * 86_400_000
  /// Dead letters stay for so long after their last attempt.
  package var letterMilliseconds: Int64 = 90 * 86_400_000
  /// The wait after the first failure; it doubles with each one.
  package var firstRetryMilliseconds: Int64 = 1_000
  package var longestRetryMilliseconds: Int64 = 3_600_000
  /// Whether a URL may lead to this machine or a private network.
  package var allowsPrivateTargets = false

  package init() {}
}
