import ArgumentParser
import Foundation
import GeoMath
import LiveLayers
import DurableCommands
import MoyeoStorage
import ObjectModel
import SwiftProtobuf
import WireFormat

/// `moyeo export`.
struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write parties and last positions as GeoJSON, CSV or a SpatiaLite map.",
    discussion: """
      Reads the data directory itself; the daemon may run. Parties stand where they begin, with their \
      destination in columns; lines are the ways that they take. Positions are those last written behind that have not expired; what \
      is exported of one layer comes back by moyeo import, in each format, with its ids, tags, \
      attributes, times and expiry. \
      spatialite makes a file of map layers for QGIS, ogr2ogr or the spatialite shell; geojson and \
      csv go to standard output without --to.
      """)

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case geojson, spatialite, csv
  }

  enum What: String, ExpressibleByArgument, CaseIterable {
    case parties, lines, positions
  }

  @Option(help: "The daemon's data directory.")
  var dataDirectory = "./moyeo-data"
  @Option(help: "geojson, spatialite or csv.")
  var format: Format
  @Option(help: "parties, lines or positions; spatialite takes all when it is not given.")
  var what: What?
  @Option(help: "Only positions of this layer.")
  var layer: String?
  @Option(help: "Only of this tenant.")
  var tenant: String?
  @Option(name: .customLong("to"), help: "The file to write; must not exist yet.")
  var file: String?
  @Flag(help: "Print what was written to the file as JSON.")
  var json = false

  func validate() throws {
    if json, file == nil {
      throw ValidationError("--json tells what was written to a file: --to")
    }
    if format == .spatialite, file == nil {
      throw ValidationError("spatialite needs a file: --to")
    }
    if layer != nil, what == .parties || what == .lines {
      throw ValidationError("--layer is for positions")
    }
  }

  func run() throws {
    let interrupt = InterruptSignal()
    do {
      try requireLayer()
      if format == .spatialite, let file {
        try writeMap(to: file, interrupt)
      } else {
        try writeText(interrupt)
      }
    } catch let error as StorageError {
      throw CommandFailure(message: error.description)
    } catch let error as StoreFailure {
      throw CommandFailure(message: error.reason)
    }
  }

  private func requireLayer() throws {
    guard let layer else { return }
    let known = try StoreExport.layers(dataDirectory: dataDirectory, tenant: tenant)
    guard !known.contains(layer) else { return }
    throw CommandFailure(
      message: "there is no layer \(excerpt(layer)) in \(dataDirectory): "
        + (known.isEmpty
          ? "no positions are kept there" : "it has \(known.joined(separator: ", "))")
    )
  }

  private func each(
    _ what: What, _ interrupt: InterruptSignal, _ write: (StoreExport.Feature) throws -> Void
  ) throws {
    var progress = ProgressLine(after: .seconds(1))
    defer { progress.clear() }
    var count = 0
    let body = { (feature: StoreExport.Feature) throws in
      if interrupt.isRaised { throw CommandExit.interruption }
      try write(feature)
      count += 1
      progress.update { "\(NumberText.grouped(count)) \(what.rawValue)" }
    }
    switch what {
    case .parties:
      try StoreExport.eachParty(dataDirectory: dataDirectory, tenant: tenant, body)
    case .lines:
      try StoreExport.eachLine(dataDirectory: dataDirectory, tenant: tenant, body)
    case .positions:
      try StoreExport.eachPosition(
        dataDirectory: dataDirectory, layer: layer, tenant: tenant, liveAt: SystemClock().now(),
        describe: describe, body)
    }
  }

  private func table(_ what: What) -> StoreExport.Table {
    switch what {
    case .parties: StoreExport.parties
    case .lines: StoreExport.lines
    case .positions: StoreExport.positions
    }
  }

  /// Tags and attributes of a payload as ``LiveLayers`` keeps them.
  private func describe(_ payload: [UInt8]) -> (tags: [String], attributes: String) {
    payload.withUnsafeBytes { bytes in
      let encoded = Array(ObjectPayload.attributes(in: bytes))
      let attributes = try? Google_Protobuf_Struct(serializedBytes: encoded)
      return (ObjectPayload.tags(in: bytes), attributes.map(AttributeText.json) ?? "{}")
    }
  }

  private func writeMap(to file: String, _ interrupt: InterruptSignal) throws {
    let map = try SpatialFile(path: file)
    var counts: [(What, Int)] = []
    for what in what.map({ [$0] }) ?? What.allCases {
      try map.begin(table(what))
      var count = 0
      try each(what, interrupt) {
        try map.add($0)
        count += 1
      }
      try map.end(table(what))
      counts.append((what, count))
      if !json { print("\(count) \(what.rawValue)") }
    }
    try map.finish()
    if json { print(figures(counts)) }
  }

  private func figures(_ counts: [(What, Int)]) -> String {
    JSONPieces.object { text in
      text.string("file", file ?? "")
      text.string("format", format.rawValue)
      for (what, count) in counts { text.integer(what.rawValue, Int64(count)) }
    }
  }

  private func writeText(_ interrupt: InterruptSignal) throws {
    var sink = try FeatureSink(file: file)
    do {
      let count = try write(to: &sink, interrupt)
      try sink.finish()
      if json { print(figures([(textContent, count)])) }
    } catch {
      sink.discard()
      throw error
    }
  }

  /// What a text is about: one kind of things.
  private var textContent: What { what ?? (layer == nil ? .parties : .positions) }

  /// - Returns: How many features were written.
  private func write(to sink: inout FeatureSink, _ interrupt: InterruptSignal) throws -> Int {
    let what = textContent
    var count = 0
    let columns = table(what).columns
    switch format {
    case .csv:
      try sink.write(FeatureText.csvHeading(table(what)))
      try each(what, interrupt) {
        try sink.write(FeatureText.csv($0))
        count += 1
      }
    case .geojson, .spatialite:
      try sink.write("{\"type\":\"FeatureCollection\",\"features\":[")
      try each(what, interrupt) {
        try sink.write((count == 0 ? "\n" : ",\n") + FeatureText.geoJSON($0, columns, what))
        count += 1
      }
      try sink.write("\n]}\n")
    }
    return count
  }
}

