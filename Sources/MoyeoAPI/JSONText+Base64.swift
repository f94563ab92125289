import Foundation
import WireFormat

extension JSONText {
  /// Bytes as a quoted base 64 text; Foundation's encoder, which WireFormat stays below.
  static func append(base64 bytes: UnsafeRawBufferPointer, to out: inout [UInt8]) {
    out.append(UInt8(ascii: "\""))
    out.append(contentsOf: Data(bytes).base64EncodedString().utf8)
    out.append(UInt8(ascii: "\""))
  }
}
