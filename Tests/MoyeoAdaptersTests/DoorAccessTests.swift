import FareEstimation
import HTTPTypes
import Identity
import MoyeoAPI
import ObjectModel
import Parties
import Testing
import TestSupport
import Threading

@testable import DurableCommands
@testable import LiveLayers
@testable import MoyeoAdapters
@testable import MoyeoServer
@testable import Tickets

/// Tokens that are names of who they are.
private struct NamedTokens: TokenVerifier {
  static let person = "person"
  /// Whom no call of an app is for, and why.
  static let others: [(token: String?, reason: Reason)] = [
    (nil, .unauthenticated), ("forged", .unauthenticated), ("expired", .tokenExpired),
    ("foreign", .unauthenticated), ("reader", .forbidden), ("commander", .forbidden),
    ("server", .forbidden), ("operator", .forbidden),
  ]

  func verify(_ token: String, now: Instant) -> TokenVerdict {
    let all: Scopes = [.read, .report, .command]
    return switch token {
    case Self.person: .caller(Caller(subject: "ann", scopes: all))
    case "foreign": .caller(Caller(tenant: "north", subject: "ann", scopes: all))
    case "reader": .caller(Caller(subject: "ann", scopes: [.read]))
    case "commander": .caller(Caller(subject: "ann", scopes: [.command]))
    case "server": .caller(Caller(subject: nil, scopes: [.read, .report, .command, .service]))
    case "operator": .caller(Caller(subject: "ann", scopes: [.admin]))
    case "expired": .expired
    default: .invalid("no token")
    }
  }
}

/// Every call of the apps' doors x who makes it. The calls are the doors' own lists, so that a new one
/// without a row here fails.
@Suite("Access to the apps' doors") struct DoorAccessTests {
  private typealias Sample = (method: String, path: String, query: String)

  private static let identityReasons: Set<Reason?> = [
    .unauthenticated, .tokenExpired, .forbidden, .attributeProtected,
  ]

  private static let clock = ManualClock(Instant(milliseconds: 1_795_183_800_000))

  private static func services() -> DoorServices {
    var sessions = SessionSettings()
    sessions.intervalSeconds = 0
    return DoorServices(
      throttle: SessionThrottle(settings: sessions), pool: BoundedThreadPool(threadCount: 1))
  }

  private static func check(
    _ door: some HTTPDoor, _ samples: [Sample], header: HTTPField.Name
  ) async {
    let services = services()
    for sample in samples {
      func answer(_ token: String?) async -> DoorAnswer {
        var headers: HTTPFields = [
          .contentType: sample.path.contains("queue")
            ? "application/x-www-form-urlencoded" : "application/json"
        ]
        if let token { headers[header] = token }
        return await door.answer(
          DoorRequest(
            method: sample.method, path: sample.path, query: sample.query, headers: headers,
            body: []), services)
      }
      for (token, reason) in NamedTokens.others {
        let refused = await answer(token)
        #expect(refused.reason == reason, "\(sample) as \(token ?? "nobody")")
        #expect(refused.status != 200, "\(sample) as \(token ?? "nobody")")
      }
      let admitted = await answer(NamedTokens.person)
      #expect(!identityReasons.contains(admitted.reason), "\(sample)")
    }
  }

  @Test("Each call of the taxi party, the map provider's too, is a person's of this tenant alone")
  func taxiParty() async throws {
    let samples: [Sample] = [
      ("POST", "/v1/posts", ""), ("GET", "/v1/posts", ""),
      ("GET", "/v1/posts/geolocation", "longitude=127&latitude=37.5"),
      ("GET", "/v1/posts/users/ann", ""), ("GET", "/v1/posts/likes/me", ""),
      ("GET", "/v1/posts/p1", ""), ("POST", "/v1/posts/p1/like", ""),
      ("GET", "/map-direction/v1/driving", "start=126.97,37.55&goal=127.02,37.49"),
      ("GET", "/map-geocode/v2/geocode", "query=x"),
      ("GET", "/map-reversegeocode/v2/gc", "coords=127,37.5"),
      ("GET", "/v2/local/search/keyword", "query=x"),
    ]
    #expect(
      Set(samples.map { TaxiCall.match(method: $0.method, path: $0.path).name })
        == Set(TaxiCall.names).subtracting([TaxiCall.unknown.name]))
    let layers = LayerRegistry(clock: Self.clock, epoch: 7)
    let fares = FareEstimator(
      library: try TariffLibrary.load(tariffDirectories: [], areaDirectories: []))
    let parties = try PartyService(layers: layers, store: MemoryStore(), fares: fares)
    parties.start()
    defer { parties.stop() }
    let door = TaxiPartyDoor(
      parties: parties, fares: fares, verifier: NamedTokens(), verifiesCallers: true,
      profiles: ProfileSource(layers: layers, layerName: "users"), places: nil,
      workPerRequest: 1 << 20, clock: Self.clock)
    await Self.check(door, samples, header: .authorization)
  }

  @Test("Each call of the study queue, in either dialect, is a person's of this tenant alone")
  func studyQueue() async throws {
    let samples: [Sample] = [
      ("POST", "/v1/queue", ""), ("DELETE", "/v1/queue", ""), ("POST", "/v1/queue/search", ""),
      ("GET", "/v1/queue/myQueueState", ""), ("POST", "/v1/queue/studyrequest", ""),
      ("POST", "/v1/queue/studyaccept", ""), ("POST", "/v1/queue/dodge", ""),
      ("POST", "/v1/queue/rate/ben", ""), ("POST", "/queue", ""), ("DELETE", "/queue", ""),
      ("POST", "/queue/onqueue", ""), ("GET", "/queue/myQueueState", ""),
      ("POST", "/queue/hobbyrequest", ""), ("POST", "/queue/hobbyaccept", ""),
      ("POST", "/queue/dodge", ""), ("POST", "/queue/rate/ben", ""),
    ]
    #expect(
      Set(samples.map { StudyCall.match(method: $0.method, path: $0.path).call })
        == Set(StudyCall.allCases).subtracting([.unknown]))
    let layers = LayerRegistry(clock: Self.clock, epoch: 7)
    let commands = try TenantCommands(
      tenant: "default", store: MemoryStore(), clock: Self.clock, eventsInMemory: 64,
      idempotencySecret: (1, 2))
    let tickets = try TicketService(
      layers: layers, commands: commands, configuration: TicketServiceConfiguration())
    tickets.start()
    defer {
      tickets.stop()
      commands.stop()
    }
    let door = StudyQueueDoor(
      tickets: tickets, verifier: NamedTokens(),
      profiles: ProfileSource(layers: layers, layerName: "users"), workPerRequest: 1 << 20,
      clock: Self.clock)
    await Self.check(door, samples, header: HTTPField.Name("idtoken")!)
  }
}
