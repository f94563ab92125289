import LiveLayers

/// Commands about the connection and the service.
extension CommandExecutor {
  /// The version whose answers these are.
  static let redisVersion = "7.0.15"

  mutating func runConnection(_ command: CommandName, _ words: CommandWords) throws(CommandRefusal)
  {
    switch command {
    case .ping:
      guard words.count <= 2 else {
        throw CommandRefusal("ERR wrong number of arguments for 'ping' command")
      }
      if words.count == 2 { writer.bulk(words[1]) } else { writer.status("PONG") }
    case .echo: writer.bulk(words[1])
    case .select:
      guard let database = words.integer(1), database == Int64(Int32(clamping: database)) else {
        throw .notAnInteger
      }
      guard database == 0 else { throw CommandRefusal("ERR DB index is out of range") }
      writer.status("OK")
    case .client: try client(words)
    case .command: try describe(words)
    case .info: writer.verbatim(information(words.count > 1 ? words.lowercasedText(1) : "default"))
    case .hello: try hello(words)
    case .auth:
      guard words.count <= 3 else { throw .syntax }
      // Without passwords a name is one that nobody has.
      guard asksForPassword || words.count == 2 else { throw .wrongPassword }
      try authenticate(words[words.count - 1])
      writer.status("OK")
    default:
      writer.version = 2
      name = ""
      access = nil
      writer.status("RESET")
    }
  }

  private mutating func hello(_ words: CommandWords) throws(CommandRefusal) {
    var version = Int64(writer.version)
    var newName: String?
    if words.count > 1 {
      guard let asked = words.integer(1) else {
        throw CommandRefusal("ERR Protocol version is not an integer or out of range")
      }
      guard asked == 2 || asked == 3 else {
        throw CommandRefusal("NOPROTO unsupported protocol version")
      }
      version = asked
    }
    var i = 2
    while i < words.count {
      if words.isOption(i, "setname"), i + 1 < words.count {
        newName = try connectionName(words, i + 1)
        i += 2
      } else if words.isOption(i, "auth"), i + 2 < words.count {
        guard asksForPassword else { throw .wrongPassword }
        try authenticate(words[i + 2])
        i += 3
      } else {
        throw CommandRefusal("ERR Syntax error in HELLO option '\(words.text(i))'")
      }
    }
    if asksForPassword, access?.holds() != true {
      throw CommandRefusal(
        "NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO "
          + "<proto> AUTH <user> <pass> option can be used to authenticate the client and select "
          + "the RESP protocol version at the same time", .notAuthenticated)
    }
    if let newName { name = newName }
    writer.version = Int(version)
    writer.map(7)
    for (field, value) in [("server", "redis"), ("version", Self.redisVersion)] {
      writer.bulk(field)
      writer.bulk(value)
    }
    writer.bulk("proto")
    writer.integer(version)
    writer.bulk("id")
    writer.integer(connectionID)
    for (field, value) in [("mode", "standalone"), ("role", "master")] {
      writer.bulk(field)
      writer.bulk(value)
    }
    writer.bulk("modules")
    writer.array(0)
  }

  private mutating func connectionName(_ words: CommandWords, _ index: Int) throws(CommandRefusal)
    -> String
  {
    guard words[index].allSatisfy({ (33...126).contains($0) }) else {
      throw CommandRefusal(
        "ERR Client names cannot contain spaces, newlines or special characters.")
    }
    return words.text(index)
  }

  private mutating func client(_ words: CommandWords) throws(CommandRefusal) {
    func require(_ count: Int, _ name: String) throws(CommandRefusal) {
      guard words.count == count else {
        throw CommandRefusal("ERR wrong number of arguments for 'client|\(name)' command")
      }
    }
    if words.isOption(1, "id") {
      try require(2, "id")
      writer.integer(connectionID)
    } else if words.isOption(1, "getname") {
      try require(2, "getname")
      if name.isEmpty { writer.null() } else { writer.bulk(name) }
    } else if words.isOption(1, "setname") {
      try require(3, "setname")
      name = try connectionName(words, 2)
      writer.status("OK")
    } else if words.isOption(1, "info") {
      try require(2, "info")
      writer.verbatim(
        "id=\(connectionID) addr=\(peer) name=\(name) db=0 user=default resp=\(writer.version)\n")
    } else {
      throw unknownSubcommand(words, "CLIENT")
    }
  }

