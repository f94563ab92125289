import Foundation
import SwiftProtobuf

/// The descriptors of moyeo.v1 and of what it imports, file by file, as gRPC's reflection hands them
/// out.
public struct DescriptorFiles: Sendable {
  /// Encoded `FileDescriptorProto`s by the name of their file.
  private var files: [String: [UInt8]] = [:]
  /// The name of the file that declares a symbol, by the symbol's full name.
  private var owners: [String: String] = [:]
  /// Full names of all services, in order.
  public private(set) var services: [String] = []

  /// The committed descriptors (`proto/generate.sh`).
  public static let all = DescriptorFiles()

  private init() {
    for file in Self.committed() { add(file) }
    services.sort()
  }

  /// The committed descriptors, read anew.
  static func committed() -> [Google_Protobuf_FileDescriptorProto] {
    guard
      let bytes = Data(base64Encoded: descriptorSetBase64),
      let set = try? Google_Protobuf_FileDescriptorSet(serializedBytes: bytes)
    else { preconditionFailure("the committed descriptor set does not parse: run make proto") }
    return set.file
  }

  /// The encoded `FileDescriptorProto` of a file.
  ///
  /// - Parameter name: E.g. `moyeo/v1/parties.proto`.
  /// - Returns: Its bytes; nil for a file that is none of these.
  public func file(named name: String) -> [UInt8]? { files[name] }

  /// The encoded `FileDescriptorProto` that declares a symbol.
  ///
  /// - Parameter symbol: The full name of a message, field, enumeration, value, service or call, e.g.
  ///   `moyeo.v1.PartyService.Join`.
  /// - Returns: Its bytes; nil for a symbol that nothing declares.
  public func file(declaring symbol: String) -> [UInt8]? { owners[symbol].flatMap { files[$0] } }

  /// Whether a message of this full name is declared.
  public func hasMessage(_ name: String) -> Bool { MessageSchema.all[name] != nil }

  private mutating func add(_ file: Google_Protobuf_FileDescriptorProto) {
    guard let bytes: [UInt8] = try? file.serializedBytes() else {
      preconditionFailure("\(file.name) cannot be encoded")
    }
    files[file.name] = bytes
    for message in file.messageType { add(message, in: file.package, file.name) }
    for value in file.enumType { add(value, in: file.package, file.name) }
    for service in file.service {
      let name = file.package + "." + service.name
      services.append(name)
      owners[name] = file.name
      for method in service.method { owners[name + "." + method.name] = file.name }
    }
  }

  private mutating func add(
    _ message: Google_Protobuf_DescriptorProto, in scope: String, _ file: String
  ) {
    let name = scope + "." + message.name
    owners[name] = file
    for field in message.field { owners[name + "." + field.name] = file }
    for nested in message.nestedType { add(nested, in: name, file) }
    for value in message.enumType { add(value, in: name, file) }
  }

  /// Values of an enumeration are named beside it, not in it.
  private mutating func add(
    _ enumeration: Google_Protobuf_EnumDescriptorProto, in scope: String, _ file: String
  ) {
    owners[scope + "." + enumeration.name] = file
    for value in enumeration.value { owners[scope + "." + value.name] = file }
  }
}
