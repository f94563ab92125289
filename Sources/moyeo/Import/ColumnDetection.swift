/// Finds the latitude, longitude, id, tags and time columns of a heading.
///
/// Names are compared without case, white space, `_` and `-`. First whole names are looked for, then
/// names that end in one (`환승역Y좌표`, `pickup_latitude`); a step that finds several columns does not
/// choose between them.
struct ColumnDetection {
  enum Outcome: Hashable {
    case found(Int)
    case missing
    case ambiguous([Int])
  }

  private let names: [String]
  private let folded: [String]

  init(_ names: [String]) {
    self.names = names
    folded = names.map(Self.fold)
  }

  private static func fold(_ name: String) -> String {
    String(name.lowercased().filter { !$0.isWhitespace && $0 != "_" && $0 != "-" })
  }

  /// A column by the name that was given, exactly, else as compared above.
  func column(named name: String) -> Int? {
    if let index = names.firstIndex(of: name) { return index }
    let matches = folded.indices.filter { folded[$0] == Self.fold(name) }
    return matches.count == 1 ? matches[0] : nil
  }

  var latitude: Outcome {
    search(
      whole: ["latitude", "lat", "위도"],
      axis: ["y", "y좌표", "ycoord", "ycoordinate", "coordy", "좌표y"])
  }

  var longitude: Outcome {
    search(
      whole: ["longitude", "lon", "lng", "long", "경도"],
      axis: ["x", "x좌표", "xcoord", "xcoordinate", "coordx", "좌표x"])
  }

  /// The column that says what a place is called, where it is or what it is.
  func column(of attribute: RowMapping.PlaceAttribute) -> Int? {
    let words =
      switch attribute {
      case .name: ["name", "이름", "명칭"]
      case .address: ["address", "주소", "도로명주소"]
      case .category: ["category", "분류", "업종"]
      }
    return folded.firstIndex { words.contains($0) }
  }

  var id: Int? { folded.firstIndex(of: "id") }
  var tags: Int? { folded.firstIndex(of: "tags") }
  var observedAt: Int? { folded.firstIndex(of: "observedat") }

  private func search(whole: [String], axis: [String]) -> Outcome {
    let endings = (whole + axis).filter { $0.unicodeScalars.count > 2 }
    for matches in [
      folded.indices.filter { whole.contains(folded[$0]) },
      folded.indices.filter { axis.contains(folded[$0]) },
      folded.indices.filter { i in endings.contains { folded[i].hasSuffix($0) } },
    ] {
      if matches.count == 1 { return .found(matches[0]) }
      if matches.count > 1 { return .ambiguous(matches) }
    }
    return .missing
  }
}
