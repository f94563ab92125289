/// Which terms a place has in the index, and what a query looks for, best matches first.
///
/// Of names, what begins at each word, initials and addresses stand whole in the index as far as a
/// term goes (``PackedTerm``); errors are looked for by ``PlaceErrorWalk`` among the same terms, and
/// need none of their own but what follows the first character of a word.
enum PlaceTerms {
  /// The terms of a place; some may be there twice.
  ///
  /// - Complexity: O(words of its names and its address).
  static func terms(of keys: PlaceKeys) -> [UInt128] {
    var terms: [UInt128] = []
    for name in keys.names {
      terms.append(PackedTerm.pack(.name, name.letters))
      for start in name.wordStarts { terms.append(PackedTerm.pack(.word, name.letters[start...])) }
      terms.append(PackedTerm.pack(.initials, name.initials))
      for start in name.initialWordStarts.dropFirst() {
        terms.append(PackedTerm.pack(.laterInitials, name.initials[start...]))
      }
      if name.initialWordStarts.count > 1 {
        terms.append(PackedTerm.pack(.firstWord, name.word(0)))
        terms.append(PackedTerm.pack(.firstWord, name.initialsOfFirstWord))
      }
      for start in name.initialWordStarts.prefix(MatchQuality.wordsWithErrors) {
        let rest = name.letters[name.characterEnd(start)...]
        if !rest.isEmpty { terms.append(PackedTerm.pack(.rest, rest)) }
      }
    }
    if let address = keys.address {
      for start in address.wordStarts {
        terms.append(PackedTerm.pack(.address, address.letters[start...]))
      }
    }
    return terms
  }

  /// What a step looks for.
  enum Lookup {
    /// Places with a term of each group.
    case terms([[PackedTermRange]])
    /// Places with a term that has an error, and with a term of each group.
    case error(PlaceTermError, others: [[PackedTermRange]])
  }

  /// A step of a search.
  struct Step {
    let lookup: Lookup
    /// The worst quality of what it is to find.
    let quality: MatchQuality
    /// Whether all matches of the quality are found once this step and those before it are done.
    var completes = true
  }

  /// The steps of a search, the best matches first.
  static func steps(for query: PlaceQuery) -> [Step] {
    let letters = query.text.letters[...]
    // A word given twice is one of the words, but not the text.
    let isOneWord = query.text.wordStarts.count == 1
    var exact = [PackedTermRange(.name, whole: letters)]
    var prefix = [PackedTermRange(.name, beginning: letters)]
    if let station = query.stationLetters {
      exact.append(PackedTermRange(.name, whole: station))
      prefix += [exact[1], PackedTermRange(.firstWord, whole: station)]
    }
    var steps = [
      Step(lookup: .terms([exact]), quality: .exact),
      Step(lookup: .terms([prefix]), quality: .prefix),
      Step(
        lookup: .terms([[PackedTermRange(.word, beginning: letters)]]), quality: .words,
        completes: isOneWord),
    ]
    if !isOneWord {
      let words = query.words.map { [PackedTermRange(.word, beginning: $0)] }
      steps.append(Step(lookup: .terms(words), quality: .words))
    }
    if query.text.isInitials { steps += initialsSteps(query) }
    if !isOneWord {
      let words = query.words.map {
        [PackedTermRange(.address, beginning: $0), PackedTermRange(.word, beginning: $0)]
      }
      steps.append(Step(lookup: .terms(words), quality: .address, completes: false))
    }
    steps.append(
      Step(lookup: .terms([[PackedTermRange(.address, beginning: letters)]]), quality: .address))
    return steps + (query.text.isInitials ? initialErrorSteps(letters) : errorSteps(query))
  }

  private static func initialsSteps(_ query: PlaceQuery) -> [Step] {
    let letters = query.text.letters[...]
    var exact = [PackedTermRange(.initials, whole: letters)]
    var prefix = [PackedTermRange(.initials, beginning: letters)]
    if let station = query.stationInitials {
      exact.append(PackedTermRange(.initials, whole: station))
      prefix += [exact[1], PackedTermRange(.firstWord, whole: station)]
    }
    return [
      Step(lookup: .terms([exact]), quality: .initials),
      Step(lookup: .terms([prefix]), quality: .initialsPrefix),
      Step(
        lookup: .terms([[PackedTermRange(.laterInitials, beginning: letters)]]),
        quality: .initialsWords),
    ]
  }

  private static func initialErrorSteps(_ letters: ArraySlice<UInt16>) -> [Step] {
    guard letters.count >= OneEdit.fewestInitials else { return [] }
    let whole = PlaceTermError(.initials, letters, isWhole: true)
    let error = PlaceTermError(.initials, letters)
    return [
      Step(lookup: .error(whole, others: []), quality: .initialsTypo),
      Step(lookup: .error(error, others: []), quality: .initialsTypoPrefix),
    ]
  }

  /// The whole name with an error, a beginning with one, then each of several words with one and the
  /// others without.
  private static func errorSteps(_ query: PlaceQuery) -> [Step] {
    let text = query.text
    guard text.letters.count >= OneEdit.fewestLetters else { return [] }
    let whole = PlaceTermError(.name, text.letters[...], isWhole: true)
    let prefix = PlaceTermError(.word, text.letters[...], characterStarts: text.characterStarts)
    var steps = [
      Step(lookup: .error(whole, others: []), quality: .typo),
      Step(lookup: .error(prefix, others: []), quality: .typoPrefix, completes: false),
    ]
    if query.words.count > 1 {
      for word in query.words where word.count >= OneEdit.fewestLetters {
        let others = query.words.filter { $0 != word }
          .map { [PackedTermRange(.word, beginning: $0)] }
        steps.append(
          Step(
            lookup: .error(PlaceTermError(.word, word), others: others), quality: .typoPrefix,
            completes: false))
      }
    }
    steps[steps.count - 1].completes = true
    return steps
  }
}
