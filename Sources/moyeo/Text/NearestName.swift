/// The name that somebody may have meant.
enum NearestName {
  /// The known name with the fewest edits, when these are few for its length; one that ends in what
  /// was typed after a dot (`kr-seoul` or `kr.seoul` for `seoul`) comes first.
  static func of(_ typed: String, in known: [String]) -> String? {
    let wanted = typed.lowercased()
    let parts = known.filter { name in
      name.lowercased().split { !$0.isLetter && !$0.isNumber }.contains { $0 == wanted }
    }
    if let part = parts.min() { return part }
    let ranked = known.map { (edits: edits(wanted, $0.lowercased()), name: $0) }
    guard let best = ranked.min(by: { ($0.edits, $0.name) < ($1.edits, $1.name) }),
      best.edits <= max(2, best.name.count / 4)
    else { return nil }
    return best.name
  }

  /// A sentence about a name that is not known.
  static func refusal(_ what: String, _ typed: String, known: [String]) -> String {
    let nearest = of(typed, in: known).map { "; did you mean \($0)?" } ?? ""
    return "there is no \(what) \(excerpt(typed))\(nearest)"
      + (known.isEmpty ? "" : " (there are \(known.sorted().joined(separator: ", ")))")
  }

  /// Insertions, deletions and changes between two texts (Levenshtein's distance).
  static func edits(_ first: String, _ second: String) -> Int {
    let second = Array(second)
    var row = Array(0...second.count)
    for (i, character) in first.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for j in second.indices {
        let change = diagonal + (character == second[j] ? 0 : 1)
        diagonal = row[j + 1]
        row[j + 1] = min(change, row[j] + 1, diagonal + 1)
      }
    }
    return row[second.count]
  }
}
