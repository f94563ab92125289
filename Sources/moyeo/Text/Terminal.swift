import Foundation

/// Standard error: progress and messages, never results.
enum Terminal {
  static let errorIsTerminal = isatty(STDERR_FILENO) == 1

  static func writeError(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }

  /// Lines of a message, after whatever progress stands in the current line.
  static func note(_ text: String) {
    writeError((errorIsTerminal ? "\r\u{1B}[K" : "") + text + "\n")
  }

  /// Columns of the terminal that results go to; `nil` for files and pipes, which take all.
  static var outputColumns: Int? {
    var size = winsize()
    guard isatty(STDOUT_FILENO) == 1,
      ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0
    else { return nil }
    return Int(size.ws_col)
  }

  /// Columns of the terminal, 80 where it does not say.
  static var columns: Int {
    var size = winsize()
    guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }
}

/// A line of progress that overwrites itself, on a terminal only, ten times a second at most.
struct ProgressLine {
  private let isShown: Bool
  private let clock = ContinuousClock()
  private let started: ContinuousClock.Instant
  private var lastDrawn: ContinuousClock.Instant?

  init(isShown: Bool = Terminal.errorIsTerminal) {
    self.isShown = isShown
    started = clock.now
  }

  var elapsedSeconds: Double { (clock.now - started) / .seconds(1) }

  /// Draws what `text` says when it is time to.
  mutating func update(_ text: () -> String) {
    guard isShown else { return }
    let now = clock.now
    if let lastDrawn, now - lastDrawn < .milliseconds(100) { return }
    lastDrawn = now
    Terminal.writeError("\r" + Self.cut(text(), to: Terminal.columns - 1) + "\u{1B}[K")
  }

  mutating func clear() {
    if isShown, lastDrawn != nil { Terminal.writeError("\r\u{1B}[K") }
    lastDrawn = nil
  }

  /// `[#####.....]`.
  static func bar(_ share: Double, width: Int = 24) -> String {
    let full = Int((max(0, min(1, share)) * Double(width)).rounded(.down))
    return "[" + String(repeating: "#", count: full)
      + String(repeating: ".", count: width - full) + "]"
  }

  private static func cut(_ text: String, to columns: Int) -> String {
    var width = 0
    return String(
      text.prefix { character in
        width += DisplayWidth.of(character)
        return width <= columns
      })
  }
}
