import Foundation
import ObjectModel
import Testing
import WireFormat

@Suite struct TextTests {
  @Test(arguments: [1, 2] as [UInt64])
  func stringsAreReadBackByFoundation(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<500 {
      let text = String(
        String.UnicodeScalarView(
          (0..<random.below(30)).compactMap { _ in
            Unicode.Scalar(UInt32(random.below([0x80, 0x3000, 0x11_0000][random.below(3)])))
          }))
      let bytes = JSONWriter.object { $0.string("text", text) }
      let read = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: String]
      #expect(read?["text"] == text)
    }
  }

  @Test(arguments: [5, 6] as [UInt64])
  func base64IsFoundationsInOtherLetters(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for count in 0..<200 {
      let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      let text = bytes.withUnsafeBufferPointer { Base64URL.text(of: $0) }
      let letters = Data(bytes).base64EncodedString()
        .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
      #expect(text == letters)
      #expect(Base64URL.decode(text) == bytes)
    }
  }

  @Test(arguments: [3, 4] as [UInt64])
  func numbersAreReadBackExactly(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<3000 {
      let value: Double
      switch random.below(3) {
      case 0: value = Double(bitPattern: random.next())
      case 1: value = Double(random.below(2_000_000_000) - 1_000_000_000) / 1e7
      default: value = Double(random.below(1000)) / 1000
      }
      guard value.isFinite else { continue }
      var out: [UInt8] = []
      JSONText.append(value, to: &out)
      #expect(Double(String(decoding: out, as: UTF8.self)) == value)
    }
  }

  /// Of all texts that read back as a number, the one with the fewest digits, and of those the nearest.
  @Test(arguments: [7, 8] as [UInt64])
  func numbersHaveTheirShortestText(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for round in 0..<60_000 {
      let unit = Double(random.next() >> 11) * 0x1p-53
      let value: Double
      switch round % 4 {
      case 0: value = unit * 360
      case 1: value = (unit - 0.5) * 2_200_000
      case 2: value = (unit * 3.6e11).rounded() / 1e9
      default:
        // Around powers of two, whose neighbours are not equally far.
        let power = Double(1 << random.below(21))
        value = (0..<random.below(40)).reduce(power) { near, _ in
          unit < 0.5 ? near.nextUp : near.nextDown
        }
      }
      guard value != value.rounded() else { continue }
      var out: [UInt8] = []
      JSONText.append(value, to: &out)
      let text = String(decoding: out, as: UTF8.self)
      if text != value.description { #expect(text == value.description) }
    }
  }

  @Test(arguments: [5, 6] as [UInt64])
  func momentsAreReadBack(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let span = RFC3339.seconds.upperBound - RFC3339.seconds.lowerBound
    for _ in 0..<2000 {
      let milliseconds =
        (RFC3339.seconds.lowerBound + Int64(random.below(Int(span)))) * 1000
        + Int64(random.below(2) * random.below(1000))
      let instant = Instant(milliseconds: milliseconds)
      let text = RFC3339.utc(instant)
      #expect(RFC3339.parse(text) == instant, "\(text)")
      let offsets = UTCOffsets(initialSeconds: (random.below(27) - 12) * 1800, transitions: [])
      let local = RFC3339.local(instant, offsets)
      #expect(RFC3339.parse(local) == instant, "\(local)")
    }
  }

  @Test(arguments: [
    "", "2026", "2026-02-30T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z",
    "2026-01-01T00:00:61Z", "2026-01-01T00:00:00", "2026-01-01T00:00:00.Z",
    "2026-01-01T00:00:00+9:00", "2026-01-01T00:00:00Zz", "2026-1-01T00:00:00Z",
  ])
  func whatIsNoMomentIsRefused(text: String) {
    #expect(RFC3339.parse(text) == nil)
  }
}
