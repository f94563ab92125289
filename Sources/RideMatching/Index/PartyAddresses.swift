import CMemoryHints

/// Where in memory lies what an attempt to put a rider aboard a party reads: its objects and their lists, each with
/// its number of cache lines. For hints alone (Decisions/0008): nothing is read through them, so that they may
/// outlive the party.
struct PartyAddresses: Sendable {
  private static let lineBytes: UInt = 64
  /// The lines of an object before its lists, about: they hint.
  private static let lines: (party: UInt, ride: UInt, prepared: UInt) = (2, 8, 10)

  /// Each the address of a line and, in the bits that this leaves, how many lines.
  private var pieces = InlineArray<8, UInt>(repeating: 0)

  init(_ entry: IndexedParty) {
    let ride = entry.boarding
    pieces[0] = Self.piece(entry, lines: Self.lines.party)
    pieces[1] = Self.piece(ride, lines: Self.lines.ride)
    pieces[2] = Self.piece(entry.ride, lines: Self.lines.prepared)
    pieces[3] = Self.piece(ride.halts)
    pieces[4] = Self.piece(ride.riders)
    pieces[5] = Self.piece(ride.path)
    pieces[6] = Self.piece(ride.legs)
    pieces[7] = Self.piece(ride.seatsAboard)
  }

  private static func piece(_ object: AnyObject, lines: UInt) -> UInt {
    UInt(bitPattern: ObjectIdentifier(object)) & ~(lineBytes - 1) | lines
  }

  private static func piece<Element>(_ list: [Element]) -> UInt {
    list.withUnsafeBytes { bytes in
      let start = UInt(bitPattern: bytes.baseAddress)
      // A list is counted just before its first element.
      let first = (start - min(start, 32)) / lineBytes
      let last = (start + UInt(bytes.count)) / lineBytes
      return first * lineBytes | min(last - first + 1, lineBytes - 1)
    }
  }

  /// Starts to bring all of it close.
  @inline(__always)
  func prefetch() {
    for i in pieces.indices {
      let first = pieces[i] & ~(Self.lineBytes - 1)
      for line in 0..<pieces[i] & (Self.lineBytes - 1) {
        guard let address = UnsafeRawPointer(bitPattern: first + line * Self.lineBytes) else {
          break
        }
        memory_hint_read(address)
      }
    }
  }
}
