import Foundation

/// Standard error: progress and messages, never results.
enum Terminal {
  static let errorIsTerminal = isatty(STDERR_FILENO) == 1

  /// Whether somebody looks on: who asks for `--json` reads what comes out, not what goes on.
  static let showsProgress = errorIsTerminal && !CommandLine.arguments.contains("--json")

  static func writeError(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }

  /// Lines of a message, after whatever progress stands in the current line.
  static func note(_ text: String) {
    writeError((errorIsTerminal ? "\r\u{1B}[K" : "") + text + "\n")
  }

  /// Columns of the terminal that results go to; `nil` for files and pipes, which take all.
  static var outputColumns: Int? { outputSize?.columns }

  /// The same with its rows.
  static var outputSize: (rows: Int, columns: Int)? {
    var size = winsize()
    guard isatty(STDOUT_FILENO) == 1,
      ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0
    else { return nil }
    return (max(1, Int(size.ws_row)), Int(size.ws_col))
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
  /// Nothing is drawn before: what is over at once needs no bar.
  private let delay: Duration
  private var lastDrawn: ContinuousClock.Instant?

  init(after delay: Duration = .zero, isShown: Bool = Terminal.showsProgress) {
    self.delay = delay
    self.isShown = isShown
    started = clock.now
  }

  var elapsedSeconds: Double { (clock.now - started) / .seconds(1) }

  /// Draws what `text` says when it is time to.
  mutating func update(_ text: () -> String) {
    guard isShown else { return }
    let now = clock.now
    guard now - started >= delay else { return }
    if let lastDrawn, now - lastDrawn < .milliseconds(100) { return }
    lastDrawn = now
    Terminal.writeError("\r" + Self.cut(text(), to: Terminal.columns - 1) + "\u{1B}[K")
  }

  mutating func clear() {
    if isShown, lastDrawn != nil { Terminal.writeError("\r\u{1B}[K") }
    lastDrawn = nil
  }

  /// Draws a bar of what is done, with a word in front.
  mutating func update(_ word: String, _ done: Int, of all: Int) {
    update {
      let share = all > 0 ? Double(done) / Double(all) : 1
      return "\(word) \(Self.bar(share)) \(NumberText.grouped(done)) of \(NumberText.grouped(all))"
    }
  }

  /// `[#####.....]`.
  static func bar(_ share: Double, width: Int = 24) -> String {
    let full = Int((max(0, min(1, share)) * Double(width)).rounded(.down))
    return "[" + String(repeating: "#", count: full)
      + String(repeating: ".", count: width - full) + "]"
  }

  static func cut(_ text: String, to columns: Int) -> String {
    var width = 0
    return String(
      text.prefix { character in
        width += DisplayWidth.of(character)
        return width <= columns
      })
  }
}
