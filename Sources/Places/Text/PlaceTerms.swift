/// Which terms a place has in the text index, and which terms a query looks for.
///
/// A term is a mark and letters, cut off after ``length`` of them:
/// ```
/// p  the name                             w  what begins at a word of a name
/// i  the initials of a name               j  what begins at a later word of them
/// a  what begins at a word of the address
/// t  a name, or what begins at a word of it, whole and without one letter or one character
/// x  the initials of a name, whole and without one of them
/// ```
/// Two texts that are one typing error apart have a form in common once each may lose a letter (the
/// neighbourhood of deletions: T. Bocek, E. Hunt, B. Stiller, "Fast similarity search in large
/// dictionaries", 2007); so a misspelt query finds its place among few candidates.
enum PlaceTerms {
  /// Letters of a term without its mark.
  static let length = 24
  /// Letters of a variant.
  static let variantLength = 12
  /// A character that begins before this letter is left out of some variant: one that is exchanged
  /// with a neighbour that begins within ``variantLength``, of five letters at most, does.
  private static let lastCharacterStart = variantLength + 5

  static func terms(of keys: PlaceKeys) -> PlaceTermList {
    var names = TermSet()
    var variants = TermSet()
    for name in keys.names {
      names.insert("p", name.letters[...], length)
      for start in name.wordStarts { names.insert("w", name.letters[start...], length) }
      names.insert("i", name.initials[...], length)
      for start in name.initialWordStarts.dropFirst() {
        names.insert("j", name.initials[start...], length)
      }
      for start in name.wordStarts.prefix(MatchQuality.wordsWithErrors) {
        let first = name.characterStarts.firstIndex(of: start) ?? 0
        for form in forms(of: name, fromCharacter: first) {
          variants.insert("t", form[...], variantLength)
        }
      }
      for form in lettersWithoutOne(name.initials[...]) {
        variants.insert("x", form[...], variantLength)
      }
    }
    if let address = keys.address {
      for start in address.wordStarts { names.insert("a", address.letters[start...], length) }
    }
    return PlaceTermList(names: names.terms, variants: variants.terms)
  }

  /// A step of a search.
  struct Step {
    let query: PlaceTextQuery
    /// The worst quality of what it is to find.
    let quality: MatchQuality
    /// Queries that each find all of it, and cost less where they find little; asked first.
    var supersets: [PlaceTextQuery] = []
    /// Whether all matches of the quality are found once this step and those before it are done.
    var completes = true
  }

  /// The steps of a search, the best matches first.
  static func steps(for query: PlaceQuery) -> [Step] {
    let letters = query.text.letters[...]
    let isOneWord = query.words.count == 1
    func names(_ groups: [[PlaceTextQuery.Term]]) -> PlaceTextQuery {
      PlaceTextQuery(groups.map { .init(.names, $0) })
    }
    var steps = [
      Step(query: names([[term("p", letters, isPrefix: false)]]), quality: .exact),
      Step(query: names([[term("p", letters)]]), quality: .prefix),
      Step(query: names([[term("w", letters)]]), quality: .words, completes: isOneWord),
    ]
    if !isOneWord {
      steps.append(Step(query: names(query.words.map { [term("w", $0)] }), quality: .words))
    }
    if query.text.isInitials {
      steps += [
        Step(query: names([[term("i", letters, isPrefix: false)]]), quality: .initials),
        Step(query: names([[term("i", letters)]]), quality: .initialsPrefix),
        Step(query: names([[term("j", letters)]]), quality: .initialsWords),
      ]
    }
    if !isOneWord {
      let words = query.words.map { [term("a", $0), term("w", $0)] }
      steps.append(Step(query: names(words), quality: .address, completes: false))
    }
    steps.append(Step(query: names([[term("a", letters)]]), quality: .address))
    return steps + (query.text.isInitials ? initialErrorSteps(letters) : errorSteps(query))
  }

  private static func initialErrorSteps(_ letters: ArraySlice<UInt16>) -> [Step] {
    guard letters.count >= OneEdit.fewestInitials else { return [] }
    let terms = shortest(lettersWithoutOne(letters)).map { term("x", $0) }
    return [Step(query: PlaceTextQuery([.init(.variants, terms)]), quality: .initialsTypoPrefix)]
  }

