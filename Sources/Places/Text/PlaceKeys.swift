/// What a place is found by.
struct PlaceKeys: Hashable, Sendable {
  /// Alternative names beyond these are not looked at.
  static let maximumNames = 4

  /// The name, then the alternative ones.
  let names: [FoldedText]
  let address: FoldedText?

  /// Folds the names and the address of a place.
  ///
  /// - Parameters:
  ///   - names: The name first. What else is said of a place of its kind (``PlaceKind``) is added.
  ///   - address: As it is told.
  ///   - category: As it is told.
  init(names: [String], address: String? = nil, category: String? = nil) {
    var folded: [FoldedText] = []
    let said = names.first.map { PlaceKind.otherNames(of: $0, category: category) } ?? []
    for name in names.prefix(Self.maximumNames) + said {
      let text = FoldedText(name)
      if !text.isEmpty, !folded.contains(text) { folded.append(text) }
    }
    self.names = folded
    self.address = address.map { FoldedText($0) }
  }
}

/// A query as it is compared.
struct PlaceQuery: Hashable, Sendable {
  let text: FoldedText
  /// The letters of each word, at most ``maximumWords``; fewer when one is given twice.
  let words: [ArraySlice<UInt16>]

  /// Without 역 at its end: the name of a station that does not say that it is one.
  let stationLetters: ArraySlice<UInt16>?
  /// The initials of such a name.
  let stationInitials: ArraySlice<UInt16>?

  static let maximumWords = 6
  /// 역, and its initial.
  private static let station = Array("ㅇㅕㄱ".utf16)
  /// Letters and initials of the shortest name that 역 may be added to.
  private static let fewestStationLetters = 2

  /// Folds what was typed.
  init(_ typed: String) {
    text = FoldedText(typed)
    var words: [ArraySlice<UInt16>] = []
    for i in text.wordStarts.indices.prefix(Self.maximumWords) where !words.contains(text.word(i)) {
      words.append(text.word(i))
    }
    self.words = words
    let letters = text.letters[...]
    let fewest = Self.fewestStationLetters
    let name = letters.dropLast(Self.station.count)
    stationLetters =
      name.count >= fewest && letters[name.endIndex...].elementsEqual(Self.station) ? name : nil
    stationInitials =
      text.isInitials && letters.count > fewest && letters.last == Self.station.first
      ? letters.dropLast() : nil
  }

  /// Whether there is nothing to compare: only spaces and signs.
  var isEmpty: Bool { text.isEmpty }
}
