/// What a tenant allows and forbids; operators may change it. All times in milliseconds.
public struct TicketPolicy: Hashable, Sendable {
  /// How long a person waits who says nothing else.
  public var openMilliseconds: Int64 = 3_600_000
  /// How long a person may ask to wait.
  public var openRange: ClosedRange<Int64> = 60_000...86_400_000
  /// How long a proposal stands; nil: as long as the one who made it waits.
  public var proposalMilliseconds: Int64?
  /// How long somebody may not wait after calling a match off: the first time, the second, and so
  /// on; the last one holds for all others. The contract of the study queue: 1, 2 and 3 minutes.
  public var dodgePenalties: [Int64] = [60_000, 120_000, 180_000]
  /// How long a dodge counts.
  public var dodgeMemory: Int64 = 86_400_000
  /// So many people must report somebody for a ban.
  public var reportsForBan = 3
  /// How long a report counts.
  public var reportMemory: Int64 = 30 * 86_400_000
  /// How long a ban lasts.
  public var banMilliseconds: Int64 = 7 * 86_400_000
  /// Attributes without which nobody may wait.
  public var requiredAttributes: [String] = []
  /// People that one person may have asked at a time, and who may have asked one person.
  public var proposals = 100
  /// People that one person may block.
  public var blocks = 1000
  /// Comments kept of a person.
  public var comments = 20
  /// Interests of a person.
  public var tags = 32

  /// Makes the standard policy.
  public init() {}
}