/// Features as text.
enum FeatureText {
  static func csvHeading(_ table: StoreExport.Table) -> String {
    let places = table.geometry == .point ? ["latitude", "longitude"] : ["line"]
    return (table.columns.map(\.name) + places).joined(separator: ",") + "\r\n"
  }

  /// RFC 4180; a line as well-known text.
  static func csv(_ feature: StoreExport.Feature) -> String {
    let corners = feature.line.map { number($0.longitude) + " " + number($0.latitude) }
    let places =
      corners.isEmpty
      ? [number(feature.latitude), number(feature.longitude)]
      : [cell("LINESTRING (\(corners.joined(separator: ", ")))")]
    let cells = feature.values.map { cell($0.plainText) } + places
    return cells.joined(separator: ",") + "\r\n"
  }

  private static func number(_ value: Double) -> String { StoreExport.Value.text(value) }

  private static func cell(_ text: String) -> String {
    guard text.utf8.contains(where: { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }) else { return text }
    return "\"" + text.replacingOccurrences(of: "\"", with: "\"\"") + "\""
  }

  /// RFC 7946; a column without a value is left out. A position has its id as the feature's, too,
  /// and a member by which an import knows it (``ExportedPosition``).
  static func geoJSON(
    _ feature: StoreExport.Feature, _ columns: [StoreExport.Table.Column],
    _ what: ExportCommand.What
  ) -> String {
    var head = "{\"type\":\"Feature\","
    if let index = columns.firstIndex(where: { $0.name == "id" }) {
      head += "\"id\":\(JSONPieces.string(feature.values[index].plainText)),"
    }
    if what == .positions { head += "\"moyeo\":\"\(ExportedPosition.marker)\"," }
    let properties = zip(columns, feature.values).compactMap { column, value in
      json(value).map { "\"\(column.name)\":\($0)" }
    }
    return head + "\"geometry\":" + geometry(feature) + ",\"properties\":{"
      + properties.joined(separator: ",") + "}}"
  }

  private static func geometry(_ feature: StoreExport.Feature) -> String {
    func pair(_ longitude: Double, _ latitude: Double) -> String {
      "[\(number(longitude)),\(number(latitude))]"
    }
    guard !feature.line.isEmpty else {
      return "{\"type\":\"Point\",\"coordinates\":"
        + pair(feature.longitude, feature.latitude) + "}"
    }
    let corners = feature.line.map { pair($0.longitude, $0.latitude) }
    return "{\"type\":\"LineString\",\"coordinates\":[" + corners.joined(separator: ",") + "]}"
  }

  private static func json(_ value: StoreExport.Value) -> String? {
    switch value {
    case .none: nil
    case .text, .time: JSONPieces.string(value.plainText)
    case .integer, .number, .json: value.plainText
    case .texts(let all): "[" + all.map(JSONPieces.string).joined(separator: ",") + "]"
    }
  }
}

/// Standard output, or a file that gets its name when it is complete.
struct FeatureSink {
  private let file: String?
  private let handle: FileHandle
  private var buffer = Data()

  /// Writes to what is open already; `file` is what it is called in messages and in the end.
  init(file: String, handle: FileHandle) {
    self.file = file
    self.handle = handle
  }

  init(file: String?) throws {
    self.file = file
    guard let file else {
      handle = .standardOutput
      return
    }
    guard !FileManager.default.fileExists(atPath: file) else {
      throw CommandFailure(message: "\(file) exists already")
    }
    guard FileManager.default.createFile(atPath: file + ".partial", contents: nil),
      let opened = FileHandle(forWritingAtPath: file + ".partial")
    else { throw CommandFailure(message: "\(file) cannot be written") }
    handle = opened
  }

  mutating func write(_ text: String) throws {
    buffer.append(contentsOf: text.utf8)
    if buffer.count > 1 << 16 { try flush() }
  }

  mutating func finish() throws {
    try flush()
    guard let file else { return }
    try handle.close()
    try FileManager.default.moveItem(atPath: file + ".partial", toPath: file)
  }

  /// Leaves nothing of a file that was not completed.
  func discard() {
    if let file { try? FileManager.default.removeItem(atPath: file + ".partial") }
  }

  private mutating func flush() throws {
    do {
      try handle.write(contentsOf: buffer)
    } catch {
      let reason = StandardOutput.reason(error)
      discard()
      throw CommandFailure(message: "\(file ?? "standard output") cannot be written: \(reason)")
    }
    buffer.removeAll(keepingCapacity: true)
  }
}
