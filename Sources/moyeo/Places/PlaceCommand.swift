import ArgumentParser
import MoyeoAPI
import MoyeoClient

/// `moyeo place`.
struct PlaceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "place", abstract: "Places by name, and names by place.",
    subcommands: [PlaceSearchCommand.self, PlaceReverseCommand.self])
}

/// `moyeo place search`.
struct PlaceSearchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "search",
    abstract: "Find places by a name, part of one, its initial consonants or an address.",
    discussion: """
      Example: moyeo place search ㄱㄴㅇ --near 37.4979,127.0276 --limit 5
      """)

  @Argument(help: "What to look for.")
  var text: String

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Of equal matches the nearest to here come first.", valueName: "latitude,longitude"))
  var near: CoordinateText?

  @Option(help: ArgumentHelp("Farthest distance from --near, inclusive.", valueName: "meters"))
  var radius: Double?

  @Option(help: "Most places to show.")
  var limit = 20

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if radius != nil, near == nil { throw ValidationError("--radius needs --near") }
  }

  func run() async throws {
    var request = Moyeo_V1_SearchPlacesRequest()
    request.q = text
    if let near {
      request.latitude = near.latitude
      request.longitude = near.longitude
    }
    if let radius { request.radiusMeters = radius }
    request.limit = Int32(clamping: limit)
    let question = request
    try await connection.withClient { client in
      let answer = try await client.searchPlaces(question)
      if output.json { return try JSONOutput.print(answer) }
      PlaceListing.print(answer.places)
    }
  }
}

/// `moyeo place reverse`.
struct PlaceReverseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reverse", abstract: "What a place is called: the nearest places with a name.",
    discussion: """
      Example: moyeo place reverse --at 37.4979,127.0276
      """)

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The place, in degrees.", valueName: "latitude,longitude"))
  var at: CoordinateText

  @Option(help: "Most places to show.")
  var limit = 1

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    var request = Moyeo_V1_ReversePlacesRequest()
    request.latitude = at.latitude
    request.longitude = at.longitude
    request.limit = Int32(clamping: limit)
    let question = request
    try await connection.withClient { client in
      let answer = try await client.reversePlaces(question)
      if output.json { return try JSONOutput.print(answer) }
      PlaceListing.print(answer.places)
    }
  }
}

/// Places as a table.
enum PlaceListing {
  static func print(_ places: [Moyeo_V1_NamedPlace]) {
    guard !places.isEmpty else { return Swift.print("no places") }
    var table = TextTable([
      ("name", .left), ("category", .left), ("address", .left), ("distance", .right),
      ("latitude", .right), ("longitude", .right), ("id", .left), ("source", .left),
    ])
    for place in places {
      table.append([
        place.name, place.category, place.address,
        place.hasDistanceMeters ? NumberText.distance(place.distanceMeters) : "",
        NumberText.fixed(place.latitude, 6), NumberText.fixed(place.longitude, 6), place.id,
        place.source,
      ])
    }
    table.print()
  }
}
