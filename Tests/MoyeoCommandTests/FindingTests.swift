import ArgumentParser
import Foundation
import MoyeoAPI
import MoyeoClient
import SwiftProtobuf
import Testing

@testable import moyeo

/// What reviewers of the command line found (`Tests/hostile/README.md`, C).
@Suite struct FindingTests {
  private static func event(_ sequence: Int64, token: String = "") -> Moyeo_V1_Event {
    .with {
      $0.sequence = sequence
      $0.kind = "party.joined"
      if !token.isEmpty { $0.resumeToken = token }
    }
  }

  // MARK: - C3

  @Test func aStreamThatEndsSaysHowToGoOn() async throws {
    let follower = EventFollower(try OutputOptions.parse([]), option: "--after")
    let silent = await #expect(throws: CommandFailure.self) { try await follower.run {} }
    #expect(silent?.code == CommandExit.unreachable)
    let ended = await #expect(throws: CommandFailure.self) {
      try await follower.run {
        try await follower.print(Self.event(41))
        try await follower.print(Self.event(42, token: "42"))
      }
    }
    #expect(ended?.code == CommandExit.unreachable)
    #expect(ended?.message.contains("--after 42") == true)
    // A daemon that goes away with an error is no other end than one that closes the stream.
    let cut = await #expect(throws: CommandFailure.self) {
      try await follower.run {
        throw MoyeoError.unreachable(endpoint: "127.0.0.1:1", cause: "it is gone")
      }
    }
    #expect(cut?.message.contains("--after 42") == true)
  }

  @Test func whatWasNeverReachedIsToldAsEver() async throws {
    let follower = EventFollower(try OutputOptions.parse([]), option: "--resume-token")
    await #expect(throws: MoyeoError.self) {
      try await follower.run {
        throw MoyeoError.unreachable(endpoint: "127.0.0.1:1", cause: "nobody listens")
      }
    }
  }

  // MARK: - C5

  @Test(arguments: [
    ("seoul", "kr-seoul"), ("party.jooined", "party.joined"), ("Seol", nil),
    ("kr-seol", "kr-seoul"),
  ])
  func theNearestNameIsOffered(typed: String, nearest: String?) {
    let known = ["kr-seoul", "kr-busan", "us-nyc", "party.joined"]
    #expect(NearestName.of(typed, in: known) == nearest)
  }

  @Test func unknownNamesAreRefusedWithThoseThereAre() {
    let text = NearestName.refusal("area", "atlantis", known: ["us-nyc", "kr-seoul"])
    #expect(text.hasSuffix("(there are kr-seoul, us-nyc)") && text.contains("atlantis"))
    #expect(!text.contains("did you mean"))
    #expect(NearestName.edits("kitten", "sitting") == 3)
    #expect(Set(EventKinds.all).count == EventKinds.all.count)
  }

  // MARK: - C6

  @Test func timesNameTheirZone() throws {
    let stamp = try #require(TimeText.parse("2026-11-20T14:10Z"))
    for (zone, text) in [
      ("Asia/Seoul", "2026-11-20 23:10 +09:00"), ("UTC", "2026-11-20 14:10 +00:00"),
      ("America/St_Johns", "2026-11-20 10:40 -03:30"),
    ] {
      let output = try OutputOptions.parse(["--time-zone", zone])
      #expect(output.clock.text(stamp) == text)
    }
    #expect(throws: (any Error).self) { try OutputOptions.parse(["--time-zone", "Mars/Olympus"]) }
  }

  // MARK: - C7

  private static func page(_ number: Int, of count: Int) -> Moyeo_V1_WithinResponse {
    .with {
      $0.hits = (0..<2).map { i in .with { $0.id = "object-\(number)-\(i)" } }
      $0.version = "v\(number)"
      if number < count { $0.nextCursor = "\(number + 1)" }
    }
  }

  private static func filter(_ more: String...) throws -> FilterOptions {
    try FilterOptions.parse(["--layer", "users", "--all-pages"] + more)
  }

  @Test func eachPageIsPrintedBeforeTheNextIsAskedFor() async throws {
    var printed: [String] = []
    var printedBefore: [Int] = []
    try await Self.filter().printPages(try OutputOptions.parse([])) {
      printed.append($0)
    } _: { cursor in
      printedBefore.append(printed.count)
      return Self.page(cursor.flatMap { Int($0) } ?? 1, of: 3)
    }
    #expect(printedBefore == [0, 3, 5])
    #expect(printed.count == 7 && printed[0].hasPrefix("id"))
  }

  @Test(arguments: [1, 3]) func pagesOfJSONAreOneAnswer(count: Int) async throws {
    var text = ""
    try await Self.filter().printPages(try OutputOptions.parse(["--json"])) {
      text += $0 + "\n"
    } _: { cursor in
      Self.page(cursor.flatMap { Int($0) } ?? 1, of: count)
    }
    let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    #expect((object?["hits"] as? [Any])?.count == 2 * count)
    #expect(object?["version"] as? String == "v\(count)")
  }

  @Test func nobodyOnAnyPageIsSaid() async throws {
    for (arguments, expected) in [([], "nobody"), (["--json"], "{\"hits\":[]")] {
      var printed: [String] = []
      try await Self.filter().printPages(try OutputOptions.parse(arguments)) {
        printed.append($0)
      } _: { _ in
        Moyeo_V1_WithinResponse()
      }
      #expect(printed.count == 1 && printed[0].hasPrefix(expected), "\(printed)")
    }
  }

  // MARK: - C8

  @Test func nothingIsLeftOfAnExportThatWasInterrupted() throws {
    let file = NSTemporaryDirectory() + "moyeo-sink-" + UUID().uuidString
    var sink = try FeatureSink(file: file)
    try sink.write(String(repeating: "x", count: 1 << 17))
    #expect(FileManager.default.fileExists(atPath: file + ".partial"))
    sink.discard()
    #expect(!FileManager.default.fileExists(atPath: file + ".partial"))
    #expect(CommandExit.interruption.code == 130)
  }

  // MARK: - C11

  @Test(arguments: [
    ([0x1F, 0x8B, 8, 0] as [UInt8], "gunzip -c"), ([0x50, 0x4B, 3, 4], "unzip -p"),
    ([0x28, 0xB5, 0x2F, 0xFD], "zstd -dc"),
  ])
  func packedFilesAreRecognised(bytes: [UInt8], program: String) {
    var source = ByteSource(name: "f.csv", bytes: bytes)
    let error = #expect(throws: ByteSourceError.self) { try source.next() }
    #expect(error?.description.contains(program) == true)
  }

  @Test func swappedColumnsAndOtherEncodingsAreHintedAt() {
    func summary(_ reason: String, refused: Int, accepted: Int) -> ImportSummary {
      var summary = ImportSummary(kept: 1)
      summary.accept(accepted)
      for line in 0..<refused {
        summary.refuse(RefusedRow(line: line, id: "", field: "", reason: reason, message: ""))
      }
      return summary
    }
    #expect(
      summary("latitude_out_of_range", refused: 6, accepted: 5).hint?.contains("swapped") == true)
    #expect(summary("latitude_out_of_range", refused: 1, accepted: 5).hint == nil)
    #expect(summary("not_utf8", refused: 1, accepted: 5).hint?.contains("iconv") == true)
  }

  // MARK: - C12

  @Test func aPartyShowsItsHostAndFreeSeatsWhileItIsOpen() throws {
    let clock = try OutputOptions.parse(["--time-zone", "UTC"]).clock
    var party = Moyeo_V1_Party.with {
      $0.id = "p"
      $0.state = "open"
      $0.hostID = "ann"
      $0.seats = 4
      $0.seatsFree = 2
      $0.riders = ["ann", "bob"].map { id in .with { $0.riderID = id } }
    }
    let open = PartyTable.lines(party, clock).joined(separator: "\n")
    #expect(open.contains("ann (host)") && !open.contains("bob (host)"))
    #expect(open.contains("2 of 4 seats free"))
    party.state = "cancelled"
    #expect(!PartyTable.lines(party, clock).joined().contains("free"))
  }

  // MARK: - C14

  @Test func tablesFitTheTerminal() {
    var table = TextTable([("id", .left), ("n", .right), ("name", .left)])
    table.append(["short", "1234567890", String(repeating: "가나", count: 40)])
    #expect(table.lines[1].contains(String(repeating: "가나", count: 40)))
    for columns in [30, 40, 80] {
      let lines = table.lines(fitting: columns)
      #expect(lines.allSatisfy { DisplayWidth.of($0) <= columns }, "\(lines)")
      #expect(lines[1].contains("1234567890") && lines[1].hasSuffix("…"))
    }
  }

  @Test func oneGrammarOfOptions() throws {
    for option in ["--within", "--polygon"] {
      let nearby = try NearbyCommand.parse(["--layer", "l", "--at", "1,2", option, "f"])
      #expect(nearby.within == "f")
      #expect(try WithinCommand.parse(["--layer", "l", option, "f"]).polygon == "f")
    }
    for option in ["--at", "--time"] {
      #expect(try TariffsCommand.parse([option, "2026-01-01T00:00Z"]).at != nil)
    }
    for address in ["127.0.0.1:8080", "http://127.0.0.1:8080"] {
      let options = try ConnectionOptions.parse(["--url", address])
      #expect(try options.endpoint(environment: [:]) == .http("http://127.0.0.1:8080"))
    }
    for address in ["127.0.0.1:50051", "grpc://127.0.0.1:50051", "http://127.0.0.1:50051"] {
      let options = try ConnectionOptions.parse(["--grpc", address])
      #expect(try options.endpoint(environment: [:]) == .grpc(host: "127.0.0.1", port: 50_051))
    }
    #expect(MoyeoCommand.configuration.version == "moyeo 0.1.0")
  }
}
