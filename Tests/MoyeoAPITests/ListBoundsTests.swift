import SwiftProtobuf
import Testing

@testable import MoyeoAPI

@Suite struct ListBoundsTests {
  private static let bounds = ListBounds(["positions": 3, "tags": 8, "requests": 2])

  private static func look(_ request: Moyeo_V1_ReportRequest) throws -> (
    ListBounds.Violation?, elementsRead: Int
  ) {
    let bytes: [UInt8] = try request.serializedBytes()
    var read = 0
    let violation = bytes.withUnsafeBytes {
      bounds.violation(
        in: $0, of: MessageSchema.of(Moyeo_V1_ReportRequest.self), elementsRead: &read)
    }
    return (violation, read)
  }

  private static func position(tags: Int) -> Moyeo_V1_Position {
    .with { $0.tags = (0..<tags).map { "t\($0)" } }
  }

  /// However long a list is, no more of it is looked at than its limit and one.
  @Test(arguments: [4, 100, 80_000])
  func readingStopsAtTheLimit(count: Int) throws {
    let many = try Self.look(.with { $0.positions = Array(repeating: .init(), count: count) })
    #expect(many.0 == .init(path: "positions", name: "positions", limit: 3))
    #expect(many.elementsRead == 4)
    // Inside items there is some room, so that an item a little too large is refused by itself.
    let tags = try Self.look(
      .with { $0.positions = [.init(), Self.position(tags: 32 + count)] })
    #expect(tags.0 == .init(path: "positions[1].tags", name: "tags", limit: 32))
    #expect(tags.elementsRead == 2 + 33)
  }

  @Test func whatFitsPasses() throws {
    let fits = try Self.look(
      .with { $0.positions = Array(repeating: Self.position(tags: 32), count: 3) })
    #expect(fits.0 == nil)
    #expect(fits.elementsRead == 3 * 33)
    var read = 0
    let noise: [UInt8] = [0x12, 0x7F, 0x01]
    let broken = noise.withUnsafeBytes {
      Self.bounds.violation(
        in: $0, of: MessageSchema.of(Moyeo_V1_ReportRequest.self), elementsRead: &read)
    }
    #expect(broken == nil)
  }
}
