import ArgumentParser
import MoyeoAPI
import MoyeoClient

/// `moyeo nearby`.
struct NearbyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "nearby", abstract: "Who is near a place, nearest first.",
    discussion: """
      Example: moyeo nearby --layer users --at 37.4979,127.0276 --tags swift --where "level>=3"
      """)

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The place, in degrees.", valueName: "latitude,longitude"))
  var at: CoordinateText

  @Option(help: ArgumentHelp("Farthest distance, inclusive.", valueName: "meters"))
  var radius: Double?

  @Option(
    name: [.customLong("polygon"), .customLong("within")],
    help: ArgumentHelp("Only inside the GeoJSON polygon of this file.", valueName: "file"))
  var within: String?

  @OptionGroup var filter: FilterOptions
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func request() throws -> Moyeo_V1_NearbyRequest {
    var request = Moyeo_V1_NearbyRequest()
    request.layer = filter.layer
    request.latitude = at.latitude
    request.longitude = at.longitude
    request.limit = Int32(filter.limit)
    if let radius { request.radiusMeters = radius }
    request.tags = FilterOptions.list(filter.tags)
    if filter.any { request.tagMatch = "any" }
    request.notTags = FilterOptions.list(filter.notTags)
    request.excludeIds = FilterOptions.list(filter.exclude)
    request.where = filter.conditions.map(\.condition)
    if let maxAge = filter.maxAge { request.maxAgeSeconds = maxAge }
    if let within { request.within = try PolygonFile.read(within) }
    if let minVersion = filter.minVersion { request.minVersion = minVersion }
    return request
  }

  func run() async throws {
    let request = try request()
    try await connection.withClient { client in
      try await filter.printPages(output) { cursor in
        var page = request
        if let cursor { page.cursor = cursor }
        return try await client.nearby(page)
      }
    }
  }
}