  private mutating func unknownSubcommand(_ words: CommandWords, _ name: String) -> CommandRefusal {
    let found = String(decoding: words[1].prefix(128), as: UTF8.self)
    return CommandRefusal("ERR unknown subcommand '\(found)'. Try \(name) HELP.")
  }

  private mutating func describe(_ words: CommandWords) throws(CommandRefusal) {
    guard words.count > 1 else {
      writer.array(CommandTable.rows.count)
      for row in CommandTable.rows { write(row) }
      return
    }
    if words.isOption(1, "count"), words.count == 2 {
      writer.integer(CommandTable.rows.count)
    } else if words.isOption(1, "info") {
      guard words.count > 2 else { return try describe(words.prefix(1)) }
      writer.array(words.count - 2)
      for i in 2..<words.count {
        if let row = named(words, i) { write(row) } else { writer.nullArray() }
      }
    } else if words.isOption(1, "docs") {
      let rows =
        words.count == 2
        ? CommandTable.rows : (2..<words.count).compactMap { named(words, $0) }
      writer.map(rows.count)
      for row in rows { writeDocumentation(row) }
    } else {
      throw unknownSubcommand(words, "COMMAND")
    }
  }

  private mutating func named(_ words: CommandWords, _ index: Int) -> CommandDescription? {
    words[index].count <= 32 ? CommandTable.find(words.lowercasedText(index)) : nil
  }

  private mutating func write(_ row: CommandDescription) {
    writer.array(10)
    writer.bulk(row.name)
    writer.integer(row.arity)
    writer.set(row.flags.count)
    for flag in row.flags { writer.status(flag) }
    for number in [row.firstKey, row.lastKey, row.keyStep] { writer.integer(number) }
    writer.set(row.categories.count)
    for category in row.categories { writer.status(category) }
    // Tips, key specifications and subcommands are not told.
    for _ in 0..<3 { writer.array(0) }
  }

  private mutating func writeDocumentation(_ row: CommandDescription) {
    writer.bulk(row.name)
    writer.map(3)
    for (field, value) in [("summary", row.summary), ("since", row.since), ("group", row.group)] {
      writer.bulk(field)
      writer.bulk(value)
    }
  }

  private mutating func information(_ section: String) -> String {
    var out = ""
    func add(_ name: String, _ lines: () -> [String]) {
      guard ["default", "all", "everything", name.lowercased()].contains(section) else { return }
      if !out.isEmpty { out += "\r\n" }
      out += "# \(name)\r\n" + lines().map { $0 + "\r\n" }.joined()
    }
    add("Server") {
      [
        "redis_version:\(Self.redisVersion)", "redis_mode:standalone", "server_name:moyeo",
        "tcp_port:\(services.configuration.port)",
      ]
    }
    add("Clients") { ["connected_clients:\(services.openConnections)"] }
    add("Stats") {
      [
        "total_connections_received:\(services.connectionsReceived)",
        "total_commands_processed:\(services.figures.commandsProcessed)",
      ]
    }
    add("Replication") { ["role:master", "connected_slaves:0"] }
    add("Cluster") { ["cluster_enabled:0"] }
    add("Keyspace") {
      let keys = services.keys()
      guard !keys.isEmpty else { return [] }
      let expires = keys.count { services.expiry.deadline(of: $0.name) != nil }
      return ["db0:keys=\(keys.count),expires=\(expires),avg_ttl=0"]
    }
    return out
  }
}
