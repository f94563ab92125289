import MoyeoAPI
import WireFormat

/// JSON that is not a message.
enum JSONPieces {
  static func string(_ text: String) -> String {
    var bytes: [UInt8] = []
    JSONText.append(string: text, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}
