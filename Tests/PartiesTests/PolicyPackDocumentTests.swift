import TestSupport
import Foundation
import RideMatching
import Testing

@testable import FareEstimation
@testable import Parties

@Suite struct PolicyPackDocumentTests {
  private static let directory = FareFixtures.checkout + "/data/policies"

  private func document() throws -> String {
    try String(contentsOfFile: Self.directory + "/kr-small-taxi.json", encoding: .utf8)
  }

  private func problem(of text: String) -> String? {
    do throws(FileProblem) {
      _ = try PolicyPackDocument.read(Data(text.utf8), file: "x.json")
      return nil
    } catch {
      return error.description
    }
  }

  /// What is wrong with the shipped document after a replacement.
  private func problem(_ old: String, _ new: String) throws -> String? {
    let text = try document()
    let range = try #require(text.range(of: old))
    return problem(of: text.replacingCharacters(in: range, with: new))
  }

  @Test func theShippedFileIsTheBuiltInPack() throws {
    let packs = try PolicyPackDocument.load(directories: [Self.directory])
    #expect(packs == [.koreanSmallTaxi])
    #expect(packs.first?.policy.pack == "kr-small-taxi")
    #expect(packs.first?.policy.sameAttributes == ["gender"])
  }

  @Test func everyFieldIsRead() throws {
    let text = """
      {"name": "quiet", "source": "the house", "sameAttributes": ["a", "b"], "maxWalkMeters": 12.5,
       "maxDetourRatio": 0.25, "maxDetourSeconds": 60, "minSharedRatio": 1,
       "seats": {"minimum": 3, "maximum": 3}}
      """
    let pack = try PolicyPackDocument.read(Data(text.utf8), file: "x.json")
    let policy = RidePolicy(
      sameAttributes: ["a", "b"], maxWalkMeters: 12.5, maxDetourRatio: 0.25, maxDetourSeconds: 60,
      minSharedRatio: 1)
    let wanted = try PolicyPack(name: "quiet", policy: policy, seats: 3...3, source: "the house")
    #expect(pack == wanted)
  }

  @Test func theMessagesSayFilePathAndWhat() throws {
    #expect(try problem("0.7", "0.7") == nil)
    #expect(
      try problem("maxWalkMeters", "maxWalkMetres")?
        .hasPrefix("x.json: maxWalkMetres: is not a field; known are ") == true)
    #expect(
      try problem("\"maximum\"", "\"most\": 3, \"maximum\"")
        == "x.json: seats.most: is not a field; known are maximum, minimum")
    #expect(try problem("0.7", "1.5") == "x.json: minSharedRatio: must be 0-1, is 1.5")
    #expect(try problem("0.7", "-0.1") == "x.json: minSharedRatio: must be 0-1, is -0.1")
    #expect(
      try problem("0.7", "\"0.7\"") == "x.json: minSharedRatio: must be a number, is a string")
    #expect(
      try problem("1000", "-1")
        == "x.json: maxWalkMeters: must be a number from 0 on, is -1.0")
    #expect(
      try problem("900", "-900")
        == "x.json: maxDetourSeconds: must be a number from 0 on, is -900.0")
    #expect(
      try problem("\"minimum\": 2", "\"minimum\": 0") == "x.json: seats.minimum: must be 1-8, is 0")
    #expect(
      try problem("\"maximum\": 4", "\"maximum\": 1") == "x.json: seats.maximum: must be 2-8, is 1")
    #expect(
      try problem("\"maximum\": 4", "\"maximum\": 9") == "x.json: seats.maximum: must be 2-8, is 9")
    #expect(
      try problem("\"maximum\": 4", "\"maximum\": 2.5")
        == "x.json: seats.maximum: must be a whole number, is 2.5")
    #expect(
      try problem("[\"gender\"]", "\"gender\"")
        == "x.json: sameAttributes: must be a list, is a string")
    #expect(
      try problem("[\"gender\"]", "[\"gender\", 1]")
        == "x.json: sameAttributes[1]: must be a string, is a number")
    #expect(
      try problem("[\"gender\"]", "[\"gender\", \"gender\"]")
        == "x.json: sameAttributes: must not repeat a name")
    #expect(
      try problem("[\"gender\"]", "[\"\"]")
        == "x.json: sameAttributes: must have 1-64 bytes each")
    #expect(try problem("\"kr-small-taxi\"", "\"\"") == "x.json: name: must have 1-64 bytes")
    #expect(try problem("\"name\"", "\"nam\"") == "x.json: name: is missing")
    #expect(problem(of: "[]") == "x.json: must be an object, is a list")
    #expect(problem(of: "{")?.hasPrefix("x.json: not JSON: ") == true)
    #expect(problem(of: #"{"name": "a", "source": "b"}"#) == "x.json: has no rule")
    #expect(
      problem(of: #"{"name": "a", "source": "", "maxWalkMeters": 1}"#)
        == "x.json: source: must say where the rules come from")
  }

  @Test func aLaterDirectoryReplacesAndOneDirectoryDoesNot() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("policies-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    func write(_ file: String, _ text: String) {
      _ = FileManager.default.createFile(
        atPath: "\(folder)/\(file)", contents: Data(text.utf8))
    }
    write("a.json", #"{"name": "kr-small-taxi", "source": "x", "maxWalkMeters": 5}"#)
    write("README.md", "no pack")
    let packs = try PolicyPackDocument.load(directories: [Self.directory, folder])
    #expect(packs.map(\.name) == ["kr-small-taxi"])
    #expect(packs.first?.policy.maxWalkMeters == 5)
    #expect(packs.first?.policy.sameAttributes == [])

    write("b.json", #"{"name": "kr-small-taxi", "source": "x", "maxWalkMeters": 6}"#)
    write("c.json", #"{"name": "c", "source": "x", "minSharedRatio": 2}"#)
    do throws(PolicyLoadError) {
      _ = try PolicyPackDocument.load(directories: [folder, folder + "/nowhere"])
      Issue.record("bad files were taken")
    } catch {
      #expect(
        error.problems.map(\.description) == [
          "\(folder)/b.json: name: \(folder)/a.json has the same name",
          "\(folder)/c.json: minSharedRatio: must be 0-1, is 2.0",
          "\(folder)/nowhere: cannot be read as a directory",
        ])
    }
  }
}
