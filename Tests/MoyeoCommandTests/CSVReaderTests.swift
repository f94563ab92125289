import ObjectModel
import Testing

@testable import moyeo

@Suite("CSV reader")
struct CSVReaderTests {
  struct Row: Equatable {
    var line: Int
    var fields: [String]
    var problem: CSVRecord.Problem?
  }

  static func rows(_ text: String, chunkBytes: Int = 3, delimiter: UInt8? = nil) throws -> [Row] {
    let source = ByteSource(name: "t.csv", bytes: Array(text.utf8), chunkBytes: chunkBytes)
    var reader =
      if let delimiter { CSVReader(source, delimiter: delimiter) } else {
        try CSVReader(detectingDelimiterOf: source)
      }
    var rows: [Row] = []
    while let record = try reader.next() {
      rows.append(Row(line: record.line, fields: record.texts, problem: record.problem))
    }
    return rows
  }

  @Test("quotes, doubled quotes and line ends in quotes", arguments: [1, 2, 5, 1000])
  func quotes(chunkBytes: Int) throws {
    let text = "\u{FEFF}a,b\r\n\"x,\"\"y\"\"\",2\r\n\r\n\"two\r\nlines\",\"\" \nlast,"
    #expect(
      try Self.rows(text, chunkBytes: chunkBytes, delimiter: UInt8(ascii: ",")) == [
        Row(line: 1, fields: ["a", "b"]), Row(line: 2, fields: ["x,\"y\"", "2"]),
        Row(line: 4, fields: ["two\r\nlines", ""]), Row(line: 6, fields: ["last", ""]),
      ])
  }

  @Test("lone carriage returns end lines")
  func oldMac() throws {
    #expect(
      try Self.rows("a,b\r1,2\r\r3,4").map(\.line) == [1, 2, 4])
  }

  @Test("a stray quote costs its own line only")
  func strayQuotes() throws {
    let rows = try Self.rows("h,i\n\"open,1\nfine,2\n\"bad\"text,3\nalso fine,4\n")
    #expect(
      rows == [
        // "open,1\nfine,2\n" closes before bad, which text follows.
        Row(line: 1, fields: ["h", "i"]), Row(line: 2, fields: [], problem: .textAfterQuote),
        Row(line: 3, fields: ["fine", "2"]), Row(line: 4, fields: [], problem: .textAfterQuote),
        Row(line: 5, fields: ["also fine", "4"]),
      ])
    let unclosed = try Self.rows("h,i\n\"open,1\nfine,2\nalso \"fine\",4")
    #expect(unclosed.map(\.problem) == [nil, .textAfterQuote, nil, nil])
    #expect(try Self.rows("h,i\n1,\"open\n2,3").map(\.problem) == [nil, .unterminatedQuote, nil])
  }

  @Test(
    "the delimiter is found in the first line",
    arguments: [
      ("a;b;c,d\n1;2;3", UInt8(ascii: ";")), ("a\tb\n", UInt8(ascii: "\t")),
      ("\"a;b;c\",d\n", UInt8(ascii: ",")), ("single\n1", UInt8(ascii: ",")),
    ])
  func detection(text: String, delimiter: UInt8) throws {
    // A pipe may hand out a byte at a time.
    for chunkBytes in [1, 4, 1000] {
      let source = ByteSource(name: "t", bytes: Array(text.utf8), chunkBytes: chunkBytes)
      #expect(try CSVReader(detectingDelimiterOf: source).delimiter == delimiter)
    }
  }

  @Test("what is written by the rules is read back, whatever the pieces", arguments: 1...40)
  func roundTrip(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let alphabet = ["a", "\"", ",", "\n", "\r\n", "\r", " ", "한", "é", ""]
    let columns = Int.random(in: 2...4, using: &random)
    let rows = (0..<20).map { _ in
      (0..<columns).map { _ in
        (0..<Int.random(in: 0...5, using: &random))
          .map { _ in alphabet.randomElement(using: &random) ?? "" }.joined()
      }
    }
    let end = ["\n", "\r\n", "\r"].randomElement(using: &random) ?? "\n"
    let text = rows.map { row in
      row.map { "\"" + $0.replacing("\"", with: "\"\"") + "\"" }.joined(separator: ",")
    }.joined(separator: end)
    let read = try Self.rows(
      text, chunkBytes: Int.random(in: 1...64, using: &random), delimiter: UInt8(ascii: ","))
    #expect(read.map(\.fields) == rows)
    #expect(read.allSatisfy { $0.problem == nil })
  }

  @Test("a record beyond the bound is refused and the next line read")
  func tooLong() throws {
    let long = String(repeating: "x", count: CSVReader.maximumRecordBytes + 10)
    let rows = try Self.rows("a,b\n\(long),1\nc,d\n", chunkBytes: 1 << 16)
    #expect(rows.map(\.problem) == [nil, .tooLong, nil])
    #expect(rows.map(\.line) == [1, 2, 3])
  }
}
