import ArgumentParser
import MoyeoAPI
import SwiftProtobuf

/// What a new commute and a change of one have in common.
protocol CommuteFields {
  var weekdays: [String] { get set }
  var localTime: String { get set }
  var timeZone: String { get set }
  var from: String { get set }
  var to: String { get set }
  var added: [String] { get set }
  var removed: [String] { get set }
  var holidays: String { get set }
  var departureWindowSeconds: Double { get set }
  var arriveBy: String { get set }
  var seats: Int32 { get set }
  var hostSeats: Int32 { get set }
  var maxWalkMeters: Double { get set }
  var maxDetourRatio: Double { get set }
  var maxRideSeconds: Double { get set }
  var maxDetourSeconds: Double { get set }
  var tags: [String] { get set }
  var attributes: Google_Protobuf_Struct { get set }
  var policy: Moyeo_V1_PartyPolicy { get set }
  var policyPack: String { get set }
  var splitRule: String { get set }
  var allowRaisedShares: Bool { get set }
  var vehicleClass: String { get set }
  var agreedFare: Moyeo_V1_AgreedFare { get set }
  var approval: String { get set }
  var holdSeats: Bool { get set }
  var boarding: Moyeo_V1_Place { get set }
  var maxShare: Int64 { get set }
}

extension Moyeo_V1_CreateCommuteRequest: CommuteFields {}
extension Moyeo_V1_UpdateCommuteRequest: CommuteFields {}

/// What each day of a commute is like, beside its places and times.
struct CommuteTripOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Latest arrival, as clocks of the zone show it.", valueName: "hh:mm"))
  var arriveBy: String?
  @Option(help: "Seats in all, those of the host included; or seats asked for.")
  var seats: Int32?
  @Option(help: "Seats that the host takes; 1.")
  var hostSeats: Int32?
  @Option(help: ArgumentHelp("How far riders walk at most.", valueName: "meters"))
  var maxWalk: Double?
  @Option(help: ArgumentHelp("Longest ride over the direct one, less 1.", valueName: "ratio"))
  var maxDetour: Double?
  @Option(help: ArgumentHelp("Longest ride.", valueName: "seconds"))
  var maxRideSeconds: Double?
  @Option(help: ArgumentHelp("Longest ride beyond the direct one.", valueName: "seconds"))
  var maxDetourSeconds: Double?
  @Option(help: "Tags, separated by commas.")
  var tags: String?
  @Option(help: ArgumentHelp("Must be the same for all aboard, e.g. gender.", valueName: "name"))
  var same: [String] = []
  @Option(help: ArgumentHelp("A named pack of rules, e.g. kr-small-taxi.", valueName: "name"))
  var policy: String?
  @Option(help: ArgumentHelp("How to share, e.g. equal.", valueName: "rule"))
  var split: String?
  @Flag(inversion: .prefixedNo, help: "Later joins may raise the shares of those aboard.")
  var allowRaisedShares: Bool?
  @Option(help: ArgumentHelp("Class of the taxi, e.g. deluxe.", valueName: "name"))
  var vehicleClass: String?
  @Option(
    help: ArgumentHelp(
      "What each ride costs, minor units, whatever a meter says.", valueName: "amount"))
  var agreedFare: Int64?
  @Option(help: ArgumentHelp("Of the agreed fare, e.g. KRW.", valueName: "code"))
  var currency: String?
  @Option(help: ArgumentHelp("host: who joins asks the host first.", valueName: "who"))
  var approval: String?
  @Flag(inversion: .prefixedNo, help: "A pending request keeps its seats from others.")
  var holdSeats: Bool?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Of a rider: get in on the way, at or near there.", valueName: "latitude,longitude"))
  var board: CoordinateText?
  @Option(help: ArgumentHelp("Of a rider: the most to pay, minor units.", valueName: "amount"))
  var maxShare: Int64?
  @OptionGroup var attributes: AttributeOptions

  func validate() throws {
    guard (agreedFare == nil) == (currency == nil) else {
      throw ValidationError("--agreed-fare and --currency go together")
    }
  }

  /// Sets what is given; the rest stays absent.
  func write(to request: inout some CommuteFields) {
    if let arriveBy { request.arriveBy = arriveBy }
    if let seats { request.seats = seats }
    if let hostSeats { request.hostSeats = hostSeats }
    if let maxWalk { request.maxWalkMeters = maxWalk }
    if let maxDetour { request.maxDetourRatio = maxDetour }
    if let maxRideSeconds { request.maxRideSeconds = maxRideSeconds }
    if let maxDetourSeconds { request.maxDetourSeconds = maxDetourSeconds }
    if let tags { request.tags = CommuteCommand.words(tags) }
    if !same.isEmpty { request.policy.sameAttributes = same }
    if let policy { request.policyPack = policy }
    if let split { request.splitRule = split }
    if let allowRaisedShares { request.allowRaisedShares = allowRaisedShares }
    if let vehicleClass { request.vehicleClass = vehicleClass }
    if let agreedFare, let currency {
      request.agreedFare.amount = agreedFare
      request.agreedFare.currency = currency
    }
    if let approval { request.approval = approval }
    if let holdSeats { request.holdSeats = holdSeats }
    if let board { request.boarding = board.place }
    if let maxShare { request.maxShare = maxShare }
    if !attributes.attributes.isEmpty { request.attributes = attributes.fields }
  }
}
