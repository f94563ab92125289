import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Files that are in the way and not ours to delete: they get another name.
enum FileAside {
  /// `PATH.aside-1`, or the first number that is free.
  static func freeName(for path: String) -> String {
    var number = 1
    while exists("\(path).aside-\(number)") { number += 1 }
    return "\(path).aside-\(number)"
  }

  /// Renames a database with its log and journal.
  ///
  /// - Parameters:
  ///   - path: The database now; parts that do not exist are passed over.
  ///   - name: The new path; the log's stands beside it, so that SQLite finds both.
  /// - Throws: ``StorageError`` with the part that could not be renamed; those before it were.
  static func moveDatabase(_ path: String, to name: String) throws(StorageError) {
    // The log first: one that stayed behind would be taken for the log of the next file of this
    // name, and damage it.
    for suffix in ["-wal", "-journal", ""] where exists(path + suffix) {
      guard rename(path + suffix, name + suffix) == 0 else {
        throw .cannotOpen(path: path + suffix, reason: String(cString: strerror(errno)))
      }
    }
    // Shared memory is made anew from the log.
    unlink(path + "-shm")
  }

  private static func exists(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }
}
