/// Bounds of a ``CommitPipeline``.
package struct CommitConfiguration: Hashable, Sendable {
  /// Commands that wait at most; more are refused as overloaded.
  package var queueLimit = 4096
  /// Commands of one commit.
  package var batchLimit = 64
  /// How often a command is decided that meets conflicts.
  package var attempts = 4
  /// How long the reply of a command is remembered.
  package var replyMilliseconds: Int64 = 86_400_000
  /// Replies held in memory, about 250 bytes each; older ones are looked up in the store.
  package var repliesInMemory = 32_768
  /// Between two tries to open a record that refuses writes.
  package var reopenMilliseconds: Int64 = 1000
  /// The same at most, while what is found is damage: each try reads all of the record, and twice as
  /// long is waited after each.
  package var damagedReopenMilliseconds: Int64 = 600_000

  package init() {}
}
