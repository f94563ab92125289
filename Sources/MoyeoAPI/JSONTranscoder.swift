package import SwiftProtobuf
package import WireFormat

/// Writes the JSON form of an encoded moyeo.v1 message, straight from its bytes.
///
/// The mapping is protobuf's with these differences: repeated fields are always printed (`[]` when
/// empty), 64-bit integers print as numbers, and numbers without a fraction print without one.
/// Fields print in the order in which they are encoded.
package struct JSONTranscoder: Sendable {
  private let root: Int
  private let plan = JSONPlan.shared

  package init(_ type: any Message.Type) { root = JSONPlan.index(of: MessageSchema.of(type).name) }

  /// Appends the JSON text of `bytes`.
  /// - Throws: ``WireFormatError`` when the bytes are not a message of the type.
  package func write(_ bytes: UnsafeRawBufferPointer, to out: inout [UInt8])
    throws(WireFormatError)
  {
    var reader = ProtobufReader(bytes)
    try writeMessage(&reader, plan.messages[root], to: &out, depth: 0)
  }

  package func json(_ bytes: [UInt8]) throws(WireFormatError) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(bytes.count * 3)
    let outcome: Result<Void, WireFormatError> = bytes.withUnsafeBytes { raw in
      Result { () throws(WireFormatError) in try write(raw, to: &out) }
    }
    try outcome.get()
    return out
  }

  private func writeMessage(
    _ reader: inout ProtobufReader, _ message: JSONPlan.Message, to out: inout [UInt8], depth: Int
  ) throws(WireFormatError) {
    guard depth < 100 else { throw .tooDeep }
    out.append(UInt8(ascii: "{"))
    var first = true
    var seenLists: UInt64 = 0
    while !reader.isAtEnd {
      let (number, wireType) = try reader.readKey()
      guard let field = plan.field(number, of: message) else {
        try reader.skip(wireType: wireType)
        continue
      }
      if !first { out.append(UInt8(ascii: ",")) }
      first = false
      JSONText.append(plain: plan.key(of: field), to: &out)
      if field.isRepeated {
        seenLists |= field.listBit
        try writeList(&reader, field: field, number: number, wireType: wireType, to: &out, depth)
      } else {
        try writeValue(&reader, field, to: &out, depth)
      }
    }
    for field in plan.lists(of: message) where seenLists & field.listBit == 0 {
      if !first { out.append(UInt8(ascii: ",")) }
      first = false
      JSONText.append(plain: plan.key(of: field), to: &out)
      out.append(UInt8(ascii: "["))
      out.append(UInt8(ascii: "]"))
    }
    out.append(UInt8(ascii: "}"))
  }

  /// Elements of one list stand together in what we encode; packed numbers come in one piece.
  private func writeList(
    _ reader: inout ProtobufReader, field: JSONPlan.Field, number: Int, wireType: Int,
    to out: inout [UInt8], _ depth: Int
  ) throws(WireFormatError) {
    out.append(UInt8(ascii: "["))
    if wireType == 2, field.kind.isPackable {
      var packed = try reader.readMessage()
      var first = true
      while !packed.isAtEnd {
        if !first { out.append(UInt8(ascii: ",")) }
        first = false
        try writeValue(&packed, field, to: &out, depth)
      }
    } else {
      try writeValue(&reader, field, to: &out, depth)
      while try reader.continues(number: number, wireType: wireType) {
        out.append(UInt8(ascii: ","))
        try writeValue(&reader, field, to: &out, depth)
      }
    }
    out.append(UInt8(ascii: "]"))
  }

  private func writeValue(
    _ reader: inout ProtobufReader, _ field: JSONPlan.Field, to out: inout [UInt8], _ depth: Int
  ) throws(WireFormatError) {
    switch field.kind {
    case .double: JSONText.append(Double(bitPattern: try reader.readFixed64()), to: &out)
    case .float: JSONText.append(Double(Float(bitPattern: try reader.readFixed32())), to: &out)
    case .bool:
      out.append(contentsOf: try reader.readVarint() != 0 ? JSONText.true : JSONText.false)
    case .string: JSONText.append(string: try reader.readMessage().remaining, to: &out)
    case .bytes: JSONText.append(base64: try reader.readMessage().remaining, to: &out)
    case .signed: JSONText.append(Int64(bitPattern: try reader.readVarint()), to: &out)
    case .unsigned: JSONText.append(unsigned: try reader.readVarint(), to: &out)
    case .zigzag:
      let raw = try reader.readVarint()
      JSONText.append(ZigZag.decode(raw), to: &out)
    case .fixed32: JSONText.append(unsigned: UInt64(try reader.readFixed32()), to: &out)
    case .sfixed32:
      JSONText.append(Int64(Int32(bitPattern: try reader.readFixed32())), to: &out)
    case .fixed64: JSONText.append(unsigned: try reader.readFixed64(), to: &out)
    case .sfixed64: JSONText.append(Int64(bitPattern: try reader.readFixed64()), to: &out)
    case .structure:
      var slice = try reader.readMessage()
      try writeStruct(&slice, to: &out, depth + 1)
    case .structureValue:
      var slice = try reader.readMessage()
      try writeStructValue(&slice, to: &out, depth + 1)
    case .structureList:
      var slice = try reader.readMessage()
      try writeListValue(&slice, to: &out, depth + 1)
    case .timestamp:
      var slice = try reader.readMessage()
      try writeTimestamp(&slice, to: &out)
    case .message:
      var slice = try reader.readMessage()
      try writeMessage(&slice, plan.messages[Int(field.child)], to: &out, depth: depth + 1)
    case .unknownMessage: throw .missing(field: JSONPlan.unknownNames[Int(field.child)])
    }
  }
}

