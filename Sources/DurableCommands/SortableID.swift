package import ObjectModel

/// Ids of what the service itself makes: 48 bits of milliseconds, 80 random bits, in Crockford's
/// base 32, so that they sort by time (the ULID layout).
package enum SortableID {
  private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

  package static func make(at now: Instant) -> String {
    var generator = SystemRandomNumberGenerator()
    return make(at: now, using: &generator)
  }

  package static func make(
    at now: Instant, using generator: inout some RandomNumberGenerator
  ) -> String {
    let time = UInt64(clamping: now.milliseconds) & (1 << 48 - 1)
    let high = generator.next() & (1 << 40 - 1)
    let low = generator.next() & (1 << 40 - 1)
    var out: [UInt8] = []
    out.reserveCapacity(26)
    func append(_ value: UInt64, characters: Int) {
      for shift in stride(from: 5 * (characters - 1), through: 0, by: -5) {
        out.append(alphabet[Int(value >> UInt64(shift) & 31)])
      }
    }
    append(time, characters: 10)
    append(high, characters: 8)
    append(low, characters: 8)
    return String(decoding: out, as: UTF8.self)
  }
}
