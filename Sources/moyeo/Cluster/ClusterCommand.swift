import ArgumentParser
import MoyeoCluster
import ObjectModel
import WireFormat

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// `moyeo cluster`.
struct ClusterCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cluster",
    abstract: "Prepare and look at a record in PostgreSQL, as cluster.postgres names it.",
    subcommands: [ClusterMigrateCommand.self, ClusterStatusCommand.self])
}

/// Which record.
struct ClusterOptions: ParsableArguments {
  static let variable = "MOYEO_CLUSTER_POSTGRES"

  @Option(
    help: ArgumentHelp(
      "Connection string, several hosts included; without it \(variable) is taken. Others of this "
        + "machine see a password that stands here: name a passfile, or use the environment."))
  var postgres: String?

  func connection() throws -> String {
    try Self.connection(named: postgres, by: "--postgres")
  }

  /// A connection string from an option, or from the environment.
  static func connection(named given: String?, by option: String) throws -> String {
    let named = given ?? getenv(variable).map { String(cString: $0) } ?? ""
    guard !named.isEmpty else {
      throw CommandFailure.usage("name the record by \(option) or \(variable)")
    }
    if let problem = PostgresStore.problem(in: named) {
      throw CommandFailure.usage("\(option) is no connection string for PostgreSQL: \(problem)")
    }
    return named
  }
}

struct ClusterMigrateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Bring the schema up to this release's.",
    discussion: """
      Each migration is one transaction; one that fails leaves what was before. Run it before the first \
      daemon of a release; a second run does nothing. A schema of a newer release is left as it is.
      """)

  @OptionGroup var options: ClusterOptions
  @Flag(help: "Print the schema and the migrations as JSON.")
  var json = false

  func run() throws {
    do {
      let done = try ClusterMigration.migrate(try options.connection())
      guard !json else {
        return print(
          JSONPieces.object { json in
            json.integer("schema", Int64(ClusterSchema.version))
            json.raw("migrations", Array("[\(done.map(String.init).joined(separator: ","))]".utf8))
          })
      }
      print(
        done.isEmpty
          ? "The schema is \(ClusterSchema.version) already."
          : "The schema is \(ClusterSchema.version) now; migrations run: "
            + done.map(String.init).joined(separator: ", ") + ".")
    } catch let failure as StoreFailure {
      throw CommandFailure(message: failure.reason)
    }
  }
}

struct ClusterStatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Say which server takes writes, what its schema is, and what each tenant has.",
    discussion: """
      Where --redis or MOYEO_CLUSTER_REDIS names servers, it says what they have of positions, too. \
      Exits with 1 when the schema is not this release's, or a part of Redis does not answer.
      """)

  @OptionGroup var options: ClusterOptions
  @OptionGroup var redis: ClusterRedisOptions
  @Flag(help: "Print it as JSON.")
  var json = false

  func run() throws {
    let status: ClusterMigration.Status
    do {
      status = try ClusterMigration.status(try options.connection())
    } catch let failure as StoreFailure {
      throw CommandFailure(message: failure.reason)
    }
    let positions = try redis.log().map { log in
      defer { log.close() }
      return log.status()
    }
    print(json ? Self.json(status, positions) : Self.text(status, positions))
    guard status.schema == status.wanted else {
      throw CommandFailure(
        message: "the record's schema is \(status.schema), this release's is \(status.wanted)"
          + (status.schema < status.wanted ? ": run moyeo cluster migrate" : ""))
    }
    if let positions, positions.answering < positions.partitions {
      throw CommandFailure(
        message: "\(positions.partitions - positions.answering) of \(positions.partitions) "
          + "partitions of the positions do not answer: \(positions.failure ?? "no reason is told")"
      )
    }
  }

  private static func json(
    _ status: ClusterMigration.Status, _ positions: RedisPositionStatus?
  ) -> String {
    let bytes = JSONWriter.object { json in
      json.string("server", status.server)
      json.integer("serverVersion", Int64(status.serverVersion))
      json.integer("schema", Int64(status.schema))
      json.integer("wantedSchema", Int64(status.wanted))
      json.objects("tenants", status.tenants) { tenant, json in
        json.string("tenant", tenant.name)
        json.integer("parties", Int64(tenant.parties))
        json.integer("rideRequests", Int64(tenant.rideRequests))
        json.integer("tickets", Int64(tenant.tickets))
        json.integer("commutes", Int64(tenant.commutes))
        json.string("newestEvent", "\(tenant.newestEvent)")
      }
      if let positions {
        json.integer("positionPartitions", Int64(positions.partitions))
        json.integer("positionPartitionsAnswering", Int64(positions.answering))
        json.integer("positions", Int64(positions.objects))
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func text(
    _ status: ClusterMigration.Status, _ positions: RedisPositionStatus?
  ) -> String {
    let version = "\(status.serverVersion / 10_000).\(status.serverVersion % 10_000)"
    var table = TextTable([
      ("tenant", .left), ("parties", .right), ("ride requests", .right), ("tickets", .right),
      ("commutes", .right), ("newest event", .right),
    ])
    for tenant in status.tenants {
      table.append([
        tenant.name, "\(tenant.parties)", "\(tenant.rideRequests)", "\(tenant.tickets)",
        "\(tenant.commutes)", "\(tenant.newestEvent)",
      ])
    }
    let head = "PostgreSQL \(version) at \(status.server), schema \(status.schema)"
    let redis = positions.map {
      "Redis Cluster: \($0.objects) positions, \($0.answering) of \($0.partitions) partitions answer"
    }
    return ([head] + (table.isEmpty ? [] : table.lines) + (redis.map { [$0] } ?? []))
      .joined(separator: "\n")
  }
}
