import GeoMath
import LiveLayers
import ObjectModel
import Places

/// What is asked for.
enum QueryKind: String, CaseIterable {
  case fullName = "full name"
  case firstTwoSyllables = "two syllables"
  case oneSyllable = "one syllable"
  case halfSyllable = "half a syllable"
  case initials = "initials"
  case twoInitials = "two initials"
  case oneError = "one error"
  case wordsReversed = "words reversed"
  case withoutPosition = "name, no position"
  case nothing = "no such name"
  case latinName = "Latin name"
  case latinLetter = "Latin letter"
  case latinError = "Latin, one error"
  case mixedWords = "Latin and Hangul"
  case mixedError = "both, one error"
}

/// Places with names made by seed: a proper name of two or three syllables, and what it is. A third of
/// them have a Latin name as well, some within the name.
struct NamedCity {
  private static let kinds = [
    "역", "시장", "공원", "학교", "병원", "카페", "식당", "아파트", "빌딩", "도서관", "은행", "약국", "정류장", "호텔",
    "교회", "미용실",
  ]
  private static let initials = Array("ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ")

  private static let latinKinds = [
    "Station", "Market", "Park", "School", "Hospital", "Cafe", "Grill", "Tower", "Plaza", "Library",
    "Bank", "Pharmacy", "Stop", "Hotel", "Church", "Salon",
  ]

  private let names: [String]
  private let latinNames: [Int: String]
  private let positions: [Coordinate]

  init(places: Int, seed: UInt64) {
    var random = SplitMix64(seed: seed)
    // As in a language, few syllables make most of the names.
    let syllables = (0..<300).map { _ in
      Character(Unicode.Scalar(UInt32(0xAC00 + random.below(11_172))) ?? "가")
    }
    func syllable() -> Character { syllables[Int(random.unit() * random.unit() * 300)] }
    let proper = (0..<max(1, places / 8)).map { _ in
      String((0..<(2 + random.below(2))).map { _ in syllable() })
    }
    var names: [String] = []
    var positions: [Coordinate] = []
    for _ in 0..<places {
      let divider = random.below(2) == 0 ? " " : ""
      let kind = Self.kinds[random.below(Self.kinds.count)]
      names.append(proper[random.below(proper.count)] + divider + kind)
      positions.append(Self.position(&random))
    }
    // A source of its own: the other names are those of a city without Latin ones.
    var latinRandom = SplitMix64(seed: seed &+ 3)
    let latinProper = (0..<max(1, places / 24)).map { _ in Self.latinWord(&latinRandom) }
    var latinNames: [Int: String] = [:]
    for i in stride(from: 0, to: places, by: 3) {
      let kind = Self.latinKinds[latinRandom.below(Self.latinKinds.count)]
      latinNames[i] = latinProper[latinRandom.below(latinProper.count)] + " " + kind
    }
    self.names = names
    self.latinNames = latinNames
    self.positions = positions
  }

  /// Two or three syllables of a consonant and a vowel, some with another consonant at the end.
  private static func latinWord(_ random: inout SplitMix64) -> String {
    let consonants = Array("bcdghjkmnpsty")
    let vowels = ["a", "ae", "e", "eo", "i", "o", "u", "ya", "yeo"]
    var word = ""
    for _ in 0..<(2 + random.below(2)) {
      word.append(consonants[Int(random.unit() * random.unit() * Double(consonants.count))])
      word += vowels[random.below(vowels.count)]
      if random.below(3) == 0 { word += ["n", "ng", "k", "l"][random.below(4)] }
    }
    return word.prefix(1).uppercased() + word.dropFirst()
  }

  private static func position(_ random: inout SplitMix64) -> Coordinate {
    // Half of all places in a tenth of the city.
    let spread = random.below(2) == 0 ? 0.03 : 0.15
    return Coordinate(
      uncheckedLatitude: 37.55 + (random.unit() - 0.5) * 2 * spread,
      longitude: 126.98 + (random.unit() - 0.5) * 2 * spread)
  }

