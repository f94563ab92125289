/// What people say of places of one kind whatever is written in the name: a table, one row a kind.
///
/// ```
/// 서울역            also said: 서울스테이션, whose initials begin with ㅅㅇㅅ
/// 강남, a station   also said: 강남역, 강남스테이션
/// ```
/// That a name may be said with 역 where it is not written, and of places of any kind, is the query's
/// affair (``PlaceQuery/stationLetters``): tables of stations often name no category.
struct PlaceKind {
  /// With what names of the kind end, the usual ending first; all of them are said of each place.
  let endings: [String]
  /// The values of the attribute `category` that mean the kind, in lower case.
  let categories: Set<String>

  static let all = [
    PlaceKind(
      endings: ["역", "스테이션"],
      categories: [
        "station", "subway", "subway_station", "subway station", "railway_station",
        "railway station", "train_station", "train station", "역", "지하철역", "지하철", "전철역",
        "기차역",
      ])
  ]

  /// Characters of the shortest name that an ending is added to.
  private static let fewestCharacters = 2

  /// What else a place is called.
  ///
  /// - Parameters:
  ///   - name: As it is written; what stands in brackets after it is left out.
  ///   - category: As it is told.
  /// - Returns: Names that are not the one given; none where neither the name's end nor the category
  ///   says the kind.
  static func otherNames(of name: String, category: String?) -> [String] {
    var out: [String] = []
    for kind in all {
      let written = name.prefix { $0 != "(" && $0 != "[" }.trimmingSpaces
      let ending = kind.endings.first { written.hasSuffix($0) }
      guard ending != nil || category.map({ kind.categories.contains($0.lowercased()) }) ?? false
      else { continue }
      let stem = written.dropLast(ending?.count ?? 0).trimmingSpaces
      guard stem.count >= fewestCharacters else { continue }
      for other in kind.endings where other != ending { out.append(String(stem) + other) }
    }
    return out
  }
}

extension Substring {
  /// Without spaces at its end.
  fileprivate var trimmingSpaces: Substring {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}
