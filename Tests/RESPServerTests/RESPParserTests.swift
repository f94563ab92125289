import ObjectModel
import Testing

@testable import RESPServer

struct RESPParserTests {
  /// Reads commands from bytes that arrive in pieces; an error ends the list.
  private func read(_ bytes: [UInt8], pieces: [Int], limits: RESPLimits = RESPLimits()) -> [String]
  {
    var parser = RESPParser(limits: limits)
    var unread: [UInt8] = []
    var out: [String] = []
    var rest = bytes[...]
    for piece in pieces + [bytes.count] {
      unread += rest.prefix(piece)
      rest = rest.dropFirst(piece)
      var isWaiting = false
      while !isWaiting {
        let made: Result<RESPParser.Step, RESPProtocolError> = unread.withUnsafeBytes { bytes in
          do throws(RESPProtocolError) { return .success(try parser.next(in: bytes)) } catch {
            return .failure(error)
          }
        }
        switch made {
        case .failure(let error): return out + ["! " + error.message]
        case .success(.nothing(let end)): unread.removeFirst(end)
        case .success(.command(let end)):
          let source = parser.line ?? unread
          out.append(
            parser.ranges.map { String(decoding: source[$0], as: UTF8.self) }
              .joined(separator: "|"))
          unread.removeFirst(end)
        case .success(.incomplete): isWaiting = true
        }
      }
    }
    return out
  }

  private func read(_ text: String, limits: RESPLimits = RESPLimits()) -> [String] {
    read(Array(text.utf8), pieces: [], limits: limits)
  }

  @Test func arraysAndLines() {
    #expect(read("*2\r\n$4\r\nECHO\r\n$3\r\na\r\n\r\n") == ["ECHO|a\r\n"])
    #expect(
      read("PING\r\n  echo   a b\n\r\n*0\r\n*-1\r\nPING\r\n") == ["PING", "echo|a|b", "PING"])
    #expect(read("echo \"a\\x41\\n\\q\" 'it\\'s \\n'\r\n") == ["echo|aA\nq|it's \\n"])
    #expect(read("echo \"\"\r\n") == ["echo|"])
    #expect(read("*2\r\n$0\r\n\r\n$1\r\na\r\n") == ["|a"])
  }

  @Test(arguments: [1, 9, 10, 99, 100, 999, 1000, 9999, 10_000, 99_999, 100_000])
  func headsOfAnyLength(count: Int) {
    let word = String(repeating: "w", count: count)
    #expect(read("*1\r\n$\(count)\r\n\(word)\r\n") == [word])
    let many = (0..<min(count, 65_536)).map { _ in "$1\r\nw\r\n" }
    let list = String(repeating: "|w", count: many.count).dropFirst()
    #expect(read("*\(many.count)\r\n" + many.joined()) == [String(list)])
    // Leading zeros are none of RESP's numbers, whichever way they are read.
    #expect(read("*1\r\n$0\(count)\r\n\(word)\r\n") == ["! invalid bulk length"])
    #expect(read("*1\r\n$\(count)x\r\n\(word)\r\n") == ["! invalid bulk length"])
  }

  @Test func whatIsNoCommand() {
    #expect(read("*x\r\n") == ["! invalid multibulk length"])
    #expect(read("*1\r\n+4\r\n") == ["! expected '$', got '+'"])
    #expect(read("*1\r\n$-1\r\n") == ["! invalid bulk length"])
    #expect(read("*1\r\n$01\r\n") == ["! invalid bulk length"])
    #expect(read("echo \"a\r\n") == ["! unbalanced quotes in request"])
    #expect(read("echo 'a'b\r\n") == ["! unbalanced quotes in request"])
    var small = RESPLimits()
    small.arguments = 2
    small.commandBytes = 100
    #expect(read("*3\r\n", limits: small) == ["! invalid multibulk length"])
    #expect(read("*1\r\n$97\r\n", limits: small) == ["! invalid bulk length"])
    #expect(read("*1\r\n$80\r\n", limits: small) == [])
    let long = String(repeating: "1", count: RESPParser.maximumLine)
    #expect(read(long) == ["! too big inline request"])
    #expect(read("*" + long) == ["! too big mbulk count string"])
    #expect(read("*1\r\n$" + long) == ["! too big bulk count string"])
  }

  @Test(arguments: UInt64(1)...20)
  func piecesMakeNoDifference(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let texts = [
      "*3\r\n$6\r\nGEOPOS\r\n$1\r\nk\r\n$5\r\na\r\nbc\r\n", "PING\r\n", "echo \"a b\" c\n", "\r\n",
      "*1\r\n$4\r\nPING\r\n", "*0\r\n",
    ]
    let bytes = (0..<50).flatMap { _ in Array(texts[Int(random.next() % 6)].utf8) }
    let pieces = (0..<400).map { _ in Int(random.next() % 7) }
    let whole = read(bytes, pieces: [])
    #expect(!whole.isEmpty)
    #expect(read(bytes, pieces: pieces) == whole)
    #expect(read(bytes, pieces: bytes.map { _ in 1 }) == whole)
  }

  @Test(arguments: UInt64(1)...50)
  func anyBytesEnd(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let alphabet = Array("*$0123456789-\r\n\"'\\x aPING".utf8) + [0, 255]
    let bytes = (0..<2000).map { _ in alphabet[Int(random.next() % UInt64(alphabet.count))] }
    // However it ends, it ends the same in one piece and in many.
    #expect(read(bytes, pieces: []) == read(bytes, pieces: bytes.map { _ in 1 }))
  }
}
