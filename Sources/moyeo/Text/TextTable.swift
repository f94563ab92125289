/// Rows under headings, aligned by the columns they take in a terminal.
struct TextTable {
  enum Alignment { case left, right }

  private let headings: [String]
  private let alignments: [Alignment]
  private var rows: [[String]] = []

  init(_ columns: [(heading: String, alignment: Alignment)]) {
    headings = columns.map(\.heading)
    alignments = columns.map(\.alignment)
  }

  /// Missing cells are empty, further ones are dropped.
  mutating func append(_ cells: [String]) {
    let padded = cells + Array(repeating: "", count: max(0, headings.count - cells.count))
    rows.append(padded.prefix(headings.count).map(Self.printable))
  }

  var isEmpty: Bool { rows.isEmpty }

  /// Lines without spaces at their ends. Columns without a heading and without text are left out.
  var lines: [String] { lines(fitting: nil) }

  /// The same in so many columns of a terminal, where that can be: the widest texts are cut short.
  func lines(fitting columns: Int?) -> [String] {
    var widths: [Int] = []
    return lines(hasHeadings: true, widths: &widths, fitting: columns)
  }

  /// The same for a part of a longer table.
  ///
  /// - Parameters:
  ///   - hasHeadings: Whether the headings come first.
  ///   - widths: Of the columns in the parts before, then in this one as well.
  ///   - columns: Of the terminal; nil: nothing is cut.
  /// - Returns: Lines without spaces at their ends.
  func lines(
    hasHeadings: Bool, widths: inout [Int], fitting columns: Int? = Terminal.outputColumns
  ) -> [String] {
    let all = [headings] + rows
    let before = widths.isEmpty ? Array(repeating: 0, count: headings.count) : widths
    widths = headings.indices.map { column in
      max(before[column], all.map { DisplayWidth.of($0[column]) }.max() ?? 0)
    }
    let used = headings.indices.filter { widths[$0] > 0 }
    if let columns { shrink(&widths, used, to: columns) }
    let isHeaded = hasHeadings && headings.contains { !$0.isEmpty }
    return (isHeaded ? all : rows).map { line($0, used, widths) }
  }

  private func line(_ row: [String], _ used: [Int], _ widths: [Int]) -> String {
    var line = ""
    for column in used {
      if column != used.first { line += "  " }
      let cell = Self.cut(row[column], to: widths[column])
      let gap = String(repeating: " ", count: widths[column] - DisplayWidth.of(cell))
      line += alignments[column] == .right ? gap + cell : cell + gap
    }
    while line.last == " " { line.removeLast() }
    return line
  }

  /// A text is never cut below this, so that it can still be told from others.
  private static let leastWidth = 8

  /// Takes from the widest column of text, again and again; numbers are never cut.
  private func shrink(_ widths: inout [Int], _ used: [Int], to columns: Int) {
    var surplus = used.map { widths[$0] }.reduce(0, +) + 2 * max(0, used.count - 1) - columns
    while surplus > 0 {
      let texts = used.filter { alignments[$0] == .left && widths[$0] > Self.leastWidth }
      guard let widest = texts.max(by: { widths[$0] < widths[$1] }) else { return }
      widths[widest] -= 1
      surplus -= 1
    }
  }

  private static func cut(_ text: String, to width: Int) -> String {
    guard DisplayWidth.of(text) > width else { return text }
    var taken = 1
    let start = text.prefix { character in
      taken += DisplayWidth.of(character)
      return taken <= width
    }
    return start + "…"
  }

  func print() {
    for line in lines(fitting: Terminal.outputColumns) { Swift.print(line) }
  }

  /// Text that came from elsewhere must not move the cursor or end the line.
  static func printable(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
      return text
    }
    var out = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      out.append(scalar.properties.generalCategory == .control ? "\u{FFFD}" : scalar)
    }
    return String(out)
  }
}
