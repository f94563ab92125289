/// The commands that are served, and those that are refused with a reason.
enum CommandName: Int, CaseIterable, Sendable {
  case geoadd
  case geopos
  case geodist
  case geohash
  case geosearch
  case geosearchstore
  case georadius
  case georadiusbymember
  case georadiusReadOnly
  case georadiusbymemberReadOnly
  case zrem
  case zcard
  case zscore
  case zmscore
  case zrange
  case zscan
  case delete
  case unlink
  case exists
  case type
  case scan
  case expire
  case ttl
  case pexpire
  case pttl
  case persist
  case ping
  case echo
  case select
  case client
  case command
  case info
  case dbsize
  case quit
  case reset
  case hello
  case auth
  case multi
  case execute
  case discard
  case watch
  case unwatch
}

/// What is known of a command: its arity, and what COMMAND tells of it. The figures are those that a
/// redis-server 7.0 gives, so that clients find the keys of a command where they expect them.
final class CommandDescription: Sendable {
  let command: CommandName
  let name: String
  let nameBytes: [UInt8]
  /// The number of words, the name included; negative for at least so many.
  let arity: Int
  let flags: [String]
  /// Whether it is carried out before AUTH.
  let needsNoPassword: Bool
  let isReadOnly: Bool
  let isWrite: Bool
  /// Whether it writes only where an option says so.
  let mayStore: Bool
  let firstKey: Int
  let lastKey: Int
  let keyStep: Int
  let categories: [String]
  let since: String
  let group: String
  let summary: String

  init(
    _ command: CommandName, _ name: String, _ arity: Int, _ flags: String,
    keys: (first: Int, last: Int, step: Int) = (0, 0, 0), _ categories: String, since: String,
    _ group: String, _ summary: String
  ) {
    self.command = command
    self.name = name
    nameBytes = Array(name.utf8)
    self.arity = arity
    self.flags = flags.split(separator: " ").map(String.init)
    needsNoPassword = self.flags.contains("no_auth")
    isReadOnly = self.flags.contains("readonly")
    isWrite = self.flags.contains("write")
    mayStore = self.flags.contains("movablekeys")
    (firstKey, lastKey, keyStep) = keys
    self.categories = categories.split(separator: " ").map { "@" + $0 }
    self.since = since
    self.group = group
    self.summary = summary
  }

  func takes(words count: Int) -> Bool { arity < 0 ? count >= -arity : count == arity }
}

