import ArgumentParser
import MoyeoAPI
import MoyeoClient

/// `moyeo get`.
struct GetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get", abstract: "Show one object as it was reported.")

  @Argument(help: "The object's id.")
  var id: String

  @Option(help: "The object's layer.")
  var layer: String

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    try await connection.withClient { client in
      let answer = try await client.get(layer: layer, id: id)
      if output.json { return try JSONOutput.print(answer) }
      let position = answer.position
      var table = TextTable([("", .left), ("", .left)])
      table.append(["id", position.id])
      table.append(["latitude", JSONOutput.numberText(position.latitude)])
      table.append(["longitude", JSONOutput.numberText(position.longitude)])
      table.append(["age", NumberText.duration(position.ageSeconds)])
      table.append(["observed", output.clock.text(position.observedAt)])
      table.append([
        "expires", position.hasExpiresAt ? output.clock.text(position.expiresAt) : "never",
      ])
      table.append(["tags", position.tags.joined(separator: " ")])
      table.append(["attributes", JSONOutput.inline(position.attributes)])
      table.print()
    }
  }
}

/// `moyeo remove`.
struct RemoveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Take objects out of a layer.",
    discussion: "An object that is not there is no failure; what was there is said.")

  @Argument(help: "Ids of the objects.")
  var ids: [String]

  @Option(help: "The objects' layer.")
  var layer: String

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    try await connection.withClient { client in
      for id in ids {
        let answer = try await client.remove(layer: layer, id: id)
        if output.json {
          try JSONOutput.print(answer)
        } else {
          print("\(TextTable.printable(id)): \(answer.removed ? "removed" : "was not there")")
        }
      }
    }
  }
}

/// `moyeo layers`.
struct LayersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "layers", abstract: "The layers there are, with their sizes.")

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    try await connection.withClient { client in
      let answer = try await client.listLayers()
      if output.json { return try JSONOutput.print(answer) }
      guard !answer.layers.isEmpty else { return print("no layers") }
      var table = TextTable([
        ("layer", .left), ("objects", .right), ("clusters", .left), ("columns", .left),
      ])
      for layer in answer.layers {
        table.append([
          layer.name, NumberText.grouped(Int(layer.objectCount)), layer.clusters ? "yes" : "no",
          layer.columns.joined(separator: ", "),
        ])
      }
      table.print()
    }
  }
}

/// `moyeo tags`.
struct TagsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tags", abstract: "Popular tags of a layer or an area of it.")

  @Option(help: "The layer to ask.")
  var layer: String

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Only in this box.", valueName: "west,south,east,north"))
  var box: BoxText?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Only around this place; with --radius.", valueName: "latitude,longitude"))
  var at: CoordinateText?

  @Option(help: ArgumentHelp("Distance around --at.", valueName: "meters"))
  var radius: Double?

  @Option(help: ArgumentHelp("Only inside the GeoJSON polygon of this file.", valueName: "file"))
  var within: String?

  @Option(help: ArgumentHelp("Oldest observation to count.", valueName: "seconds"))
  var maxAge: Double?

  @Option(help: "Tags to show.")
  var limit: Int = 20

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard (at == nil) == (radius == nil) else {
      throw ValidationError("--at and --radius go together")
    }
    guard [box != nil, at != nil, within != nil].filter({ $0 }).count <= 1 else {
      throw ValidationError("choose one of --box, --at and --within")
    }
    guard (1...Int(Int32.max)).contains(limit) else {
      throw ValidationError("--limit is at least 1")
    }
  }

  func run() async throws {
    var request = Moyeo_V1_TagHistogramRequest()
    request.layer = layer
    if let box {
      request.west = box.west
      request.south = box.south
      request.east = box.east
      request.north = box.north
    }
    if let at, let radius {
      request.latitude = at.latitude
      request.longitude = at.longitude
      request.radiusMeters = radius
    }
    if let within { request.within = try PolygonFile.read(within) }
    if let maxAge { request.maxAgeSeconds = maxAge }
    request.limit = Int32(limit)
    try await connection.withClient { client in
      let answer = try await client.tagHistogram(request)
      if output.json { return try JSONOutput.print(answer) }
      guard !answer.tags.isEmpty else { return print("no tags") }
      var table = TextTable([("tag", .left), ("objects", .right)])
      for tag in answer.tags { table.append([tag.tag, NumberText.grouped(Int(tag.count))]) }
      table.print()
    }
  }
}
