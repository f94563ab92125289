import ArgumentParser
import MoyeoAPI

/// Which objects are meant, the same for nearby and within.
struct FilterOptions: ParsableArguments {
  @Option(help: "The layer to ask.")
  var layer: String

  @Option(help: ArgumentHelp("Tags to carry, divided by commas; repeatable.", valueName: "tags"))
  var tags: [String] = []

  @Flag(help: "Any of the tags suffices.")
  var any = false

  @Option(help: ArgumentHelp("Tags not to carry.", valueName: "tags"))
  var notTags: [String] = []

  @Option(
    name: .customLong("where"),
    help: ArgumentHelp(
      "Condition on an attribute: level=5, gender=female, level:1..3, level>=2; repeatable.",
      valueName: "condition"))
  var conditions: [ConditionText] = []

  @Option(help: ArgumentHelp("Oldest observation to show.", valueName: "seconds"))
  var maxAge: Double?

  @Option(help: ArgumentHelp("Ids to leave out, divided by commas; repeatable.", valueName: "ids"))
  var exclude: [String] = []

  @Option(help: "Hits a page, 1-1000.")
  var limit: Int = 20

  @Option(help: "Go on behind an earlier page.")
  var cursor: String?

  @Flag(help: "Follow every page to the end.")
  var allPages = false

  @Option(help: ArgumentHelp("Wait for this version of the layer first.", valueName: "version"))
  var minVersion: String?

  static func list(_ options: [String]) -> [String] {
    options.flatMap { $0.split(separator: ",").map { String($0).trimmed } }.filter { !$0.isEmpty }
  }

  func validate() throws {
    guard (1...1000).contains(limit) else { throw ValidationError("--limit is 1 to 1000") }
  }
}
