import ObjectModel
import SwiftProtobuf
import Testing

@testable import MoyeoAPI
import WireFormat

/// Bytes from anywhere: an answer or an error, never a trap.
@Suite struct WireReaderFuzzTests {
  @Test(arguments: [UInt64(11), 12, 13])
  func randomBytesNeverTrap(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    var refused = 0
    for round in 0..<3000 {
      let count = Int.random(in: 0..<80, using: &generator)
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
      let type = JSONTranscoderTests.types[round % JSONTranscoderTests.types.count]
      if (try? JSONTranscoder(type).json(bytes)) == nil { refused += 1 }
    }
    // Most random bytes are no message.
    #expect(refused > 1000)
  }

  /// Valid messages with bytes flipped, cut and doubled: deeper into the code than noise gets.
  @Test(arguments: [UInt64(21), 22, 23])
  func damagedMessagesNeverTrap(seed: UInt64) {
    var random = RandomWireMessage(seed: seed)
    var generator = SplitMix64(seed: seed &+ 1000)
    var refused = 0
    for round in 0..<2000 {
      let type = JSONTranscoderTests.types[round % JSONTranscoderTests.types.count]
      var bytes = random.message(MessageSchema.of(type))
      guard !bytes.isEmpty else { continue }
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let at = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: bytes[at] = UInt8.random(in: 0...255, using: &generator)
        case 1: bytes.removeSubrange(at...)
        default: bytes.insert(contentsOf: bytes[at...].prefix(9), at: at)
        }
        if bytes.isEmpty { break }
      }
      if (try? JSONTranscoder(type).json(bytes)) == nil { refused += 1 }
    }
    #expect(refused > 100)
  }

  @Test func lengthsBeyondTheEndAndLongVarintsAreRefused() {
    let transcoder = JSONTranscoder(Moyeo_V1_Hit.self)
    let cases: [([UInt8], offset: Int)] = [
      ([0x0A, 0x05, 0x61], 2),
      ([0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01], 11),
      ([0x0A], 1),
      ([0x11, 0, 0], 1),
      ([0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01], 10),
      ([0x00], 0),
      // A group, which proto3 does not have.
      ([0x7B], 1),
    ]
    for (bytes, offset) in cases {
      #expect(throws: WireFormatError.damaged(offset: offset), "\(bytes)") {
        try transcoder.json(bytes)
      }
    }
  }
}
