import Foundation

/// What `print` left in the buffer must have gone out before a command says that it is done.
enum StandardOutput {
  /// Prints a line that is written at once: standard output may be a pipe, and who prints for hours
  /// should hear of a full disk while it fills.
  ///
  /// - Parameter line: Without its end.
  /// - Throws: ``CommandFailure`` when it could not be written.
  static func printAtOnce(_ line: String) throws {
    print(line)
    try finish()
  }

  /// - Throws: ``CommandFailure`` when something could not be written, such as to a full disk.
  static func finish() throws {
    errno = 0
    let hasFlushed = fflush(nil) == 0
    let code = errno
    guard !hasFlushed || hasFailedBefore else { return }
    // Whoever reads no further has what they wanted (`moyeo … | head -1`).
    if code == EPIPE { throw CommandFailure(message: "") }
    let text = code == 0 ? "" : ": " + String(cString: strerror(code))
    throw CommandFailure(message: "standard output cannot be written" + text)
  }

  /// Whether some of it was lost when the buffer was full. The stream is looked up by name: as a
  /// variable of C that anybody may change, Swift does not let it be named.
  private static var hasFailedBefore: Bool {
    #if canImport(Darwin)
      let name = "__stdoutp"
    #else
      let name = "stdout"
    #endif
    guard let symbol = dlsym(nil, name) else { return false }
    let stream = symbol.assumingMemoryBound(to: UnsafeMutablePointer<FILE>?.self).pointee
    return stream.map { ferror($0) != 0 } ?? false
  }

  /// The system's words for an error of Foundation's, without its domain and user info.
  static func reason(_ error: any Error) -> String {
    let outer = error as NSError
    let inner = outer.userInfo[NSUnderlyingErrorKey] as? NSError
    for one in [inner, outer].compactMap({ $0 }) where one.domain == NSPOSIXErrorDomain {
      return String(cString: strerror(Int32(one.code)))
    }
    return outer.localizedDescription
  }
}
