/// What ``JSONTranscoder`` needs of all messages, as plain values in memory that stays: looking a
/// field up copies no reference, which took half of the time that writing an answer takes.
///
/// ```
/// messages   | first number | numbers | first list | lists |      by message
/// numbers    | a field, or none |                                  by message, then number
/// lists      | a repeated field |                                  by message
/// keys       "id":"latitude":...                                   of all fields
/// ```
///
/// `@unchecked Sendable`: made once, read ever after, never freed.
struct JSONPlan: @unchecked Sendable {
  enum Kind: UInt8 {
    case double, float, bool, string, bytes
    /// Varints.
    case signed, unsigned, zigzag
    case fixed32, sfixed32, fixed64, sfixed64
    case structure, structureValue, structureList, timestamp, message
    /// Of another package: nothing that we answer with has one.
    case unknownMessage

    var isPackable: Bool {
      switch self {
      case .double, .float, .bool, .signed, .unsigned, .zigzag, .fixed32, .sfixed32, .fixed64,
        .sfixed64:
        true
      case .string, .bytes, .structure, .structureValue, .structureList, .timestamp, .message,
        .unknownMessage:
        false
      }
    }
  }

  struct Field: BitwiseCopyable {
    let kind: Kind
    let isRepeated: Bool
    /// Place of `"name":` in `keys`.
    let keyStart: Int32
    let keyCount: Int32
    /// Index into `messages`, or into ``unknownNames``.
    let child: Int32
    /// One bit a list of its message.
    let listBit: UInt64
  }

  struct Message: BitwiseCopyable {
    let firstNumber: Int32
    let numberCount: Int32
    let firstList: Int32
    let listCount: Int32
  }

  let messages: UnsafeBufferPointer<Message>
  private let numbers: UnsafeBufferPointer<Field?>
  private let lists: UnsafeBufferPointer<Field>
  private let keys: UnsafeBufferPointer<UInt8>

  static let shared = JSONPlan(Array(MessageSchema.all.values))
  private static let indices = Dictionary(
    uniqueKeysWithValues: MessageSchema.all.values.enumerated().map { ($1.name, $0) })
  static let unknownNames = names(in: MessageSchema.all.values)

  /// Of a message of moyeo.v1.
  static func index(of name: String) -> Int {
    guard let index = indices[name] else { preconditionFailure("no schema for \(name)") }
    return index
  }

  @inline(__always)
  func field(_ number: Int, of message: Message) -> Field? {
    guard number < message.numberCount else { return nil }
    return numbers[Int(message.firstNumber) + number]
  }

  /// The repeated fields, which are printed even when empty.
  @inline(__always)
  func lists(of message: Message) -> Slice<UnsafeBufferPointer<Field>> {
    lists[Int(message.firstList)..<Int(message.firstList + message.listCount)]
  }

  @inline(__always)
  func key(of field: Field) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(
      rebasing: keys[Int(field.keyStart)..<Int(field.keyStart + field.keyCount)])
  }

  private init(_ schemas: [MessageSchema]) {
    var messages: [Message] = []
    var numbers: [Field?] = []
    var lists: [Field] = []
    var keys: [UInt8] = []
    for schema in schemas {
      let firstNumber = numbers.count
      let firstList = lists.count
      numbers += Array(repeating: nil, count: (schema.fields.last?.number ?? 0) + 1)
      for (index, described) in schema.fields.enumerated() {
        let (kind, child) = Self.kind(of: described.kind)
        let field = Field(
          kind: kind, isRepeated: described.isRepeated, keyStart: Int32(keys.count),
          keyCount: Int32(described.key.count), child: child,
          listBit: described.isRepeated ? 1 << UInt64(index & 63) : 0)
        keys += described.key
        numbers[firstNumber + described.number] = field
        if described.isRepeated { lists.append(field) }
      }
      messages.append(
        Message(
          firstNumber: Int32(firstNumber), numberCount: Int32(numbers.count - firstNumber),
          firstList: Int32(firstList), listCount: Int32(lists.count - firstList)))
    }
    self.messages = Self.kept(messages)
    self.numbers = Self.kept(numbers)
    self.lists = Self.kept(lists)
    self.keys = Self.kept(keys)
  }

  private static func kept<Value>(_ values: [Value]) -> UnsafeBufferPointer<Value> {
    let copy = UnsafeMutableBufferPointer<Value>.allocate(capacity: values.count)
    _ = copy.initialize(from: values)
    return UnsafeBufferPointer(copy)
  }

  private static func names(in schemas: some Sequence<MessageSchema>) -> [String] {
    var names: Set<String> = []
    for schema in schemas {
      for case .message(let name) in schema.fields.map(\.kind)
      where MessageSchema.all[name] == nil { names.insert(name) }
    }
    return names.sorted()
  }

  private static func kind(of kind: MessageSchema.Kind) -> (Kind, child: Int32) {
    switch kind {
    case .double: (.double, 0)
    case .float: (.float, 0)
    case .bool: (.bool, 0)
    case .string: (.string, 0)
    case .bytes: (.bytes, 0)
    case .int32, .int64, .enumeration: (.signed, 0)
    case .uint32, .uint64: (.unsigned, 0)
    case .sint32, .sint64: (.zigzag, 0)
    case .fixed32: (.fixed32, 0)
    case .sfixed32: (.sfixed32, 0)
    case .fixed64: (.fixed64, 0)
    case .sfixed64: (.sfixed64, 0)
    case .message("google.protobuf.Struct"): (.structure, 0)
    case .message("google.protobuf.Value"): (.structureValue, 0)
    case .message("google.protobuf.ListValue"): (.structureList, 0)
    case .message("google.protobuf.Timestamp"): (.timestamp, 0)
    case .message(let name):
      if let index = indices[name] {
        (.message, Int32(index))
      } else {
        (.unknownMessage, Int32(unknownNames.firstIndex(of: name) ?? 0))
      }
    }
  }
}
