/// Bounds of a ``CommitPipeline``.
public struct CommitConfiguration: Hashable, Sendable {
  /// Commands that wait at most; more are refused as overloaded.
  public var queueLimit = 4096
  /// Commands of one commit.
  public var batchLimit = 64
  /// How often a command is decided that meets conflicts.
  public var attempts = 4
  /// How long the reply of a command is remembered.
  public var replyMilliseconds: Int64 = 86_400_000
  /// Replies held in memory; older ones are looked up in the store.
  public var repliesInMemory = 262_144
  /// Between two tries to open a record that refuses writes.
  public var reopenMilliseconds: Int64 = 1000

  public init() {}
}
