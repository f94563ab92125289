/// The header `traceparent` (W3C Trace Context, level 1): which trace a call belongs to, which span
/// caused it, and whether that one is recorded.
///
/// ```
/// 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
/// version  trace                      span             flags
/// ```
package struct TraceParent: Hashable, Sendable {
  /// The first and the last 64 bits of the trace's identifier; not both are 0.
  package let trace: (high: UInt64, low: UInt64)
  /// Not 0.
  package let span: UInt64
  package let isSampled: Bool

  package init(trace: (high: UInt64, low: UInt64), span: UInt64, isSampled: Bool) {
    self.trace = trace
    self.span = span
    self.isSampled = isSampled
  }

  package static func == (one: TraceParent, other: TraceParent) -> Bool {
    one.trace == other.trace && one.span == other.span && one.isSampled == other.isSampled
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(trace.high)
    hasher.combine(trace.low)
    hasher.combine(span)
    hasher.combine(isSampled)
  }

  /// Reads a header; `nil` for one that is not valid, which is then as if it had not been sent.
  ///
  /// A version above 00 is read as 00, and what it adds behind a hyphen is left alone; version ff is
  /// none.
  package init?(_ text: String) {
    let bytes = text.utf8
    guard bytes.count >= 55 else { return nil }
    var text = text
    let parsed: TraceParent? = text.withUTF8 { bytes in
      guard let version = Self.number(bytes[0..<2]), version != 0xFF,
        bytes.count == 55 || (version > 0 && bytes[55] == Self.hyphen),
        bytes[2] == Self.hyphen, bytes[35] == Self.hyphen, bytes[52] == Self.hyphen,
        let high = Self.number(bytes[3..<19]), let low = Self.number(bytes[19..<35]),
        let span = Self.number(bytes[36..<52]), let flags = Self.number(bytes[53..<55]),
        high | low != 0, span != 0
      else { return nil }
      return TraceParent(trace: (high, low), span: span, isSampled: flags & 1 == 1)
    }
    guard let parsed else { return nil }
    self = parsed
  }

  /// The header, as version 00.
  package var text: String { "00-\(traceText)-\(spanText)-\(isSampled ? "01" : "00")" }

  /// 32 hexadecimal digits.
  package var traceText: String { Self.hexadecimal(trace.high) + Self.hexadecimal(trace.low) }
  /// 16 hexadecimal digits.
  package var spanText: String { Self.hexadecimal(span) }

  private static let hyphen = UInt8(ascii: "-")

  /// At most 16 hexadecimal digits; capital ones are not valid here.
  private static func number(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> UInt64? {
    var out: UInt64 = 0
    for byte in digits {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): out = out << 4 | UInt64(byte - UInt8(ascii: "0"))
      case UInt8(ascii: "a")...UInt8(ascii: "f"):
        out = out << 4 | UInt64(byte - UInt8(ascii: "a") + 10)
      default: return nil
      }
    }
    return out
  }

  static func hexadecimal(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}
