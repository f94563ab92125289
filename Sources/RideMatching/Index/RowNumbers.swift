/// The numbers of rows. Those of one slot of departures lie in chunks of their own, as a search looks at few slots:
/// what it reads lies close together.
struct RowNumbers: Sendable {
  /// So many numbers of a chunk, beginning with a multiple.
  static let chunkRows = 128

  private struct Chunk: Sendable {
    var slot: Int64
    var count = 0
  }

  private var chunks: [Chunk] = []
  private var emptyChunks: [Int] = []
  /// By slot: the numbers of its chunks that no row has, of a chunk in which none was yet the least one last.
  private var free: [Int64: [UInt32]] = [:]

  /// All numbers are below.
  var bound: Int { chunks.count * Self.chunkRows }

  /// Takes a number for a row. Of a new chunk they come in ascending order.
  mutating func take(_ slot: Int64) -> UInt32 {
    if free[slot] == nil {
      let chunk = emptyChunks.popLast() ?? chunks.count
      if chunk == chunks.count { chunks.append(Chunk(slot: slot)) }
      chunks[chunk].slot = slot
      let first = UInt32(chunk * Self.chunkRows)
      free[slot] = (first..<first + UInt32(Self.chunkRows)).reversed()
    }
    guard let number = free[slot]?.popLast() else { preconditionFailure("no list is empty") }
    if free[slot]?.isEmpty == true { free[slot] = nil }
    chunks[Int(number) / Self.chunkRows].count += 1
    return number
  }

  /// Gives a number back; a chunk in which none is left is there for any slot.
  mutating func release(_ number: UInt32) {
    let chunk = Int(number) / Self.chunkRows
    let slot = chunks[chunk].slot
    chunks[chunk].count -= 1
    free[slot, default: []].append(number)
    guard chunks[chunk].count == 0 else { return }
    free[slot]?.removeAll { Int($0) / Self.chunkRows == chunk }
    if free[slot]?.isEmpty == true { free[slot] = nil }
    emptyChunks.append(chunk)
  }
}
