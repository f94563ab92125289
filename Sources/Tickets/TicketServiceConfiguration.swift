package import ObjectModel
package import PeerMatching
package import PositionProtection

/// How tickets are kept and found. Every figure can be configured.
package struct TicketServiceConfiguration: Sendable {
  /// The rules' own figures.
  package var policy = TicketPolicy()
  /// The cells in which others see people.
  package var protection = ProtectionSettings()
  /// Whether people are shown at the middle of their cell; else where they are.
  package var isProtected = true
  /// A secret that orders and hides: margins, and numbers in cursors. The same at each start.
  package var key = HashKey.publicKey
  /// The weights of a search and their bounds.
  package var ranking = TicketRankingBounds()
  /// How long after a sign of life somebody counts as online.
  package var leaseMilliseconds: Int64 = 60_000
  /// Interests told where people share too few.
  package var recommendedTags: [String] = []
  package var popularTags = 10
  /// How long popular tags of one place are told anew.
  package var popularMilliseconds: Int64 = 2000
  package var defaultRadiusMeters = 3000.0
  package var radiusMeters = 1.0...50_000.0
  package var defaultSearch = 20
  package var searchLimit = 1000
  /// People of all pages of one search.
  package var pagedPeople = 5000
  /// The longest poll.
  package var waitSeconds = 0.0...30.0
  /// Between two looks at what is due.
  package var timerMilliseconds: Int64 = 250

  package init() {}

  /// The same under a secret of this service.
  package func keyed(_ key: HashKey) -> TicketServiceConfiguration {
    var out = self
    out.key = key
    return out
  }
}
