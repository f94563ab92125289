import ArgumentParser
import Foundation
import MoyeoClient
import MoyeoStorage

/// A failure with its exit code and what to print.
struct CommandFailure: Error, Hashable {
  var message: String
  var code: Int32 = CommandExit.failed

  static func usage(_ message: String) -> CommandFailure {
    CommandFailure(message: message, code: CommandExit.usage)
  }
}

/// The exit codes of the command line, and what is said with them.
enum CommandExit {
  static let failed: Int32 = 1
  static let usage: Int32 = 2
  static let unreachable: Int32 = 3
  /// After Ctrl-C, as shells have it.
  static let interrupted: Int32 = 130

  /// What a command throws once it has swept up after Ctrl-C.
  static let interruption = CommandFailure(message: "interrupted", code: interrupted)

  static func end(with error: any Error) -> Never {
    let (code, message) = outcome(of: error)
    if !message.isEmpty {
      if code == 0 { printLast(message) } else { Terminal.writeError(message + "\n") }
    }
    exit(code)
  }

  /// Prints help, a version, a script of completions; a full disk is a failure here, too.
  private static func printLast(_ message: String) {
    do {
      try StandardOutput.printAtOnce(message)
    } catch {
      end(with: error)
    }
  }

  static func outcome(of error: any Error) -> (code: Int32, message: String) {
    switch error {
    case let failure as CommandFailure:
      return (failure.code, failure.message.isEmpty ? "" : "moyeo: " + failure.message)
    case let error as MoyeoError: return (code(of: error), "moyeo: " + message(of: error))
    case let error as ByteSourceError: return (failed, "moyeo: \(error)")
    case let error as StorageError: return (failed, "moyeo: \(error)")
    case let error as RoadNetworkError: return (failed, "moyeo: \(error)")
    default: break
    }
    let code = MoyeoCommand.exitCode(for: error)
    let message = MoyeoCommand.fullMessage(for: error)
    if code == .validationFailure { return (usage, message) }
    return (code.rawValue, message)
  }

  static func code(of error: MoyeoError) -> Int32 {
    switch error {
    case .unreachable, .timedOut: unreachable
    case .badEndpoint: usage
    case .refused, .unexpectedAnswer, .noToken, .cancelled: failed
    }
  }

  static func message(of error: MoyeoError) -> String {
    switch error {
    case .unreachable:
      """
      \(error)
        Is the daemon running? Start it with `moyeod` (or `make run`), or say where it is with
        --url http://HOST:PORT or --grpc HOST:PORT.
      """
    default: error.description
    }
  }
}