// MARK: - Well-known types

extension JSONTranscoder {
  private func writeStruct(_ reader: inout ProtobufReader, to out: inout [UInt8], _ depth: Int)
    throws(WireFormatError)
  {
    guard depth < 100 else { throw .tooDeep }
    out.append(UInt8(ascii: "{"))
    var first = true
    while !reader.isAtEnd {
      let (number, wireType) = try reader.readKey()
      guard number == 1 else {
        try reader.skip(wireType: wireType)
        continue
      }
      var entry = try reader.readMessage()
      var key = ProtobufReader(UnsafeRawBufferPointer(start: nil, count: 0))
      var value = key
      while !entry.isAtEnd {
        let (entryNumber, entryType) = try entry.readKey()
        switch entryNumber {
        case 1: key = try entry.readMessage()
        case 2: value = try entry.readMessage()
        default: try entry.skip(wireType: entryType)
        }
      }
      if !first { out.append(UInt8(ascii: ",")) }
      first = false
      JSONText.append(string: key.remaining, to: &out)
      out.append(UInt8(ascii: ":"))
      try writeStructValue(&value, to: &out, depth + 1)
    }
    out.append(UInt8(ascii: "}"))
  }

  private func writeListValue(_ reader: inout ProtobufReader, to out: inout [UInt8], _ depth: Int)
    throws(WireFormatError)
  {
    out.append(UInt8(ascii: "["))
    var first = true
    while !reader.isAtEnd {
      let (number, wireType) = try reader.readKey()
      guard number == 1 else {
        try reader.skip(wireType: wireType)
        continue
      }
      var value = try reader.readMessage()
      if !first { out.append(UInt8(ascii: ",")) }
      first = false
      try writeStructValue(&value, to: &out, depth + 1)
    }
    out.append(UInt8(ascii: "]"))
  }

  private func writeStructValue(_ reader: inout ProtobufReader, to out: inout [UInt8], _ depth: Int)
    throws(WireFormatError)
  {
    guard depth < 100 else { throw .tooDeep }
    var written = false
    while !reader.isAtEnd {
      let (number, wireType) = try reader.readKey()
      guard !written else {
        try reader.skip(wireType: wireType)
        continue
      }
      written = true
      switch number {
      case 1:
        _ = try reader.readVarint()
        out.append(contentsOf: JSONText.null)
      case 2: JSONText.append(Double(bitPattern: try reader.readFixed64()), to: &out)
      case 3: JSONText.append(string: try reader.readMessage().remaining, to: &out)
      case 4:
        out.append(contentsOf: try reader.readVarint() != 0 ? JSONText.true : JSONText.false)
      case 5:
        var slice = try reader.readMessage()
        try writeStruct(&slice, to: &out, depth + 1)
      case 6:
        var slice = try reader.readMessage()
        try writeListValue(&slice, to: &out, depth + 1)
      default:
        try reader.skip(wireType: wireType)
        written = false
      }
    }
    if !written { out.append(contentsOf: JSONText.null) }
  }

  private func writeTimestamp(_ reader: inout ProtobufReader, to out: inout [UInt8])
    throws(WireFormatError)
  {
    var seconds: Int64 = 0
    var nanoseconds: Int64 = 0
    while !reader.isAtEnd {
      let (number, wireType) = try reader.readKey()
      switch number {
      case 1: seconds = Int64(bitPattern: try reader.readVarint())
      case 2: nanoseconds = Int64(bitPattern: try reader.readVarint())
      default: try reader.skip(wireType: wireType)
      }
    }
    JSONText.append(timestampSeconds: seconds, nanoseconds: nanoseconds, to: &out)
  }
}
