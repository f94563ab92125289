import LiveLayers
import ObjectModel

/// What GEOSEARCH and its older forms ask, read and checked.
struct GeoSearchRequest: Sendable {
  enum Order: Hashable, Sendable {
    case none
    case ascending
    case descending
  }

  /// What each answered member carries.
  struct Columns: Hashable, Sendable {
    var distance = false
    var hash = false
    var coordinate = false

    var count: Int { (distance ? 1 : 0) + (hash ? 1 : 0) + (coordinate ? 1 : 0) }
  }

  var shape: SearchShape
  var order = Order.none
  /// The most members; `nil` for all.
  var count: Int?
  /// Whether any members will do, instead of the nearest.
  var isAny = false
  var columns = Columns()
  var filter = ObjectFilter()
  /// The key that takes the members instead of the caller; `nil` to answer them.
  var destination: String?
}

/// An answer that refuses a command; its text begins with a code such as `ERR`.
struct CommandRefusal: Error, Hashable {
  let text: String
  let reason: RefusalReason

  init(_ text: String, _ reason: RefusalReason = .badArguments) {
    self.text = text
    self.reason = reason
  }

  static let answerTooLarge = CommandRefusal(
    "ERR the answer would be larger than resp.replyBytes: give COUNT, or ask for less",
    .answerTooLarge)
  static let syntax = CommandRefusal("ERR syntax error")
  static let notANumber = CommandRefusal("ERR value is not a valid float")
  static let notAnInteger = CommandRefusal("ERR value is not an integer or out of range")
}

/// Reads the words of a search.
struct GeoSearchReader {
  /// Which command it is.
  enum Form {
    case search
    case searchStore
    case radius(mayStore: Bool)
    case radiusByMember(mayStore: Bool)
  }

  let words: CommandWords
  let form: Form
  let limits: LayerLimits
  /// Returns where a member is; `nil` if there is none.
  let member: (String?) -> CellCode.Place?
  /// Whether the searched key exists; an absent one is searched in vain, whatever its members.
  let keyExists: Bool

  private var i = 0
  private var center: CellCode.Place?
  private var kind: (SearchShape.Kind, metersPerUnit: Double)?
  private var order = GeoSearchRequest.Order.none
  private var count: Int?
  private var isAny = false
  private var columns = GeoSearchRequest.Columns()
  private var filter = ObjectFilter()
  private var destination: String?

  init(
    _ words: CommandWords, form: Form, limits: LayerLimits, keyExists: Bool,
    member: @escaping (String?) -> CellCode.Place?
  ) {
    self.words = words
    self.form = form
    self.limits = limits
    self.keyExists = keyExists
    self.member = member
  }

  private var isSearch: Bool {
    switch form {
    case .search, .searchStore: true
    case .radius, .radiusByMember: false
    }
  }

  private var mayStore: Bool {
    switch form {
    case .search, .searchStore: false
    case .radius(let mayStore), .radiusByMember(let mayStore): mayStore
    }
  }

  /// Reads the command.
  ///
  /// - Throws: What Redis answers, in its order of checks.
  mutating func request() throws(CommandRefusal) -> GeoSearchRequest {
    try readHead()
    while i < words.count { try readOption() }
    try checkTogether()
    // Without a place the key or its member is absent, and nothing is looked for.
    let place = center ?? CellCode.Place(longitude: 0, latitude: 0)
    guard let kind else { throw .syntax }
    return GeoSearchRequest(
      shape: SearchShape(center: place, kind: kind.0, metersPerUnit: kind.metersPerUnit),
      order: count != nil && !isAny && order == .none ? .ascending : order, count: count,
      isAny: isAny, columns: columns, filter: filter, destination: destination)
  }

  /// Reads what stands before the options.
  private mutating func readHead() throws(CommandRefusal) {
    switch form {
    case .search: i = 2
    case .searchStore:
      destination = words.text(1)
      i = 3
    case .radius:
      center = try place(at: 2)
      kind = try circle(at: 4)
      i = 6
    case .radiusByMember:
      // Without the key neither member nor radius is looked at.
      kind = (.circle(radius: 0), metersPerUnit: 1)
      if keyExists {
        center = try memberPlace(2)
        kind = try circle(at: 3)
      }
      i = 5
    }
  }

  private mutating func readOption() throws(CommandRefusal) {
    // Counts from 0 as the number of words behind the option.
    let behind = words.count - 1 - i
    if words.isOption(i, "withdist") {
      columns.distance = true
    } else if words.isOption(i, "withhash") {
      columns.hash = true
    } else if words.isOption(i, "withcoord") {
      columns.coordinate = true
    } else if words.isOption(i, "any") {
      isAny = true
    } else if words.isOption(i, "asc") {
      order = .ascending
    } else if words.isOption(i, "desc") {
      order = .descending
    } else if words.isOption(i, "count"), behind >= 1 {
      guard let number = words.integer(i + 1) else { throw .notAnInteger }
      guard number > 0 else { throw CommandRefusal("ERR COUNT must be > 0") }
      count = Int(number)
      i += 1
    } else {
      if try readPlaceOrShape(behind) { return }
      if try readStore(behind) { return }
      return try readOwnOption()
    }
    i += 1
  }

