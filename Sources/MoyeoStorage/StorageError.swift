/// Why a data directory cannot be opened.
package enum StorageError: Error, Hashable, Sendable {
  /// Another daemon has it open.
  case directoryInUse(path: String, processID: Int32?)
  /// The file is of a later release; nothing was changed.
  case newerVersion(path: String, version: Int, supported: Int)
  /// The file is a database of another program; nothing was changed.
  case foreignFile(path: String)
  /// The file is damaged.
  case damaged(path: String, reason: String)
  /// The file or directory cannot be opened, read or written.
  case cannotOpen(path: String, reason: String)
  /// The record is missing or empty, but `beside` shows that there was one; nothing was changed.
  case recordLost(path: String, beside: String)
  /// The secret of the idempotency keys does not serve the record; nothing was changed.
  case secretUnusable(path: String, problem: String, remedy: String)
}

extension StorageError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .directoryInUse(let path, let processID):
      let owner = processID.map { " (process \($0))" } ?? ""
      return "the data directory \(path) is in use by another moyeod\(owner)"
    case .newerVersion(let path, let version, let supported):
      return "\(path) has schema version \(version), this release reads up to \(supported): "
        + "use the release that wrote it, or a newer one"
    case .foreignFile(let path): return "\(path) is not a database of Moyeo"
    case .damaged(let path, let reason): return "\(path) is damaged: \(reason)"
    case .cannotOpen(let path, let reason): return "\(path) cannot be opened: \(reason)"
    case .recordLost(let path, let beside):
      return "\(path) is missing or empty, but \(beside) shows that there was a record: "
        + "put the file back, or restore a backup into an empty directory. "
        + "To begin anew without the old record, move \(beside) away first"
    case .secretUnusable(let path, let problem, let remedy):
      return "\(path) \(problem): \(remedy)"
    }
  }
}
