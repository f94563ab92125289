import ArgumentParser
import MoyeoAPI
import MoyeoClient

/// `moyeo within`.
struct WithinCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "within", abstract: "Everything in a box or polygon.",
    discussion: """
      Example: moyeo within --layer users --box 126.9,37.5,127.0,37.6
      A box whose west is above its east crosses 180 degrees.
      """)

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The box, in degrees.", valueName: "west,south,east,north"))
  var box: BoxText?

  @Option(
    name: [.customLong("polygon"), .customLong("within")],
    help: ArgumentHelp("The GeoJSON polygon of this file.", valueName: "file"))
  var polygon: String?

  @OptionGroup var filter: FilterOptions
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard (box == nil) != (polygon == nil) else {
      throw ValidationError("give either --box or --polygon")
    }
  }

  func request() throws -> Moyeo_V1_WithinRequest {
    var request = Moyeo_V1_WithinRequest()
    request.layer = filter.layer
    if let box {
      request.west = box.west
      request.south = box.south
      request.east = box.east
      request.north = box.north
    }
    if let polygon { request.polygon = try PolygonFile.read(polygon) }
    request.limit = Int32(filter.limit)
    request.tags = FilterOptions.list(filter.tags)
    if filter.any { request.tagMatch = "any" }
    request.notTags = FilterOptions.list(filter.notTags)
    request.excludeIds = FilterOptions.list(filter.exclude)
    request.where = filter.conditions.map(\.condition)
    if let maxAge = filter.maxAge { request.maxAgeSeconds = maxAge }
    if let minVersion = filter.minVersion { request.minVersion = minVersion }
    return request
  }

  func run() async throws {
    let request = try request()
    try await connection.withClient { client in
      try await filter.printPages(output) { cursor in
        var page = request
        if let cursor { page.cursor = cursor }
        return try await client.within(page)
      }
    }
  }
}
