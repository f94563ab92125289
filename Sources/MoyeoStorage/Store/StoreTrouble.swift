/// What may fail in a store while it goes on.
package enum StoreTrouble: String, Hashable, Sendable, CaseIterable {
  /// Commands are refused until the file could be opened anew.
  case readOnly = "record"
  /// The log grows: it cannot be copied into the file.
  case checkpoint
  /// No room is kept for a checkpoint.
  case reserve
}
