import GeoMath
import ObjectModel

/// Requests of a batch as lines of text: the format of `data/matching-instances`.
///
/// ```
/// # name: value                                  facts about the instance, before the heading
/// riderId,originLatitude,originLongitude,destinationLatitude,destinationLongitude,
///   time,toleranceSeconds,maxWalkMeters,maxDetourRatio,seats        (one line)
/// r0,37.4979,127.0276,37.5133,127.1002,1767222000,300,300,0.25,1
/// ```
/// Times are seconds since 1970. Ids hold no comma.
public enum BatchRequestText {
  /// The line that names the fields; it stands before the first request.
  public static let heading =
    "riderId,originLatitude,originLongitude,destinationLatitude,destinationLongitude,"
    + "time,toleranceSeconds,maxWalkMeters,maxDetourRatio,seats"

  /// Why a text holds no requests.
  public enum Problem: Error, Hashable, Sendable {
    /// The heading is missing or another one.
    case badHeading
    /// A line that is not ten fields, or a field that is not the number it must be.
    case badLine(Int)
  }

  /// - Throws: ``Problem``, lines counted from 1.
  public static func parse(
    _ text: String
  ) throws(Problem) -> (facts: [String: String], requests: [RideRequest]) {
    var facts: [String: String] = [:]
    var requests: [RideRequest] = []
    var hasHeading = false
    for (index, raw) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let line = raw.last == "\r" ? raw.dropLast() : raw
      if line.isEmpty { continue }
      if line.hasPrefix("#") {
        let parts = line.dropFirst().split(separator: ":", maxSplits: 1)
        if parts.count == 2 { facts[trimmed(parts[0])] = trimmed(parts[1]) }
        continue
      }
      if !hasHeading {
        guard line == heading else { throw .badHeading }
        hasHeading = true
        continue
      }
      guard let request = request(line) else { throw .badLine(index + 1) }
      requests.append(request)
    }
    guard hasHeading else { throw .badHeading }
    return (facts, requests)
  }

  /// - Precondition: Times and tolerances are whole seconds.
  public static func format(facts: [(String, String)], requests: [RideRequest]) -> String {
    var text = ""
    for (name, value) in facts { text += "# \(name): \(value)\n" }
    text += heading + "\n"
    for r in requests {
      let origin = r.origin.coordinate
      let destination = r.destination.coordinate
      text +=
        "\(r.riderID),\(origin.latitude),\(origin.longitude),"
        + "\(destination.latitude),\(destination.longitude),"
        + "\(r.window.time.milliseconds / 1000),\(r.window.toleranceMilliseconds / 1000),"
        + "\(r.limits.maxWalkMeters),\(r.limits.maxDetourRatio),\(r.seats)\n"
    }
    return text
  }

  private static func request(_ line: some StringProtocol) -> RideRequest? {
    let fields = line.split(separator: ",", omittingEmptySubsequences: false)
    guard fields.count == 10 else { return nil }
    let numbers = fields[1..<5].compactMap { Double($0) } + fields[7..<9].compactMap { Double($0) }
    guard numbers.count == 6, let time = Int64(fields[5]), let tolerance = Int64(fields[6]),
      let seats = Int(fields[9]),
      let origin = try? Coordinate(latitude: numbers[0], longitude: numbers[1]),
      let destination = try? Coordinate(latitude: numbers[2], longitude: numbers[3]),
      (0...1_000_000).contains(tolerance)
    else { return nil }
    return RideRequest(
      riderID: String(fields[0]), origin: RidePlace(coordinate: origin),
      destination: RidePlace(coordinate: destination),
      window: DepartureWindow(
        time: Instant(seconds: time), toleranceMilliseconds: tolerance * 1000),
      limits: RideLimits(maxWalkMeters: numbers[4], maxDetourRatio: numbers[5]), seats: seats)
  }

  private static func trimmed(_ text: some StringProtocol) -> String {
    var text = text[...]
    while text.first == " " { text = text.dropFirst() }
    while text.last == " " { text = text.dropLast() }
    return String(text)
  }
}
