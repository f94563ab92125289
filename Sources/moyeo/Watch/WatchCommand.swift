import ArgumentParser
import Foundation
import MoyeoAPI
import MoyeoClient
import SwiftProtobuf
import Threading

/// `moyeo watch`.
struct WatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch", abstract: "Who enters, moves in and leaves an area, until Ctrl-C.",
    discussion: """
      On a terminal the area is drawn anew as it changes; a file or a pipe takes a line an event.
      Example: moyeo watch --layer users --at 37.5663,126.9779 --radius 500 --tags swift
      """)

  @Option(help: "The layer to watch.")
  var layer: String

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The middle of a circle; with --radius.", valueName: "latitude,longitude"))
  var at: CoordinateText?

  @Option(help: ArgumentHelp("Distance around --at.", valueName: "meters"))
  var radius: Double?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("A box instead.", valueName: "west,south,east,north"))
  var box: BoxText?

  @Option(help: ArgumentHelp("The GeoJSON polygon of this file instead.", valueName: "file"))
  var within: String?

  @Option(help: ArgumentHelp("Tags to carry, divided by commas; repeatable.", valueName: "tags"))
  var tags: [String] = []

  @Flag(help: "Any of the tags suffices.")
  var any = false

  @Option(
    name: .customLong("where"),
    help: ArgumentHelp(
      "Condition on an attribute: level=5, gender=female, level:1..3; repeatable.",
      valueName: "condition"))
  var conditions: [ConditionText] = []

  @Option(help: ArgumentHelp("Least time between two changes.", valueName: "milliseconds"))
  var interval: Int32?

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard (at == nil) == (radius == nil) else {
      throw ValidationError("--at and --radius go together")
    }
    guard [box != nil, at != nil, within != nil].filter({ $0 }).count == 1 else {
      throw ValidationError("choose one of --at with --radius, --box and --within")
    }
  }

  private func request() throws -> Moyeo_V1_WatchPositionsRequest {
    var request = Moyeo_V1_WatchPositionsRequest()
    request.layer = layer
    if let at, let radius {
      (request.latitude, request.longitude) = (at.latitude, at.longitude)
      request.radiusMeters = radius
    }
    if let box {
      (request.west, request.south) = (box.west, box.south)
      (request.east, request.north) = (box.east, box.north)
    }
    if let within { request.within = try PolygonFile.read(within) }
    request.tags = FilterOptions.list(tags)
    if any { request.tagMatch = "any" }
    request.where = conditions.map(\.condition)
    if let interval { request.intervalMilliseconds = interval }
    return request
  }

  private var title: String {
    if let at, let radius {
      return "\(layer) within \(NumberText.distance(radius)) of "
        + "\(NumberText.fixed(at.latitude, 4)),\(NumberText.fixed(at.longitude, 4))"
    }
    return box == nil ? "\(layer) in the polygon" : "\(layer) in the box"
  }

  func run() async throws {
    let request = try request()
    try await connection.withClient { client in
      // Where there is no terminal, a line an event.
      guard !output.json, Terminal.outputColumns != nil else {
        let isJSON = output.json
        return try await client.watchPositions(request) { event in
          try StandardOutput.printAtOnce(
            isJSON ? try JSONOutput.text(event) : LiveView.line(event))
        }
      }
      try await draw(request, client)
    }
  }

  /// Draws until Ctrl-C, or until the stream ends for good.
  private func draw(
    _ request: Moyeo_V1_WatchPositionsRequest, _ client: MoyeoClient
  ) async throws {
    let interrupt = InterruptSignal()
    let view = StateLock(LiveView())
    let screen = try TerminalScreen()
    defer { screen.close() }
    let title = title
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        try await client.watchPositions(request) { event in view.withLock { $0.take(event) } }
      }
      group.addTask {
        while !interrupt.isRaised {
          let size = Terminal.outputSize ?? (rows: 24, columns: 80)
          let lines = view.withLock {
            $0.lines(title, rows: size.rows - 1, columns: size.columns)
          }
          try screen.draw(lines, size)
          try await Task.sleep(for: .milliseconds(250))
        }
        throw CommandExit.interruption
      }
      defer { group.cancelAll() }
      try await group.next()
    }
  }
}

/// The whole terminal, which comes back as it was.
struct TerminalScreen {
  /// The other screen, with the cursor hidden.
  init() throws { try Self.write("\u{1B}[?1049h\u{1B}[?25l") }

  func draw(_ lines: [String], _ size: (rows: Int, columns: Int)) throws {
    try Self.write(Self.frame(lines, size))
  }

  /// Each line from its beginning, with what was there behind it taken away.
  static func frame(_ lines: [String], _ size: (rows: Int, columns: Int)) -> String {
    "\u{1B}[H"
      + lines.prefix(size.rows).map { ProgressLine.cut($0, to: size.columns) + "\u{1B}[K" }
      .joined(separator: "\r\n") + "\u{1B}[J"
  }

  func close() { try? Self.write("\u{1B}[?25h\u{1B}[?1049l") }

  private static func write(_ text: String) throws {
    Swift.print(text, terminator: "")
    try StandardOutput.finish()
  }
}