/// The table of commands.
enum CommandTable {
  static let rows: [CommandDescription] = [
    CommandDescription(
      .geoadd, "geoadd", -5, "write denyoom", keys: (1, 1, 1),
      "write geo slow", since: "3.2.0", "geo",
      "Reports positions of members"),
    CommandDescription(
      .geopos, "geopos", -2, "readonly", keys: (1, 1, 1),
      "read geo slow", since: "3.2.0", "geo",
      "Answers where members are"),
    CommandDescription(
      .geodist, "geodist", -4, "readonly", keys: (1, 1, 1),
      "read geo slow", since: "3.2.0", "geo",
      "Answers the distance of two members"),
    CommandDescription(
      .geohash, "geohash", -2, "readonly", keys: (1, 1, 1),
      "read geo slow", since: "3.2.0", "geo",
      "Answers members' geohashes"),
    CommandDescription(
      .geosearch, "geosearch", -7, "readonly", keys: (1, 1, 1),
      "read geo slow", since: "6.2.0", "geo",
      "Finds members in a circle or box"),
    CommandDescription(
      .geosearchstore, "geosearchstore", -8, "write denyoom", keys: (1, 2, 1),
      "write geo slow", since: "6.2.0", "geo",
      "Keeps the members in a circle or box under another key"),
    CommandDescription(
      .georadius, "georadius", -6, "write denyoom movablekeys", keys: (1, 1, 1),
      "write geo slow", since: "3.2.0", "geo",
      "Finds members around a place"),
    CommandDescription(
      .georadiusbymember, "georadiusbymember", -5, "write denyoom movablekeys", keys: (1, 1, 1),
      "write geo slow", since: "3.2.0", "geo",
      "Finds members around a member"),
    CommandDescription(
      .georadiusReadOnly, "georadius_ro", -6, "readonly", keys: (1, 1, 1),
      "read geo slow", since: "3.2.10", "geo",
      "Finds members around a place, without storing"),
    CommandDescription(
      .georadiusbymemberReadOnly, "georadiusbymember_ro", -5, "readonly", keys: (1, 1, 1),
      "read geo slow", since: "3.2.10", "geo",
      "Finds members around a member, without storing"),
    CommandDescription(
      .zrem, "zrem", -3, "write fast", keys: (1, 1, 1),
      "write sortedset fast", since: "1.2.0", "sorted-set",
      "Removes members"),
    CommandDescription(
      .zcard, "zcard", 2, "readonly fast", keys: (1, 1, 1),
      "read sortedset fast", since: "1.2.0", "sorted-set",
      "Counts the members of a key"),
    CommandDescription(
      .zscore, "zscore", 3, "readonly fast", keys: (1, 1, 1),
      "read sortedset fast", since: "1.2.0", "sorted-set",
      "Answers the code of a member's cell"),
    CommandDescription(
      .zmscore, "zmscore", -3, "readonly fast", keys: (1, 1, 1),
      "read sortedset fast", since: "6.2.0", "sorted-set",
      "Answers the codes of members' cells"),
    CommandDescription(
      .zrange, "zrange", -4, "readonly", keys: (1, 1, 1),
      "read sortedset slow", since: "1.2.0", "sorted-set",
      "Lists members in the order of their codes"),
    CommandDescription(
      .zscan, "zscan", -3, "readonly", keys: (1, 1, 1),
      "read sortedset slow", since: "2.8.0", "sorted-set",
      "Lists all members, a part at a time"),
    CommandDescription(
      .delete, "del", -2, "write", keys: (1, -1, 1),
      "keyspace write slow", since: "1.0.0", "generic",
      "Removes keys"),
    CommandDescription(
      .unlink, "unlink", -2, "write fast", keys: (1, -1, 1),
      "keyspace write fast", since: "4.0.0", "generic",
      "Removes keys; their members go in the background"),
    CommandDescription(
      .exists, "exists", -2, "readonly fast", keys: (1, -1, 1),
      "keyspace read fast", since: "1.0.0", "generic",
      "Counts which keys exist"),
    CommandDescription(
      .type, "type", 2, "readonly fast", keys: (1, 1, 1),
      "keyspace read fast", since: "1.0.0", "generic",
      "Answers the type of a key"),
    CommandDescription(
      .scan, "scan", -2, "readonly",
      "keyspace read slow", since: "2.8.0", "generic",
      "Lists the keys"),
    CommandDescription(
      .expire, "expire", -3, "write fast", keys: (1, 1, 1),
      "keyspace write fast", since: "1.0.0", "generic",
      "Ends a key after seconds"),
    CommandDescription(
      .ttl, "ttl", 2, "readonly fast", keys: (1, 1, 1),
      "keyspace read fast", since: "1.0.0", "generic",
      "Answers the seconds until a key ends"),
    CommandDescription(
      .pexpire, "pexpire", -3, "write fast", keys: (1, 1, 1),
      "keyspace write fast", since: "2.6.0", "generic",
      "Ends a key after milliseconds"),
    CommandDescription(
      .pttl, "pttl", 2, "readonly fast", keys: (1, 1, 1),
      "keyspace read fast", since: "2.6.0", "generic",
      "Answers the milliseconds until a key ends"),
    CommandDescription(
      .persist, "persist", 2, "write fast", keys: (1, 1, 1),
      "keyspace write fast", since: "2.2.0", "generic",
      "Keeps a key that was to end"),
    CommandDescription(
      .ping, "ping", -1, "fast",
      "fast connection", since: "1.0.0", "connection",
      "Answers that the service lives"),
    CommandDescription(
      .echo, "echo", 2, "loading stale fast",
      "fast connection", since: "1.0.0", "connection",
      "Answers its word"),
    CommandDescription(
      .select, "select", 2, "loading stale fast",
      "fast connection", since: "1.0.0", "connection",
      "Selects the one database, 0"),
    CommandDescription(
      .client, "client", -2, "",
      "slow", since: "2.4.0", "connection",
      "Tells and sets what is known of the connection"),
    CommandDescription(
      .command, "command", -1, "loading stale",
      "slow connection", since: "2.8.13", "server",
      "Describes the commands"),
    CommandDescription(
      .info, "info", -1, "loading stale",
      "slow dangerous", since: "1.0.0", "server",
      "Describes the service"),
    CommandDescription(
      .dbsize, "dbsize", 1, "readonly fast",
      "keyspace read fast", since: "1.0.0", "server",
      "Counts the keys"),
    CommandDescription(
      .quit, "quit", -1, "noscript loading stale fast no_auth allow_busy",
      "fast connection", since: "1.0.0", "connection",
      "Ends the connection"),
    CommandDescription(
      .reset, "reset", 1, "noscript loading stale fast no_auth allow_busy",
      "fast connection", since: "6.2.0", "connection",
      "Sets the connection back to its beginning"),
    CommandDescription(
      .hello, "hello", -1, "noscript loading stale fast no_auth allow_busy",
      "fast connection", since: "6.0.0", "connection",
      "Chooses the version of the protocol"),
    CommandDescription(
      .auth, "auth", -2, "noscript loading stale fast no_auth allow_busy",
      "fast connection", since: "1.0.0", "connection",
      "Says who is calling"),
    CommandDescription(
      .multi, "multi", 1, "noscript loading stale fast allow_busy",
      "fast transaction", since: "1.2.0", "transactions",
      "Is refused: there are no transactions"),
    CommandDescription(
      .execute, "exec", 1, "noscript loading stale skip_slowlog",
      "slow transaction", since: "1.2.0", "transactions",
      "Is refused: there are no transactions"),
    CommandDescription(
      .discard, "discard", 1, "noscript loading stale fast allow_busy",
      "fast transaction", since: "2.0.0", "transactions",
      "Is refused: there are no transactions"),
    CommandDescription(
      .watch, "watch", -2, "noscript loading stale fast allow_busy", keys: (1, -1, 1),
      "fast transaction", since: "2.2.0", "transactions",
      "Is refused: there are no transactions"),
    CommandDescription(
      .unwatch, "unwatch", 1, "noscript loading stale fast allow_busy",
      "fast transaction", since: "2.2.0", "transactions",
      "Is refused: there are no transactions"),
  ]

  private static let byName = Dictionary(uniqueKeysWithValues: rows.map { ($0.name, $0) })

  /// Returns the description of a command by its name in lower case.
  static func find(_ name: String) -> CommandDescription? { byName[name] }

  /// What most commands are.
  static let geoadd = rows[0]
}
