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
  var lines: [String] {
    let all = [headings] + rows
    let used = headings.indices.filter { column in all.contains { !$0[column].isEmpty } }
    let hasHeadings = headings.contains { !$0.isEmpty }
    let widths = headings.indices.map { column in
      all.map { DisplayWidth.of($0[column]) }.max() ?? 0
    }
    return (hasHeadings ? all : rows).map { row in
      var line = ""
      for column in used {
        if column != used.first { line += "  " }
        let gap = String(repeating: " ", count: widths[column] - DisplayWidth.of(row[column]))
        line += alignments[column] == .right ? gap + row[column] : row[column] + gap
      }
      while line.last == " " { line.removeLast() }
      return line
    }
  }

  func print() {
    for line in lines { Swift.print(line) }
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
