import Identity
import MoyeoAPI
import SwiftProtobuf
import WireFormat

/// What a call demands of who makes it: one row of ``AccessTable``.
///
/// | caller | may |
/// |---|---|
/// | open | everything, as nobody is asked who they are |
/// | service | what its scopes name, for any of the tenant's people |
/// | user | what their scopes name, for themselves: ``own`` says which fields name them |
///
/// Another tenant's objects are not among those that a call can reach at all (``TenantRooms``).
struct AccessRule: Sendable {
  /// The scope that a token must have.
  let scope: Scopes
  /// Fields, by their JSON names, that name who acts: of a user each that is given is their own id,
  /// and where none is, the first one is filled in.
  var own: [String] = []
  /// A list whose elements name who they are about, and the element's field: of a user each is their
  /// own id, and says of them in `attributes` only what their token does.
  var ownElements: (list: String, field: String)?
  /// Lists that speak of other people: a user leaves them empty.
  var emptyForUsers: [String] = []
  /// A flag that makes a command of the call.
  var commandFlag: String?
  /// What becomes of the field `attributes`, which policies read.
  var attributes = Attributes.none

  enum Attributes: Sendable {
    case none
    /// A user's are those of their token, and all of them.
    case ofToken
    /// A user shows those that they name, as their token has them.
    case namedOfToken
  }

  /// - Throws: `forbidden` when the token's scopes lack the call's.
  func admit(_ caller: Caller) throws(APIError) {
    guard caller.role == .open || caller.scopes.isSuperset(of: scope) else {
      throw Self.lacks(scope)
    }
  }

  static func lacks(_ scope: Scopes) -> APIError {
    APIError(
      .forbidden, "this call needs a token with the scope \(scope.names.joined(separator: ", "))")
  }

  /// Whether more than the scope counts.
  func looksAtRequest(of caller: Caller) -> Bool {
    guard caller.role == .user else { return commandFlag != nil && caller.role == .service }
    return !own.isEmpty || ownElements != nil || !emptyForUsers.isEmpty || commandFlag != nil
      || attributes != .none
  }

  /// A request as this caller may make it.
  ///
  /// - Parameters:
  ///   - request: As it was sent.
  ///   - caller: Who makes it.
  /// - Returns: The request, with the caller's id and attributes where they were left out.
  /// - Throws: `forbidden`, `attribute_protected`.
  func admitted<Request: Message>(
    _ request: Request, of caller: Caller
  ) throws(APIError) -> Request {
    try admit(caller)
    guard looksAtRequest(of: caller) else { return request }
    var request = request
    if caller.role == .user, attributes != .none { request = try protected(request, of: caller) }
    guard let bytes: [UInt8] = try? request.serializedBytes() else {
      throw APIError(.malformedRequest, "the request cannot be read")
    }
    let admitted = try self.admitted(bytes, MessageSchema.of(Request.self), of: caller)
    guard admitted.count != bytes.count else { return request }
    guard let filled = try? Request(serializedBytes: admitted) else {
      throw APIError(.malformedRequest, "the request cannot be read")
    }
    return filled
  }

  /// The same for a request without attributes, encoded.
  func admitted(
    _ bytes: [UInt8], _ schema: MessageSchema, of caller: Caller
  ) throws(APIError) -> [UInt8] {
    try admit(caller)
    guard looksAtRequest(of: caller) else { return bytes }
    let named = bytes.withUnsafeBytes { NamedFields(rule: self, schema: schema, $0) }
    if named.setsCommandFlag, !caller.scopes.contains(.command) { throw Self.lacks(.command) }
    guard caller.role == .user else { return bytes }
    guard let subject = caller.subject else {
      throw APIError(.forbidden, "an API key without the scope service acts for nobody")
    }
    if let other = named.own.first(where: { $0.value != subject })
      ?? named.elements.first(where: {
        $0.value != subject
      })
    {
      throw APIError(
        .forbidden, field: other.field,
        "\(other.field) is who acts: with this token only \(quoted(subject))")
    }
    for (index, attributes) in named.elementAttributes {
      try Self.require(attributes, of: caller, prefix: "\(ownElements?.list ?? "")[\(index)].")
    }
    if let list = named.filledList {
      throw APIError(.forbidden, field: list, "\(list) names other people: a service does that")
    }
    guard named.own.isEmpty, let first = own.first, let field = schema.field(jsonName: first) else {
      return bytes
    }
    var writer = ProtobufWriter(capacity: subject.utf8.count + 16)
    writer.string(field.number, subject)
    return bytes + writer.bytes
  }

  private func protected<Request: Message>(
    _ request: Request, of caller: Caller
  ) throws(APIError) -> Request {
    guard var telling = request as? any TellsAttributes else { return request }
    let claims = try Self.require(telling.attributes, of: caller, prefix: "")
    if attributes == .ofToken, !claims.isEmpty { telling.attributes.fields = claims }
    return telling as? Request ?? request
  }

