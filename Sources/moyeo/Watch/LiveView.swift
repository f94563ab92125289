import MoyeoAPI

/// What a watch of positions shows in a terminal: who is in, nearest first, and what has happened.
struct LiveView {
  private var objects: [String: Moyeo_V1_WatchPositionsEvent] = [:]
  private(set) var entered = 0
  private(set) var left = 0
  private(set) var moved = 0

  var count: Int { objects.count }

  mutating func take(_ event: Moyeo_V1_WatchPositionsEvent) {
    switch event.kind {
    // What follows are all objects that there are.
    case "reset": objects = [:]
    case "exit":
      left += 1
      objects[event.id] = nil
    case "enter":
      if !event.snapshot, objects[event.id] == nil { entered += 1 }
      objects[event.id] = event
    case "move":
      moved += 1
      objects[event.id] = event
    // Of a later daemon.
    default: break
    }
  }

  /// A heading and a table, in so many rows and columns of a terminal; the farthest objects that
  /// there is no room for are counted instead.
  func lines(_ title: String, rows: Int, columns: Int) -> [String] {
    func grouped(_ value: Int) -> String { NumberText.grouped(value) }
    let heading =
      "\(title): \(grouped(count)) in, \(grouped(entered)) entered, \(grouped(left)) left, "
      + "\(grouped(moved)) moves"
    guard !objects.isEmpty else { return [heading, "", "nobody"] }
    let order = objects.values.sorted {
      ($0.distanceMeters, $0.id) < ($1.distanceMeters, $1.id)
    }
    // The heading, an empty line, the headings of columns, and what does not fit.
    let room = max(1, rows - 4)
    var lines = [heading, ""] + Self.table(order.prefix(room)).lines(fitting: columns)
    if order.count > room { lines.append("and \(grouped(order.count - room)) more") }
    return lines
  }

  private static func table(_ events: ArraySlice<Moyeo_V1_WatchPositionsEvent>) -> TextTable {
    var table = TextTable([
      ("id", .left), ("distance", .right), ("latitude", .right), ("longitude", .right),
      ("tags", .left), ("attributes", .left),
    ])
    for event in events {
      table.append([
        event.id, event.hasDistanceMeters ? NumberText.distance(event.distanceMeters) : "",
        NumberText.fixed(event.latitude, 6), NumberText.fixed(event.longitude, 6),
        event.tags.joined(separator: " "), JSONOutput.inline(event.attributes),
      ])
    }
    return table
  }

  /// One event as a line, for files and pipes.
  static func line(_ event: Moyeo_V1_WatchPositionsEvent) -> String {
    var words = [event.kind]
    if !event.id.isEmpty { words.append(TextTable.printable(event.id)) }
    if event.hasLatitude {
      words.append(
        NumberText.fixed(event.latitude, 6) + "," + NumberText.fixed(event.longitude, 6))
    }
    if event.hasDistanceMeters { words.append(NumberText.distance(event.distanceMeters)) }
    words += event.tags.map { "#" + TextTable.printable($0) }
    return words.joined(separator: " ")
  }
}
