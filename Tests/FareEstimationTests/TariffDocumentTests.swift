import TestSupport
import Foundation
import ObjectModel
import TaxiFares
import Testing

@testable import WireFormat
@testable import FareEstimation

@Suite struct TariffDocumentTests {
  private func document() throws -> String {
    try String(
      contentsOfFile: FareFixtures.checkout + "/data/tariffs/kr-seoul-medium.2023-02-01.json",
      encoding: .utf8)
  }

  /// What is wrong with the Seoul document after a replacement.
  private func problem(_ old: String, _ new: String) throws -> String? {
    let text = try document()
    try #require(text.contains(old))
    let range = try #require(text.range(of: old))
    let changed = text.replacingCharacters(in: range, with: new)
    do throws(FileProblem) {
      _ = try TariffDocument.read(Data(changed.utf8), file: "x.json")
      return nil
    } catch {
      return error.description
    }
  }

  @Test func theMessagesSayFilePathAndWhat() throws {
    #expect(try problem("\"amount\": 4800", "\"amount\": 4800") == nil)
    #expect(
      try problem("\"amount\": 4800", "\"amount\": \"4800\"")
        == "x.json: base.amount: must be a number, is a string")
    #expect(
      try problem("\"amount\": 4800", "\"amount\": 4800.5")
        == "x.json: base.amount: must be a whole number, is 4800.5")
    #expect(
      try problem("\"amount\": 4800", "\"amount\": -1")
        == "x.json: base.amount: must be 0-1,000,000,000, is -1")
    #expect(
      try problem("\"seconds\": 30", "\"second\": 30") == "x.json: step.seconds: is missing")
    #expect(
      try problem("\"areaDefault\": true", "\"areaDefualt\": true")?
        .hasPrefix("x.json: areaDefualt: is not a field; known are ") == true)
    #expect(
      try problem("\"from\": \"22:00\"", "\"from\": \"22\"")
        == "x.json: surcharges[0].bands[0].from: must be a time like 22:00, is \"22\"")
    #expect(
      try problem("\"rule\": \"add\"", "\"rule\": \"multiply\"")
        == "x.json: stacking.rule: must be one of add, highest, is \"multiply\"")
    #expect(
      try problem("\"Asia/Seoul\"", "\"Asia/Seol\"")
        == "x.json: timeZone: no such time zone: \"Asia/Seol\"")
    #expect(
      try problem("2023-02-01T04:00:00+09:00", "2023-02-30T04:00:00+09:00")?
        .hasPrefix("x.json: effective: must be a moment like") == true)
    #expect(
      try problem("\"baseRounding\"\n", "\"baseRoundin\"\n")
        == "x.json: unverified[0]: the document has no field \"baseRoundin\"")
    #expect(
      try problem("\"verified\": false", "\"verified\": true")
        == "x.json: verified: is true, but unverified names 1 fields")
    #expect(
      try problem("\"new-york-2013\"", "\"mars\"")
        == "x.json: slowTimeModel: no model \"mars\"; known are new-york-2013")
    #expect(try problem("{", "[")?.hasPrefix("x.json: not JSON: ") == true)
  }

  @Test func aMomentWithoutAnOffsetIsLocal() throws {
    let text = try document().replacingOccurrences(
      of: "2023-02-01T04:00:00+09:00", with: "2023-02-01T04:00")
    let tariff = try TariffDocument.read(Data(text.utf8), file: "x.json")
    #expect(tariff.effective == FareFixtures.instant("2023-02-01T04:00:00+09:00"))
  }

  @Test func weekdaysPercentagesAndModelsAreRead() throws {
    let text = try document()
      .replacingOccurrences(
        of: "\"percent\": 20,", with: "\"percent\": 12.25,"
      )
      .replacingOccurrences(
        of: "\"slowTimeModel\": \"new-york-2013\"",
        with: """
          "slowTimeModel": {"name": "mine", "slowSpeedRatio": 0.4, "rows": [
            {"speedRatio": 1, "low": 1.3, "expected": 1.4, "high": 1.5},
            {"speedRatio": 5, "low": 5, "expected": 5, "high": 5.1}]}
          """
      )
      .replacingOccurrences(of: "\"to\": \"23:00\"", with: "\"to\": \"23:00\", \"days\": [\"sat\"]")
    let content = try TariffDocument.read(Data(text.utf8), file: "x.json").content
    #expect(content.surcharges[0].price == .hundredths(1225))
    #expect(content.surcharges[0].bands[0].weekdays == 0b010_0000)
    #expect(content.slowTimeModel.name == "mine")
  }

  @Test func directoriesAreReadWhole() throws {
    let directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("moyeo-fares-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    func put(_ name: String, _ text: String) throws {
      try text.write(toFile: directory + "/" + name, atomically: true, encoding: .utf8)
    }
    func problems() -> [FileProblem] {
      do throws(TariffLoadError) {
        _ = try TariffLibrary.load(
          tariffDirectories: [FareFixtures.checkout + "/data/tariffs", directory],
          areaDirectories: [])
        return []
      } catch {
        return error.problems
      }
    }
    // A file of one's own, in an area of one's own.
    let mine = try document()
      .replacingOccurrences(of: "kr-seoul-medium", with: "kr-mine")
      .replacingOccurrences(of: "\"kr-seoul\"", with: "\"kr-mine\"")
    try put("mine.json", mine)
    #expect(problems().isEmpty)
    // The same again, and one that is broken: both are named.
    try put("mine-again.json", mine)
    try put("broken.json", "{")
    let two = problems()
    #expect(two.count == 2)
    #expect(two.contains { $0.file.hasSuffix("broken.json") && $0.message.hasPrefix("not JSON") })
    #expect(two.contains { $0.path == "effective" && $0.message.contains("mine") })
    // Another id for a class that has a tariff already.
    try FileManager.default.removeItem(atPath: directory + "/mine-again.json")
    try FileManager.default.removeItem(atPath: directory + "/broken.json")
    try put("rival.json", try document().replacingOccurrences(of: "seoul-medium", with: "rival"))
    let rival = problems()
    #expect(rival.count == 1)
    #expect(rival[0].message.contains("kr-rival and kr-seoul-medium price the same class"))
  }

  @Test func missingDirectoriesAreNamed() {
    #expect(throws: TariffLoadError.self) {
      try TariffLibrary.load(tariffDirectories: ["/nowhere"], areaDirectories: [])
    }
  }

  @Test(arguments: [
    ("2026-11-20T23:10+09:00", 1_795_183_800_000), ("2026-11-20T14:10:00Z", 1_795_183_800_000),
    ("2026-11-20t14:10:00.25z", 1_795_183_800_250), ("1969-12-31T23:59:59Z", -1000),
    ("2024-02-29T00:00:00Z", 1_709_164_800_000),
  ])
  func momentsAreParsed(text: String, milliseconds: Int64) {
    #expect(LocalInstant.parse(text, in: nil)?.milliseconds == milliseconds)
  }

  @Test(arguments: [
    "", "2026-11-20", "2026-13-01T00:00:00Z", "2025-02-29T00:00:00Z", "2026-11-20T24:00:00Z",
    "2026-11-20T14:10:00", "2026-11-20T14:10:00+9", "2026-11-20T14:10:00Zx", "nonsense",
  ])
  func badMomentsAreNot(text: String) {
    #expect(LocalInstant.parse(text, in: nil) == nil)
  }

  @Test func localTimesAroundDaylightSaving() throws {
    let zone = try #require(UTCOffsets.timeZone("America/New_York"))
    func utc(_ text: String) -> String? { LocalInstant.parse(text, in: zone).map(RFC3339.utc) }
    #expect(utc("2025-03-09T01:59:59") == "2025-03-09T06:59:59Z")
    #expect(utc("2025-03-09T03:00:00") == "2025-03-09T07:00:00Z")
    // Skipped: as if clocks had not been changed.
    #expect(utc("2025-03-09T02:30:00") == "2025-03-09T07:30:00Z")
    // Twice: the first.
    #expect(utc("2025-11-02T01:30:00") == "2025-11-02T05:30:00Z")
    #expect(utc("2025-11-02T02:00:00") == "2025-11-02T07:00:00Z")
    #expect(
      UTCOffsets.timeZone("Asia/Seoul")?.seconds(at: Instant(seconds: 1_700_000_000)) == 32_400)
    #expect(UTCOffsets.timeZone("Mars/Olympus") == nil)
  }
}