  /// What a person says of themselves is what their token says of them.
  ///
  /// - Returns: All that the token says.
  /// - Throws: `attribute_protected`.
  @discardableResult
  private static func require(
    _ said: Google_Protobuf_Struct, of caller: Caller, prefix: String
  ) throws(APIError) -> [String: Google_Protobuf_Value] {
    let claims = caller.attributes.mapValues(Google_Protobuf_Value.init(claim:))
    for (name, value) in said.fields where claims[name] != value {
      throw APIError(
        .attributeProtected, field: "\(prefix)attributes.\(name)",
        "policies read \(quoted(name)): it comes from the token, or from a service")
    }
    return claims
  }
}

/// A request with attributes that policies read.
protocol TellsAttributes: Message {
  var attributes: Google_Protobuf_Struct { get set }
}

extension Moyeo_V1_CreatePartyRequest: TellsAttributes {}
extension Moyeo_V1_JoinPartyRequest: TellsAttributes {}
extension Moyeo_V1_PreviewJoinRequest: TellsAttributes {}
extension Moyeo_V1_MatchPartiesRequest: TellsAttributes {}
extension Moyeo_V1_WatchMatchesRequest: TellsAttributes {}
extension Moyeo_V1_CreateCommuteRequest: TellsAttributes {}
extension Moyeo_V1_UpdateCommuteRequest: TellsAttributes {}
extension Moyeo_V1_JoinCommuteRequest: TellsAttributes {}
extension Moyeo_V1_OpenTicketRequest: TellsAttributes {}

extension Google_Protobuf_Value {
  fileprivate init(claim: ClaimValue) {
    switch claim {
    case .string(let text): self.init(stringValue: text)
    case .number(let number): self.init(numberValue: number)
    case .bool(let flag): self.init(boolValue: flag)
    }
  }
}

/// What a request says in the fields that a rule is about.
private struct NamedFields {
  var own: [(field: String, value: String)] = []
  var elements: [(field: String, value: String)] = []
  var elementAttributes: [(index: Int, attributes: Google_Protobuf_Struct)] = []
  /// A list that users leave empty and that has something.
  var filledList: String?
  var setsCommandFlag = false

  init(rule: AccessRule, schema: MessageSchema, _ bytes: UnsafeRawBufferPointer) {
    func numbers(_ names: [String]) -> [Int: String] {
      var out: [Int: String] = [:]
      for name in names { if let field = schema.field(jsonName: name) { out[field.number] = name } }
      return out
    }
    let (owners, lists) = (numbers(rule.own), numbers(rule.emptyForUsers))
    let flag = rule.commandFlag.flatMap { schema.field(jsonName: $0)?.number }
    let list = rule.ownElements.flatMap { schema.field(jsonName: $0.list) }
    var reader = ProtobufReader(bytes)
    while let field = reader.nextField() {
      if let name = owners[field.number], field.wireType == 2 {
        own.append((name, String(decoding: field.bytes, as: UTF8.self)))
      }
      if let name = lists[field.number] { filledList = name }
      if field.number == flag, field.bits != 0 { setsCommandFlag = true }
      if let list, field.number == list.number, let elementField = rule.ownElements?.field {
        let index = elements.count
        elements.append(Self.element(of: list, elementField, index: index, field.bytes))
        if let attributes = Self.attributes(of: list, field.bytes) {
          elementAttributes.append((index, attributes))
        }
      }
    }
  }

  /// Those of an element that has any; what is none that can be read is refused later.
  private static func attributes(
    of list: MessageSchema.Field, _ bytes: UnsafeRawBufferPointer
  ) -> Google_Protobuf_Struct? {
    guard case .message(let type) = list.kind,
      let number = MessageSchema.all[type]?.field(jsonName: "attributes")?.number
    else { return nil }
    var reader = ProtobufReader(bytes)
    var all: [UInt8] = []
    while let field = reader.nextField() {
      if field.number == number, field.wireType == 2 { all += Array(field.bytes) }
    }
    return all.isEmpty ? nil : try? Google_Protobuf_Struct(serializedBytes: all)
  }

  private static func element(
    of list: MessageSchema.Field, _ name: String, index: Int, _ bytes: UnsafeRawBufferPointer
  ) -> (field: String, value: String) {
    var value = ""
    if case .message(let type) = list.kind,
      let number = MessageSchema.all[type]?.field(jsonName: name)?.number
    {
      var reader = ProtobufReader(bytes)
      while let field = reader.nextField() {
        if field.number == number, field.wireType == 2 {
          value = String(decoding: field.bytes, as: UTF8.self)
        }
      }
    }
    return ("\(list.jsonName)[\(index)].\(name)", value)
  }
}
