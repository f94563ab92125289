import MoyeoAPI
import WireFormat

/// JSON that is not a message.
enum JSONPieces {
  /// An object on one line.
  static func object(_ write: (inout JSONWriter) -> Void) -> String {
    String(decoding: JSONWriter.object(write), as: UTF8.self)
  }

  static func string(_ text: String) -> String {
    var bytes: [UInt8] = []
    JSONText.append(string: text, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}
