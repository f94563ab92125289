package import Foundation
package import RideMatching
package import FareEstimation

/// Reads a policy pack's JSON document (the fields are listed in `data/README.md`).
package enum PolicyPackDocument {
  /// Reads one pack, which must have at least one rule.
  ///
  /// - Parameters:
  ///   - data: The document, JSON.
  ///   - file: The file's name, for messages.
  /// - Returns: The pack.
  /// - Throws: ``FileProblem`` with file, JSON path and what is wrong.
  package static func read(_ data: Data, file: String) throws(FileProblem) -> PolicyPack {
    var reader = try JSONObjectReader(try JSONTree.parse(data, file: file), file: file)
    let name = try reader.string("name")
    let source = try reader.string("source")
    if source.isEmpty { throw reader.problem("source", "must say where the rules come from") }
    let policy = RidePolicy(
      sameAttributes: try reader.strings("sameAttributes"),
      maxWalkMeters: try reader.optionalNumber("maxWalkMeters"),
      maxDetourRatio: try reader.optionalNumber("maxDetourRatio"),
      maxDetourSeconds: try reader.optionalNumber("maxDetourSeconds"),
      minSharedRatio: try reader.optionalNumber("minSharedRatio"))
    let seats = try seats(&reader)
    try reader.finish()
    // Whoever names a pack trusts that it asks for something.
    guard policy != .none || seats != nil else {
      throw FileProblem(file: file, path: "", message: "has no rule")
    }
    do throws(PolicyProblem) {
      return try PolicyPack(name: name, policy: policy, seats: seats, source: source)
    } catch {
      throw FileProblem(file: file, path: error.field, message: error.message)
    }
  }

  /// Reads every `.json` file of the directories, in the order of their names; subdirectories are
  /// not entered.
  ///
  /// - Parameter directories: Each must exist; a later one's pack replaces an earlier one's of the
  ///   same name, in one directory a name stands once.
  /// - Returns: The packs, each name once.
  /// - Throws: ``PolicyLoadError`` with every problem of every file.
  package static func load(directories: [String]) throws(PolicyLoadError) -> [PolicyPack] {
    try NamedDocuments.load(directories: directories, name: \.name) {
      data, file throws(FileProblem) in try read(data, file: file)
    }
  }

  private static func seats(
    _ reader: inout JSONObjectReader
  ) throws(FileProblem) -> ClosedRange<Int>? {
    guard var range = try reader.optionalObject("seats") else { return nil }
    let most = Int64(PartyConfiguration.maximumSeatsOfTaxi)
    func bound(
      _ name: String, _ allowed: ClosedRange<Int64>
    ) throws(FileProblem) -> Int64 {
      let value = try range.integer(name)
      guard allowed.contains(value) else {
        throw range.problem(
          name, "must be \(allowed.lowerBound)-\(allowed.upperBound), is \(value)")
      }
      return value
    }
    let minimum = try bound("minimum", 1...most)
    let maximum = try bound("maximum", minimum...most)
    try range.finish()
    return Int(minimum)...Int(maximum)
  }
}

/// Everything that is wrong with the files of policy packs, or of calendars.
package struct PolicyLoadError: Error, Hashable, Sendable, CustomStringConvertible {
  package let problems: [FileProblem]

  package init(problems: [FileProblem]) { self.problems = problems }

  package var description: String { problems.map(\.description).joined(separator: "\n") }
}
