import FareEstimation
import ObjectModel

/// Which column holds what. Names are compared without case; the first that the file has is taken.
struct TripColumns {
  var pickup: Int?
  var dropoff: Int?
  var duration: Int?
  var distance: Int?
  var fare: Int
  var rateCode: Int?
  var vendor: Int?
  var paymentType: Int?
  /// Longitude and latitude of pick-up, then of drop-off.
  var coordinates: [Int]?

  /// Names given by hand, by what they hold.
  struct Names {
    var pickup: String?
    var dropoff: String?
    var duration: String?
    var distance: String?
    var fare: String?
    var rateCode: String?
    var vendor: String?
    /// Four names: pick-up longitude and latitude, drop-off longitude and latitude.
    var coordinates: [String] = []
  }

  static let pickupNames = [
    "tpep_pickup_datetime", "lpep_pickup_datetime", "pickup_datetime", "trip_pickup_datetime",
    "pickup_time", "pickup",
  ]
  static let dropoffNames = [
    "tpep_dropoff_datetime", "lpep_dropoff_datetime", "dropoff_datetime",
    "trip_dropoff_datetime", "dropoff_time", "dropoff",
  ]
  static let durationNames = [
    "trip_time_in_secs", "trip_seconds", "trip_time", "trip_duration", "duration_seconds",
    "durationseconds", "duration",
  ]
  static let distanceNames = [
    "trip_distance", "trip_miles", "distance_miles", "distance", "distancemeters",
  ]
  static let fareNames = ["fare_amount", "fare_amt", "fare"]
  static let rateCodeNames = ["ratecodeid", "rate_code", "rate_code_id", "ratecode"]
  static let vendorNames = ["vendorid", "vendor_id", "vendor_name", "vendor"]
  static let coordinateNames = [
    ["pickup_longitude", "pickup_latitude", "dropoff_longitude", "dropoff_latitude"],
    ["start_lon", "start_lat", "end_lon", "end_lat"],
    ["pickup_lon", "pickup_lat", "dropoff_lon", "dropoff_lat"],
  ]

  init(header: [String], names: Names, needsCoordinates: Bool) throws {
    let index = Dictionary(
      header.enumerated().map { ($1.lowercased(), $0) }, uniquingKeysWith: { first, _ in first })
    func find(
      _ what: String, given: String?, known: [String], option: String, required: Bool
    ) throws -> Int? {
      if let given {
        guard let i = index[given.lowercased()] else {
          throw EvaluationError.noColumn(what, tried: [given], option: option)
        }
        return i
      }
      for name in known { if let i = index[name] { return i } }
      if required { throw EvaluationError.noColumn(what, tried: known, option: option) }
      return nil
    }
    guard
      let fare = try find(
        "fare", given: names.fare, known: Self.fareNames, option: "--fare-column", required: true)
    else { throw EvaluationError.noColumn("fare", tried: [], option: "--fare-column") }
    self.fare = fare
    pickup = try find(
      "pick-up time", given: names.pickup, known: Self.pickupNames, option: "--pickup-column",
      required: needsCoordinates)
    dropoff = try find(
      "drop-off time", given: names.dropoff, known: Self.dropoffNames, option: "--dropoff-column",
      required: false)
    duration = try find(
      "duration", given: names.duration, known: Self.durationNames, option: "--duration-column",
      required: pickup == nil || dropoff == nil)
    distance = try find(
      "distance", given: names.distance, known: Self.distanceNames, option: "--distance-column",
      required: !needsCoordinates)
    rateCode = try find(
      "rate code", given: names.rateCode, known: Self.rateCodeNames, option: "--rate-code-column",
      required: false)
    vendor = try find(
      "vendor", given: names.vendor, known: Self.vendorNames, option: "--vendor-column",
      required: false)
    paymentType = index["payment_type"]
    let sets = names.coordinates.isEmpty ? Self.coordinateNames : [names.coordinates]
    coordinates = sets.lazy
      .map { $0.compactMap { index[$0.lowercased()] } }.first { $0.count == 4 }
    if needsCoordinates && coordinates == nil {
      throw EvaluationError.noColumn(
        "coordinates", tried: sets.flatMap(\.self), option: "--coordinate-columns")
    }
  }
}

/// Numbers, codes and times of a row.
enum TripField {
  static func number(_ bytes: ArraySlice<UInt8>) -> Double? {
    let text = String(decoding: trimmed(bytes), as: UTF8.self)
    guard let value = Double(text), value.isFinite else { return nil }
    return value
  }

  /// `1.0`, which spreadsheets make of a code with gaps, is `1`.
  static func code(_ bytes: ArraySlice<UInt8>) -> String {
    let text = String(decoding: trimmed(bytes), as: UTF8.self)
    if let value = Double(text), value.isFinite, let whole = Int(exactly: value) {
      return String(whole)
    }
    return text
  }

  /// Local times as taxi records have them: `2015-01-15 19:05:39`, with T, with a fraction, with an
  /// offset or `UTC` (then not local), without seconds, or `01/15/2015 07:05:39 PM`.
  static func instant(_ bytes: ArraySlice<UInt8>, _ offsets: UTCOffsets) -> Instant? {
    var text = String(decoding: trimmed(bytes), as: UTF8.self)
    if text.utf8.contains(UInt8(ascii: "/")) {
      guard let rewritten = isoText(american: text) else { return nil }
      text = rewritten
    }
    // A file says UTC of what is local time in fact; so do all of the commission's extracts.
    if text.hasSuffix(" UTC") { text.removeLast(4) }
    return LocalInstant.parse(text, in: offsets)
  }

  private static func isoText(american text: String) -> String? {
    let parts = text.split(separator: " ")
    guard parts.count >= 2 else { return nil }
    let day = parts[0].split(separator: "/")
    let clock = parts[1].split(separator: ":")
    guard day.count == 3, clock.count >= 2, var hour = Int(clock[0]) else { return nil }
    if parts.count == 3 {
      guard (1...12).contains(hour) else { return nil }
      hour %= 12
      if parts[2].uppercased() == "PM" { hour += 12 }
    }
    func two(_ text: some StringProtocol) -> String { text.count == 1 ? "0\(text)" : "\(text)" }
    let seconds = clock.count > 2 ? two(clock[2]) : "00"
    return
      "\(day[2])-\(two(day[0]))-\(two(day[1])) \(two(String(hour))):\(two(clock[1])):\(seconds)"
  }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var bytes = bytes
    while bytes.first == UInt8(ascii: " ") { bytes.removeFirst() }
    while bytes.last == UInt8(ascii: " ") { bytes.removeLast() }
    return bytes
  }
}