  /// Reads an option that says where to look. - Returns: Whether it was one.
  private mutating func readPlaceOrShape(_ behind: Int) throws(CommandRefusal) -> Bool {
    guard isSearch else { return false }
    if center == nil, !hasMember, words.isOption(i, "frommember"), behind >= 1 {
      hasMember = true
      if keyExists { center = try memberPlace(i + 1) }
      i += 2
    } else if center == nil, !hasMember, words.isOption(i, "fromlonlat"), behind >= 2 {
      center = try place(at: i + 1)
      i += 3
    } else if kind == nil, words.isOption(i, "byradius"), behind >= 2 {
      kind = try circle(at: i + 1)
      i += 3
    } else if kind == nil, words.isOption(i, "bybox"), behind >= 3 {
      kind = try box(at: i + 1)
      i += 4
    } else {
      return false
    }
    return true
  }

  private var hasMember = false

  private mutating func readStore(_ behind: Int) throws(CommandRefusal) -> Bool {
    if case .searchStore = form, words.isOption(i, "storedist") { throw Self.storesNoDistances }
    guard mayStore, behind >= 1 else { return false }
    if words.isOption(i, "storedist") { throw Self.storesNoDistances }
    guard words.isOption(i, "store") else { return false }
    destination = words.text(i + 1)
    i += 2
    return true
  }

  private static let storesNoDistances = CommandRefusal(
    "ERR STOREDIST is not served: a key holds places, and a distance is none")

  private mutating func readOwnOption() throws(CommandRefusal) {
    var own = OwnOptions(words, at: i, limits: limits)
    guard try own.readSearchOption(into: &filter) else {
      throw OwnOptions.refusal(of: words, i, among: ["TAGS", "WHERE", "MAXAGE"])
    }
    i = own.position
  }

  private func checkTogether() throws(CommandRefusal) {
    if destination != nil, columns.count > 0 {
      let subject = isSearch ? "GEOSEARCHSTORE" : "STORE option in GEORADIUS"
      throw CommandRefusal(
        "ERR \(subject) is not compatible with WITHDIST, WITHHASH and WITHCOORD options")
    }
    if isSearch {
      if center == nil, !hasMember {
        throw CommandRefusal(
          "ERR exactly one of FROMMEMBER or FROMLONLAT can be specified for \(words.text(0))")
      }
      if kind == nil {
        throw CommandRefusal(
          "ERR exactly one of BYRADIUS and BYBOX can be specified for \(words.text(0))")
      }
    }
    if isAny, count == nil {
      throw CommandRefusal("ERR the ANY argument requires COUNT argument")
    }
  }

  private func memberPlace(_ index: Int) throws(CommandRefusal) -> CellCode.Place {
    guard let place = member(words.id(index)) else {
      throw CommandRefusal("ERR could not decode requested zset member")
    }
    return place
  }

  private func place(at index: Int) throws(CommandRefusal) -> CellCode.Place {
    try words.place(at: index)
  }

  private func circle(
    at index: Int
  ) throws(CommandRefusal) -> (SearchShape.Kind, metersPerUnit: Double) {
    guard let radius = words.double(index) else {
      throw CommandRefusal("ERR need numeric radius")
    }
    guard radius >= 0 else { throw CommandRefusal("ERR radius cannot be negative") }
    return (.circle(radius: radius), try words.metersPerUnit(at: index + 1))
  }

  private func box(
    at index: Int
  ) throws(CommandRefusal) -> (SearchShape.Kind, metersPerUnit: Double) {
    guard let width = words.double(index) else { throw CommandRefusal("ERR need numeric width") }
    guard let height = words.double(index + 1) else {
      throw CommandRefusal("ERR need numeric height")
    }
    guard width >= 0, height >= 0 else {
      throw CommandRefusal("ERR height or width cannot be negative")
    }
    return (.box(width: width, height: height), try words.metersPerUnit(at: index + 2))
  }
}

extension CommandWords {
  /// Reads longitude and latitude.
  func place(at index: Int) throws(CommandRefusal) -> CellCode.Place {
    guard let longitude = double(index), let latitude = double(index + 1) else {
      throw .notANumber
    }
    guard CellCode.hasCode(longitude: longitude, latitude: latitude) else {
      throw CommandRefusal(
        "ERR invalid longitude,latitude pair "
          + "\(SixDecimals.text(longitude)),\(SixDecimals.text(latitude))")
    }
    return CellCode.Place(longitude: longitude, latitude: latitude)
  }

  func metersPerUnit(at index: Int) throws(CommandRefusal) -> Double {
    if isOption(index, "m") { return 1 }
    if isOption(index, "km") { return 1000 }
    if isOption(index, "ft") { return 0.3048 }
    if isOption(index, "mi") { return 1609.34 }
    throw CommandRefusal("ERR unsupported unit provided. please use M, KM, FT, MI")
  }
}
