/// What became of a file's rows.
struct ImportSummary: Sendable {
  private(set) var accepted = 0
  private(set) var refused = 0
  /// The first refusals, in the order in which they became known.
  private(set) var refusals: [RefusedRow] = []
  private(set) var countsByReason: [String: Int] = [:]
  /// Refusals kept for the listing; the rest is only counted.
  let kept: Int
  var batches = 0
  var retries = 0

  init(kept: Int) { self.kept = kept }

  var rows: Int { accepted + refused }

  mutating func accept(_ count: Int) { accepted += count }

  mutating func refuse(_ row: RefusedRow) {
    refused += 1
    countsByReason[row.reason, default: 0] += 1
    if refusals.count < kept { refusals.append(row) }
  }

  /// What is probably wrong with the whole file.
  var hint: String? {
    let beyond = countsByReason["latitude_out_of_range", default: 0]
    if beyond > 0, beyond * 2 > rows {
      return "most latitudes are beyond 90 degrees: are latitude and longitude swapped? "
        + "--latitude-column and --longitude-column say which column is which"
    }
    if countsByReason["not_utf8", default: 0] > 0 {
      return "some text is not UTF-8: convert the file first, e.g. iconv -f CP949 -t UTF-8"
    }
    return nil
  }

  /// The listing and the totals, for people.
  func lines(seconds: Double) -> [String] {
    var lines: [String] = []
    if !refusals.isEmpty {
      lines.append("refused rows:")
      var table = TextTable([
        ("line", .right), ("id", .left), ("field", .left), ("reason", .left), ("", .left),
      ])
      for row in refusals.sorted(by: { $0.line < $1.line }) {
        table.append(["\(row.line)", row.id, row.field, row.reason, row.message])
      }
      lines += table.lines.map { "  " + $0 }
      if refused > refusals.count {
        lines.append("  and \(NumberText.grouped(refused - refusals.count)) more")
      }
      let counts = countsByReason.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      lines.append(
        "reasons: "
          + counts.map { "\($0.key) \(NumberText.grouped($0.value))" }.joined(separator: ", "))
    }
    var total =
      "\(NumberText.grouped(accepted)) of \(NumberText.grouped(rows)) rows accepted, "
      + "\(NumberText.grouped(refused)) refused, in \(NumberText.duration(seconds))"
    if seconds > 0, rows > 0 {
      total += " (\(NumberText.grouped(Int(Double(rows) / seconds))) rows/s)"
    }
    lines.append(total)
    return lines
  }

  /// `{"accepted", "refused", "rejections": [{line, id, field, reason, message}], ...}`.
  func json(file: String, layer: String, seconds: Double) -> String {
    func quoted(_ text: String) -> String { JSONPieces.string(text) }
    let rows = refusals.sorted { $0.line < $1.line }.map { row in
      "{\"line\":\(row.line),\"id\":\(quoted(row.id)),\"field\":\(quoted(row.field)),"
        + "\"reason\":\(quoted(row.reason)),\"message\":\(quoted(row.message))}"
    }
    let counts = countsByReason.sorted { $0.key < $1.key }
      .map { "\(quoted($0.key)):\($0.value)" }
    return "{\"file\":\(quoted(file)),\"layer\":\(quoted(layer)),\"rows\":\(self.rows),"
      + "\"accepted\":\(accepted),\"refused\":\(refused),"
      + "\"rejections\":[\(rows.joined(separator: ","))],"
      + "\"reasons\":{\(counts.joined(separator: ","))},"
      + "\"seconds\":\(NumberText.fixed(seconds, 3))}"
  }
}
