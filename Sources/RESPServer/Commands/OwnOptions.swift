import LiveLayers
import ObjectModel
import SpatialIndexing

/// Reads the options that this service has beyond Redis: TAGS, WHERE and MAXAGE of searches; EX, TAGS
/// and ATTR of GEOADD.
struct OwnOptions {
  private let words: CommandWords
  private let limits: LayerLimits
  /// The word that is read next.
  private(set) var position: Int

  init(_ words: CommandWords, at position: Int, limits: LayerLimits) {
    self.words = words
    self.position = position
    self.limits = limits
  }

  /// What GEOADD gives all members of the command.
  struct Report {
    var ttlMilliseconds: Int64 = 0
    var tags: [String] = []
    var attributes: [UInt8] = []
  }

  /// Reads an option of GEOADD. - Returns: Whether there is one.
  mutating func readReportOption(into report: inout Report) throws(CommandRefusal) -> Bool {
    if words.isOption(position, "ex"), position + 1 < words.count {
      report.ttlMilliseconds = try ttlMilliseconds(position + 1)
      position += 2
    } else if words.isOption(position, "tags"), position + 1 < words.count {
      report.tags = try tags()
    } else if words.isOption(position, "attr"), position + 1 < words.count {
      report.attributes = try attributes(position + 1)
      position += 2
    } else {
      return false
    }
    return true
  }

  /// Reads an option of a search. - Returns: Whether there is one.
  mutating func readSearchOption(into filter: inout ObjectFilter) throws(CommandRefusal) -> Bool {
    if words.isOption(position, "tags"), position + 1 < words.count {
      for tag in try tags() where !filter.tags.contains(tag) { filter.tags.append(tag) }
      guard filter.tags.count <= limits.tagsPerObject else {
        throw CommandRefusal("ERR TAGS takes at most \(limits.tagsPerObject) tags")
      }
    } else if words.isOption(position, "where"), position + 1 < words.count {
      guard filter.conditions.count < limits.conditions else {
        throw CommandRefusal("ERR a search takes at most \(limits.conditions) WHERE conditions")
      }
      filter.conditions.append(try condition())
    } else if words.isOption(position, "maxage"), position + 1 < words.count {
      guard let seconds = words.double(position + 1), seconds >= 0 else {
        throw CommandRefusal("ERR MAXAGE takes a number of seconds, 0 or more")
      }
      filter.maximumAgeMilliseconds = Int64(min(seconds, 1e12) * 1000)
      position += 2
    } else {
      return false
    }
    return true
  }

  /// Returns what refuses a word that is no option: by its name if it resembles one of ours, else as
  /// Redis does.
  static func refusal(
    of words: CommandWords, _ index: Int, among names: [String]
  ) -> CommandRefusal {
    let word = words[index].prefix(64).map { $0 & 0xDF }
    guard let meant = names.first(where: { word.starts(with: $0.utf8.prefix(3)) }) else {
      return .syntax
    }
    return CommandRefusal(
      "ERR syntax error at '\(String(words.text(index).prefix(64)))': \(meant) takes what "
        + "docs/redis.md says")
  }

  private func ttlMilliseconds(_ index: Int) throws(CommandRefusal) -> Int64 {
    let shortest = limits.minimumTTLMilliseconds
    let longest = limits.maximumTTLMilliseconds
    guard let seconds = words.double(index), seconds * 1000 >= Double(shortest),
      seconds * 1000 <= Double(longest)
    else {
      throw CommandRefusal("ERR EX takes \(shortest / 1000) to \(longest / 1000) seconds")
    }
    return Int64((seconds * 1000).rounded())
  }

  /// Reads `TAGS n tag…`. - Returns: The normalised tags, each once.
  private mutating func tags() throws(CommandRefusal) -> [String] {
    guard let count = words.integer(position + 1), count > 0,
      count <= Int64(limits.tagsAsSent)
    else {
      throw CommandRefusal(
        "ERR TAGS takes the number of tags, 1 to \(limits.tagsAsSent), and then the tags")
    }
    let first = position + 2
    let end = first + Int(count)
    guard end <= words.count else {
      throw CommandRefusal("ERR TAGS \(count) is followed by \(words.count - first) words only")
    }
    var out: [String] = []
    for i in first..<end {
      let word = words[i]
      guard word.count <= limits.tagBytes * 16, let text = String(validating: word, as: UTF8.self)
      else { throw badTag }
      let tag = TagNormalization.normalize(text)
      guard !tag.isEmpty, tag.utf8.count <= limits.tagBytes else { throw badTag }
      if !out.contains(tag) { out.append(tag) }
    }
    guard out.count <= limits.tagsPerObject else {
      throw CommandRefusal("ERR TAGS takes at most \(limits.tagsPerObject) tags")
    }
    position = end
    return out
  }

  private var badTag: CommandRefusal {
    CommandRefusal("ERR a tag is UTF-8 text of 1 to \(limits.tagBytes) bytes")
  }

  private func attributes(_ index: Int) throws(CommandRefusal) -> [UInt8] {
    guard words[index].count <= 4 * limits.attributeBytes + 64 else { throw tooManyAttributes }
    var reader = FlatJSON(words[index])
    guard let found = reader.object() else {
      throw CommandRefusal(
        "ERR ATTR takes a JSON object of strings, numbers, true and false, without repeated names")
    }
    let encoded = AttributeEncoding.encode(found)
    guard encoded.count <= limits.attributeBytes else { throw tooManyAttributes }
    return encoded
  }

  private var tooManyAttributes: CommandRefusal {
    CommandRefusal("ERR attributes have at most \(limits.attributeBytes) bytes")
  }

  /// Reads `WHERE attribute EQ value` or `WHERE attribute RANGE minimum maximum`.
  private mutating func condition() throws(CommandRefusal) -> AttributeCondition {
    let usage = CommandRefusal(
      "ERR WHERE takes: attribute EQ value, or attribute RANGE minimum maximum")
    guard let name = words.id(position + 1), position + 3 < words.count else { throw usage }
    let attribute = CanonicalText.normalize(name)
    if words.isOption(position + 2, "eq") {
      let test = AttributeCondition.Test.equals(try value(position + 3))
      position += 4
      return AttributeCondition(attribute: attribute, test: test)
    }
    guard words.isOption(position + 2, "range"), position + 4 < words.count,
      let minimum = words.double(position + 3), let maximum = words.double(position + 4)
    else { throw usage }
    position += 5
    return AttributeCondition(
      attribute: attribute, test: .range(minimum: minimum, maximum: maximum))
  }

  /// Reads a number, true, false, a JSON string, or else the text as it stands.
  private func value(_ index: Int) throws(CommandRefusal) -> AttributeValue {
    if let number = words.double(index) { return .number(number) }
    guard let text = words.id(index) else {
      throw CommandRefusal("ERR WHERE compares with UTF-8 text")
    }
    if text == "true" || text == "false" { return .bool(text == "true") }
    var reader = FlatJSON(words[index])
    if let string = reader.onlyString() { return .string(CanonicalText.normalize(string)) }
    return .string(CanonicalText.normalize(text))
  }
}
