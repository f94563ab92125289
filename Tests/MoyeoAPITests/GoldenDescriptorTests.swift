import Foundation
import SwiftProtobuf
import Testing

@testable import MoyeoAPI

/// moyeo.v1 only grows: whatever stood in a published schema stands there for ever.
///
/// `MOYEO_RECORD_GOLDEN=1 swift test --filter GoldenDescriptorTests` records additions; it refuses
/// to record anything that breaks what was recorded before.
@Suite struct GoldenDescriptorTests {
  static let golden = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("data/golden/moyeo.v1.schema.txt")
  static let isRecording = ProcessInfo.processInfo.environment["MOYEO_RECORD_GOLDEN"] == "1"

  @Test func everythingPublishedIsStillThere() throws {
    let now = try Self.schemaLines()
    let published = (try? String(contentsOf: Self.golden, encoding: .utf8)) ?? ""
    let before = published.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") }
    #expect(Self.isRecording || before.count > 200, "\(Self.golden.path) is missing or cut")
    let missing = Set(before).subtracting(now)
    #expect(missing.isEmpty, "gone or changed: \(missing.sorted().joined(separator: "; "))")
    if Self.isRecording, missing.isEmpty {
      let head = "# Made by MOYEO_RECORD_GOLDEN=1 swift test --filter GoldenDescriptorTests\n"
      try FileManager.default.createDirectory(
        at: Self.golden.deletingLastPathComponent(), withIntermediateDirectories: true)
      try (head + now.joined(separator: "\n") + "\n").write(
        to: Self.golden, atomically: true, encoding: .utf8)
    }
  }

  @Test func everythingThereIsPublished() throws {
    let published = try String(contentsOf: Self.golden, encoding: .utf8)
    let before = Set(published.split(separator: "\n").map(String.init))
    let added = try Self.schemaLines().filter { !before.contains($0) }
    #expect(
      added.isEmpty,
      "not recorded yet (MOYEO_RECORD_GOLDEN=1): \(added.joined(separator: "; "))")
  }

  @Test func scalarsTellAbsentFromZeroAndNamesAreNotReused() throws {
    for message in try Self.messages() {
      var names: Set<String> = []
      for field in message.descriptor.field {
        #expect(names.insert(field.jsonName).inserted, "\(message.name).\(field.jsonName) twice")
        let isMessage = field.type == .message
        let tellsAbsent = field.proto3Optional || field.label == .repeated || isMessage
        #expect(tellsAbsent, "\(message.name).\(field.name) must be optional")
      }
    }
  }

  /// A line a field and a line a call, sorted; a line that changes is a break.
  static func schemaLines() throws -> [String] {
    var lines: [String] = []
    for message in try messages() {
      for field in message.descriptor.field {
        lines.append(
          [
            "field", message.name, "\(field.number)", field.name, field.jsonName, "\(field.type)",
            field.typeName, "\(field.label)", field.proto3Optional ? "optional" : "-",
          ].joined(separator: " "))
      }
    }
    for file in DescriptorFiles.committed() where file.package == "moyeo.v1" {
      for service in file.service {
        for method in service.method {
          lines.append(
            "call \(file.package).\(service.name)/\(method.name) \(method.inputType) "
              + "\(method.clientStreaming ? "stream" : "one") \(method.outputType) "
              + (method.serverStreaming ? "stream" : "one"))
        }
      }
    }
    return lines.sorted()
  }

  private static func messages() throws
    -> [(name: String, descriptor: Google_Protobuf_DescriptorProto)]
  {
    var out: [(name: String, descriptor: Google_Protobuf_DescriptorProto)] = []
    func add(_ message: Google_Protobuf_DescriptorProto, _ prefix: String) {
      let name = prefix + "." + message.name
      out.append((name, message))
      for nested in message.nestedType where !nested.options.mapEntry { add(nested, name) }
    }
    for file in DescriptorFiles.committed() where file.package == "moyeo.v1" {
      for message in file.messageType { add(message, file.package) }
    }
    return out
  }
}