  /// The whole query with an error, then each of several words with one and the others without.
  private static func errorSteps(_ query: PlaceQuery) -> [Step] {
    let text = query.text
    guard text.letters.count >= OneEdit.fewestLetters else { return [] }
    var forms = lettersWithoutOne(text.letters[...])
    if text.characterStarts.count >= OneEdit.fewestLetters {
      forms += charactersWithoutOne(text, fromCharacter: 0)
    }
    let whole = PlaceTextQuery([.init(.variants, shortest(forms).map { term("t", $0) })])
    var steps = [Step(query: whole, quality: .typoPrefix, completes: false)]
    if query.words.count > 1 {
      for word in query.words where word.count >= OneEdit.fewestLetters {
        let variants = shortest(lettersWithoutOne(word)).map { term("t", $0) }
        let wrong = PlaceTextQuery.Group(.variants, variants)
        let others = query.words.filter { $0 != word }
          .map { PlaceTextQuery.Group(.names, [term("w", $0)]) }
        steps.append(
          Step(
            query: PlaceTextQuery([wrong] + others), quality: .typoPrefix,
            supersets: [PlaceTextQuery(others), PlaceTextQuery([wrong])], completes: false))
      }
    }
    steps[steps.count - 1].completes = true
    return steps
  }

  // MARK: - Forms

  /// The forms of a name from one of its words on.
  private static func forms(of name: FoldedText, fromCharacter first: Int) -> [[UInt16]] {
    lettersWithoutOne(name.letters[name.characterStarts[first]...])
      + charactersWithoutOne(name, fromCharacter: first)
  }

  /// The beginning of a text, whole and without each of its letters.
  private static func lettersWithoutOne(_ letters: ArraySlice<UInt16>) -> [[UInt16]] {
    let beginning = Array(letters.prefix(variantLength + 1))
    return [Array(beginning.prefix(variantLength))]
      + beginning.indices.map { i in Array(beginning[..<i] + beginning[(i + 1)...]) }
  }

  /// The beginning of a text without each of its characters that have several letters, and of their
  /// neighbours.
  private static func charactersWithoutOne(
    _ text: FoldedText, fromCharacter first: Int
  ) -> [[UInt16]] {
    let start = text.characterStarts[first]
    let rest = text.characterStarts[first...]
    // Where each character is one letter, the forms without a letter are the same.
    guard text.letters.count - start > rest.count else { return [] }
    return rest.indices.prefix { text.characterStarts[$0] - start < lastCharacterStart }.map { i in
      let before = text.letters[start..<text.characterStarts[i]]
      let after = text.letters[text.characterEnd(i)...]
      return Array((before + after).prefix(variantLength))
    }
  }

  /// Forms without those that another one is a beginning of: it finds as much.
  private static func shortest(_ forms: [[UInt16]]) -> [ArraySlice<UInt16>] {
    var kept: [[UInt16]] = []
    for form in forms.sorted(by: { $0.count < $1.count }) where !form.isEmpty {
      if !kept.contains(where: { form.starts(with: $0) }) { kept.append(form) }
    }
    return kept.map { $0[...] }
  }

  private static func term(
    _ mark: Character, _ letters: ArraySlice<UInt16>, isPrefix: Bool = true
  ) -> PlaceTextQuery.Term {
    let cut = mark == "t" || mark == "x" ? variantLength : length
    return PlaceTextQuery.Term(TermSet.term(mark, letters, cut), isPrefix: isPrefix)
  }
}

/// Terms, each once, in the order in which they came.
private struct TermSet {
  private(set) var terms: [String] = []
  private var known: Set<String> = []

  mutating func insert(_ mark: Character, _ letters: ArraySlice<UInt16>, _ length: Int) {
    guard !letters.isEmpty else { return }
    let term = Self.term(mark, letters, length)
    if known.insert(term).inserted { terms.append(term) }
  }

  /// A pair of surrogates that is cut in two loses its half on both sides alike.
  static func term(_ mark: Character, _ letters: ArraySlice<UInt16>, _ length: Int) -> String {
    var cut = letters.prefix(length)
    if let last = cut.last, UTF16.isLeadSurrogate(last) { cut.removeLast() }
    return String(mark) + String(decoding: cut, as: UTF16.self)
  }
}