  func position(_ random: inout SplitMix64) -> Coordinate { Self.position(&random) }

  func report(to layers: LayerRegistry) throws {
    let layer = try layers.layerForReports("places")
    for start in stride(from: 0, to: names.count, by: 1000) {
      let batch = (start..<min(start + 1000, names.count)).map { i in
        PositionReport(
          id: "place-\(i)", latitude: positions[i].latitude, longitude: positions[i].longitude,
          attributes: AttributeEncoding.encode(
            [
              ("address", .string("서울특별시 \(i % 25)구 \(i % 997)로 \(i % 401)")),
              ("name", .string(names[i])),
            ] + (latinNames[i].map { [("name_en", .string($0))] } ?? [])), ttlMilliseconds: 0)
      }
      _ = layer.report(batch, now: layers.clock.now(), limits: layers.limits)
    }
  }

  func query(_ kind: QueryKind, limit: Int, _ random: inout SplitMix64) -> PlaceSearch {
    let name = names[random.below(names.count)]
    var search = PlaceSearch(text: name, near: Self.position(&random), limit: limit)
    switch kind {
    case .fullName: break
    case .firstTwoSyllables: search.text = String(name.prefix(2))
    case .oneSyllable: search.text = String(name.prefix(1))
    case .halfSyllable: search.text = String(Self.initials(of: name).prefix(1))
    case .initials: search.text = Self.initials(of: name)
    case .twoInitials: search.text = String(Self.initials(of: name).prefix(2))
    case .oneError:
      var letters = Array(name)
      letters[random.below(letters.count)] = "뷁"
      search.text = String(letters)
    case .wordsReversed:
      search.text = name.split(separator: " ").reversed().joined(separator: " ")
    case .withoutPosition: search.near = nil
    case .nothing: search.text = "쀍" + name
    case .latinName, .latinLetter, .latinError, .mixedWords, .mixedError:
      search.text = latinText(kind, &random)
    }
    return search
  }

  private func latinText(_ kind: QueryKind, _ random: inout SplitMix64) -> String {
    let at = random.below((names.count + 2) / 3) * 3
    let latin = latinNames[at] ?? ""
    let word = names[at].split(separator: " ").first.map(String.init) ?? names[at]
    switch kind {
    case .latinLetter: return String(latin.prefix(1))
    case .latinError: return Self.withError(latin, &random)
    case .mixedWords: return word + " " + (latin.split(separator: " ").last ?? "")
    case .mixedError: return word + " " + Self.withError(String(latin.prefix(8)), &random)
    default: return latin
    }
  }

  /// One letter left out, doubled, changed or exchanged with the next one.
  private static func withError(_ text: String, _ random: inout SplitMix64) -> String {
    var letters = Array(text)
    let i = random.below(letters.count - 1)
    switch random.below(4) {
    case 0: letters.remove(at: i)
    case 1: letters.insert(letters[i], at: i)
    case 2: letters[i] = "x"
    default: letters.swapAt(i, i + 1)
    }
    return String(letters)
  }

  private static func initials(of name: String) -> String {
    String(
      name.unicodeScalars.compactMap { scalar in
        (0xAC00...0xD7A3).contains(scalar.value)
          ? initials[Int(scalar.value - 0xAC00) / 588] : nil
      })
  }

  /// The naive way: how many names hold a text, found by looking at all of them.
  func scan(for text: String) -> Int {
    let wanted = Array(text.utf8)
    return names.count { name in
      var copy = name
      return copy.withUTF8 { bytes in
        guard bytes.count >= wanted.count, let first = wanted.first else { return false }
        return (0...(bytes.count - wanted.count)).contains { at in
          bytes[at] == first && bytes[at..<(at + wanted.count)].elementsEqual(wanted)
        }
      }
    }
  }
}
