import ArgumentParser
import Foundation
import MoyeoClient
import MoyeoStorage

/// `moyeo import`.
struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import positions from a file, or a key of Redis, into a layer.",
    discussion: """
      CSV needs a heading; the delimiter is found in it. Latitude and longitude columns are \
      recognised by usual names (latitude, lat, y, 위도, ...Y좌표) unless several fit. A row's id is \
      its id column (by option, or a column named id), a GeoJSON feature's id, else <file>:<row>, \
      rows counted from 1 without the heading. NDJSON holds a position as the API takes it or a \
      GeoJSON feature a line. A file that moyeo export wrote (CSV, GeoJSON or spatialite) comes back \
      as it was, with its tags, attributes, times and expiry.

      Columns that say a place's name, address or category become the attributes of these names, by \
      which `moyeo place` finds it: moyeo import stations.csv --layer places --name-column 역한글명칭

      --redis HOST:PORT --key KEY brings over the members that GEOADD put under a key, a page at a \
      time, while the server goes on; the layer is named as the key unless --layer says otherwise. \
      A password comes from MOYEO_REDIS_PASSWORD (and MOYEO_REDIS_USER), never from the arguments.

      Refused rows are listed with line and reason and never hold up the others. Exit code 0 when \
      any row was accepted (with --strict: when no row was refused).
      """)

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case csv, geojson, ndjson, spatialite
  }

  @Argument(help: "A .csv, .tsv, .geojson, .json, .ndjson or .jsonl file, or - for standard input.")
  var file: String?

  @Option(help: "The layer to fill; it begins with its first report.")
  var layer: String?

  @Option(
    help: ArgumentHelp("Read a key of this redis-server, not a file.", valueName: "host:port"))
  var redis: String?

  @Option(help: ArgumentHelp("The key, with --redis.", valueName: "key"))
  var key: String?

  @Option(help: "The format, when the name does not tell: csv, geojson, ndjson or spatialite.")
  var format: Format?

  @Option(help: ArgumentHelp("Column (GeoJSON: property) that holds the id.", valueName: "name"))
  var idColumn: String?

  @Option(help: ArgumentHelp("Column that holds the latitude.", valueName: "name"))
  var latitudeColumn: String?

  @Option(help: ArgumentHelp("Column that holds the longitude.", valueName: "name"))
  var longitudeColumn: String?

  @Option(
    help: ArgumentHelp("Column (property) that holds tags; one named tags.", valueName: "name"))
  var tagsColumn: String?

  @Option(help: ArgumentHelp("Characters that divide tags.", valueName: "characters"))
  var tagSeparator: String = ";|,"

  @Option(
    help: ArgumentHelp(
      "Column (property) with the name of a place; one named name.", valueName: "name"))
  var nameColumn: String?

  @Option(
    help: ArgumentHelp(
      "Column (property) with its address; one named address.", valueName: "name"))
  var addressColumn: String?

  @Option(
    help: ArgumentHelp(
      "Column (property) with its category; one named category.", valueName: "name"))
  var categoryColumn: String?

  @Option(
    help: ArgumentHelp(
      "Columns (properties) to keep as attributes, divided by commas; repeatable.",
      valueName: "names"))
  var attributeColumns: [String] = []

  @Flag(help: "Keep all other columns as attributes (GeoJSON properties are kept anyway).")
  var allAttributes = false

  @Flag(help: "Keep no attributes.")
  var noAttributes = false

  @Option(
    help: ArgumentHelp(
      "Column (property) with the time of observation: RFC 3339, or seconds since 1970.",
      valueName: "name"))
  var observedAtColumn: String?

  @Option(
    help: ArgumentHelp("Offset of times that name none, e.g. +09:00.", valueName: "offset"))
  var utcOffset: String = "Z"

  @Option(help: ArgumentHelp("Time to live; 0 never expires.", valueName: "seconds"))
  var ttl: Double = 0

  @Option(help: ArgumentHelp("CSV delimiter: one character, or tab.", valueName: "character"))
  var delimiter: String?

  @Option(help: "Rows a request, 1-1000.")
  var batchSize: Int = 1000

  @Option(help: ArgumentHelp("Refused rows to list; all are counted.", valueName: "count"))
  var listRefused: Int = 1000

  @Flag(help: "Exit with 1 when any row was refused.")
  var strict = false

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard (1...1000).contains(batchSize) else { throw ValidationError("--batch-size is 1 to 1000") }
    guard listRefused >= 0 else { throw ValidationError("--list-refused is not below 0") }
    guard ttl >= 0, ttl.isFinite else { throw ValidationError("--ttl is not below 0") }
    guard [allAttributes, noAttributes, !attributeColumns.isEmpty].filter({ $0 }).count <= 1 else {
      throw ValidationError("choose one of --attribute-columns, --all-attributes, --no-attributes")
    }
    if let delimiter, delimiterByte == nil {
      throw ValidationError("\(excerpt(delimiter)) is not one character")
    }
    guard !tagSeparator.isEmpty else { throw ValidationError("--tag-separator is empty") }
    guard TimeText.parseOffset(utcOffset) != nil else {
      throw ValidationError("\(excerpt(utcOffset)) is not an offset such as +09:00")
    }
    if let redis {
      try validate(redis: redis)
    } else {
      guard key == nil else { throw ValidationError("--key goes with --redis") }
      guard let file else { throw ValidationError("name a file, or --redis and --key") }
      guard layer != nil else { throw ValidationError("--layer is missing") }
      _ = try resolvedFormat(file)
    }
    guard layer != "" else { throw ValidationError("--layer is empty") }
  }

  private func validate(redis: String) throws {
    guard let key, !key.isEmpty else { throw ValidationError("--redis goes with --key") }
    guard file == nil else { throw ValidationError("name a file or --redis, not both") }
    guard RedisAddress(redis) != nil else {
      throw ValidationError(
        "\(excerpt(redis)) is not HOST:PORT (TLS is not spoken: put a tunnel in front)")
    }
    guard mapping.namesNoColumn, mapping.attributes == nil, format == nil, delimiter == nil else {
      throw ValidationError("members of Redis have a name and a place: no format, no columns")
    }
  }

  /// The layer that is filled.
  private var target: String { layer ?? key ?? "" }

  private var delimiterByte: UInt8? {
    switch delimiter {
    case nil: return (file ?? "").lowercased().hasSuffix(".tsv") ? UInt8(ascii: "\t") : nil
    case "tab", "\\t", "\t": return UInt8(ascii: "\t")
    case let text?:
      guard text.utf8.count == 1, let byte = text.utf8.first,
        byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\n"), byte != UInt8(ascii: "\r")
      else { return nil }
      return byte
    }
  }

  private func resolvedFormat(_ file: String) throws -> Format {
    if let format { return format }
    var name = file.lowercased()
    // What is packed is said when it is opened.
    for packed in [".gz", ".zst", ".xz", ".bz2", ".zip"] where name.hasSuffix(packed) {
      name.removeLast(packed.count)
    }
    for (ending, format) in [
      (".csv", Format.csv), (".tsv", .csv), (".txt", .csv), (".geojson", .geojson),
      (".json", .geojson), (".ndjson", .ndjson), (".jsonl", .ndjson), (".geojsonl", .ndjson),
      (".geojsons", .ndjson), (".sqlite", .spatialite), (".spatialite", .spatialite),
    ] where name.hasSuffix(ending) {
      return format
    }
    throw ValidationError("the format of \(excerpt(file)) is not clear; say --format")
  }

  private var mapping: RowMapping {
    var mapping = RowMapping()
    mapping.idColumn = idColumn
    mapping.latitudeColumn = latitudeColumn
    mapping.longitudeColumn = longitudeColumn
    mapping.tagsColumn = tagsColumn
    mapping.observedAtColumn = observedAtColumn
    mapping.placeColumns[.name] = nameColumn
    mapping.placeColumns[.address] = addressColumn
    mapping.placeColumns[.category] = categoryColumn
    mapping.tagSeparators = tagSeparator
    mapping.ttlSeconds = ttl
    mapping.utcOffsetSeconds = TimeText.parseOffset(utcOffset) ?? 0
    if allAttributes { mapping.attributes = .all }
    if noAttributes { mapping.attributes = RowMapping.Attributes.none }
    if !attributeColumns.isEmpty {
      mapping.attributes = .named(
        attributeColumns.flatMap { $0.split(separator: ",").map(String.init) })
    }
    return mapping
  }

  /// What is imported.
  private struct Opened {
    var rows: any ImportSource
    let name: String
    /// Bytes of a file, members of a key.
    let total: Int?
  }

  private func open() throws -> Opened {
    if let redis, let key, let address = RedisAddress(redis) {
      let rows = try address.open(key: key, timeout: connection.timeout, ttlSeconds: ttl)
      return Opened(rows: rows, name: "\(redis) \(key)", total: rows.count)
    }
    return try open(file: file ?? "")
  }

  private func open(file: String) throws -> Opened {
    let source = try ByteSource(path: file)
    do {
      let rows: any ImportSource
      switch try resolvedFormat(file) {
      case .csv: rows = try CSVImport(source, mapping: mapping, delimiter: delimiterByte)
      case .geojson: rows = GeoJSONImport(source, mapping: mapping)
      case .ndjson: rows = NDJSONImport(source, mapping: mapping)
      case .spatialite:
        guard file != "-" else {
          throw CommandFailure.usage("a spatialite file is read by its name, not from a pipe")
        }
        rows = try SpatialImport(
          path: file, totalBytes: source.totalBytes ?? 0, mapping: mapping)
      }
      return Opened(rows: rows, name: source.name, total: source.totalBytes)
    } catch let error as StorageError {
      throw CommandFailure(message: error.description)
    } catch ImportFileError.columns(let message) {
      throw CommandFailure.usage(message)
    } catch let error as ImportFileError {
      throw CommandFailure(message: "\(source.name): \(error)")
    }
  }

  func run() async throws {
    let interrupt = InterruptSignal()
    var source = try open()
    // It makes its own attempts, and counts them.
    try await connection.withClient(retries: .never) { client in
      var importer = Importer(
        sink: client, layer: target, batchSize: batchSize,
        summary: ImportSummary(kept: listRefused),
        patience: .milliseconds(Int64(connection.timeout * 1000)))
      var progress = ProgressLine()
      var failure: (any Error)?
      do {
        while let item = try source.rows.next() {
          if interrupt.isRaised { break }
          try await importer.take(item)
          let seconds = progress.elapsedSeconds
          progress.update {
            Self.progress(
              importer.summary.rows, bytes: source.rows.bytesRead, total: source.total,
              seconds: seconds)
          }
        }
      } catch { failure = error }
      // A file that breaks off halfway: what was read before is sent all the same.
      if failure == nil || failure is ImportFileError || failure is RedisImportError {
        do { try await importer.flush() } catch { failure = error }
      }
      // What was under way is in the sum.
      if failure == nil, interrupt.isRaised { failure = CommandExit.interruption }
      progress.clear()
      if importer.summary.rows > 0 || failure == nil || interrupt.isRaised {
        report(importer.summary, source.name, progress.elapsedSeconds)
      }
      if let line = importer.firstUnsentLine, importer.summary.rows > 0 {
        Terminal.note("stopped: rows from line \(line) on were not all taken")
      }
      try conclude(importer.summary, source.name, failure)
    }
  }

  private func report(_ summary: ImportSummary, _ name: String, _ seconds: Double) {
    if output.json {
      print(summary.json(file: name, layer: target, seconds: seconds))
    } else {
      for line in summary.lines(seconds: seconds) { print(line) }
    }
    if let hint = summary.hint { Terminal.note("hint: " + hint) }
  }

  private func conclude(_ summary: ImportSummary, _ name: String, _ failure: (any Error)?) throws {
    switch failure {
    case let error as ImportFileError: throw CommandFailure(message: "\(name): \(error)")
    case let error as RedisImportError: throw CommandFailure(message: "\(error)")
    case let error?: throw error
    case nil: break
    }
    if summary.accepted == 0 {
      throw CommandFailure(
        message: summary.rows == 0 ? "\(name) holds no rows" : "no row was accepted")
    }
    if strict, summary.refused > 0 {
      throw CommandFailure(message: "\(summary.refused) rows were refused (--strict)")
    }
  }

  static func progress(_ rows: Int, bytes: Int, total: Int?, seconds: Double) -> String {
    let rate = seconds > 0 ? Double(rows) / seconds : 0
    let tail = "\(NumberText.grouped(rows)) rows, \(NumberText.grouped(Int(rate))) rows/s"
    guard let total, total > 0, bytes > 0 else { return tail }
    let share = min(1, Double(bytes) / Double(total))
    let left = seconds * (1 - share) / share
    return "\(ProgressLine.bar(share)) \(Int(share * 100)) %  \(tail), "
      + "\(NumberText.duration(left)) left"
  }
}
