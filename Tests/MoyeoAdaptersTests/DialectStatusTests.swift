import MoyeoAPI
import MoyeoServer
import Testing

@testable import MoyeoAdapters

@Suite("Statuses of the dialects")
struct DialectStatusTests {
  @Test("Study queue: every reason of every call has a status that the clients know")
  func study() {
    let known: Set = [200, 201, 202, 203, 204, 205, 206, 401, 406, 500, 501]
    for call in StudyCall.allCases {
      for reason in Reason.allCases {
        let status = StudyStatus.code(reason, of: call)
        #expect(known.contains(status), "\(reason) of \(call)")
      }
    }
    #expect(StudyStatus.code(.tokenExpired, of: .join) == 401)
    #expect(StudyStatus.code(.overloaded, of: .join) == 500)
    #expect(StudyStatus.code(.banned, of: .join) == 201)
    #expect(StudyStatus.code(.attributeRequired, of: .join) == 206)
    #expect(
      (0...5).map { StudyStatus.code(.penalty, of: .join, dodges: $0) } == [
        203, 203, 204, 205, 205, 205,
      ])
    #expect(StudyStatus.code(.alreadyMatched, of: .leave) == 201)
    #expect(StudyStatus.code(.alreadyMatched, of: .accept) == 203)
    #expect(StudyStatus.code(.otherAskedYou, of: .ask) == 201)
    #expect(StudyStatus.code(.otherGone, of: .ask) == 202)
    #expect(StudyStatus.code(.otherMatched, of: .accept) == 201)
    #expect(StudyStatus.code(.otherGone, of: .accept) == 202)
    #expect(StudyStatus.code(.notMatched, of: .dodge) == 201)
    #expect(StudyStatus.code(.unknownTicket, of: .state) == 201)
    #expect(StudyStatus.code(.unknownTicket, of: .ask) == 406)
    #expect(!StudyStatus.allowsBody(204) && !StudyStatus.allowsBody(205))
    #expect([200, 201, 203, 206, 401, 501].allSatisfy(StudyStatus.allowsBody))
  }

  @Test("Taxi party: auth and overload never share a status")
  func taxi() {
    let known: Set = [400, 401, 403, 404, 409, 419, 429, 444, 500]
    for reason in Reason.allCases {
      #expect(known.contains(TaxiStatus.code(reason)), "\(reason)")
    }
    let refreshing = Reason.allCases.filter { TaxiStatus.code($0) == 419 }
    #expect(refreshing == [.tokenExpired])
    #expect(Reason.allCases.filter { TaxiStatus.code($0) == 401 } == [.unauthenticated])
    #expect(TaxiStatus.code(.partyFull) == 409)
    #expect(TaxiStatus.code(.overloaded) == 429)
    #expect(TaxiStatus.code(.unknownRoute) == 444)
    #expect(TaxiStatus.code(.internalError) == 500)
  }

  @Test("Messenger: one code a kind of cause, and none shared by auth and overload")
  func messenger() {
    let codes = Dictionary(grouping: Reason.allCases, by: MessengerCode.init)
    #expect(codes[.accessTokenExpired] == [.tokenExpired])
    #expect(codes[.badToken] == [.unauthenticated])
    #expect(codes[.unknownAccount] == [.unknownTicket])
    #expect(
      Set(codes[.overCall] ?? []) == [.rateLimited, .quotaExceeded, .tooSlowConsumer, .overloaded])
    #expect(codes[.badPath] == [.unknownRoute, .methodNotAllowed])
    #expect(
      MessengerCode.allCases.map(\.number) == [1, 2, 3, 5, 6, 11, 12, 13, 14, 15, 97, 98, 99])
    let dialect = MessengerDialect(speaksAlways: false)
    let answer = dialect.answer(
      refusing: .init(.rateLimited, "slow down", retryAfterMilliseconds: 1500), path: "/v1/x")
    #expect(
      String(decoding: answer.body, as: UTF8.self)
        == #"{"errorCode":"E98","code":98,"reason":"rate_limited","message":"slow down","retry_after_ms":1500}"#
    )
    #expect(answer.status == 400)
    #expect(dialect.speaks(path: "/v1/x") { $0 == "x-moyeo-dialect" ? "Messenger" : nil })
    #expect(!dialect.speaks(path: "/v1/x") { _ in nil })
    #expect(!dialect.speaks(path: "/healthz") { _ in "messenger" })
    #expect(MessengerDialect(speaksAlways: true).speaks(path: "/v1/x") { _ in nil })
  }

  @Test("Paths of both dialects of the queue, and of the taxi app")
  func paths() {
    for root in ["/v1", ""] {
      for (method, path, call) in [
        ("POST", "/queue", StudyCall.join), ("DELETE", "/queue", .leave),
        ("POST", "/queue/search", .search), ("POST", "/queue/onqueue", .search),
        ("GET", "/queue/myQueueState", .state), ("POST", "/queue/studyrequest", .ask),
        ("POST", "/queue/hobbyrequest", .ask), ("POST", "/queue/studyaccept", .accept),
        ("POST", "/queue/hobbyaccept", .accept), ("POST", "/queue/dodge", .dodge),
        ("GET", "/queue", .unknown), ("POST", "/queue/", .unknown), ("POST", "/queue/x", .unknown),
        ("POST", "/queue/rate/", .unknown), ("GET", "/queue/%ff", .unknown),
      ] {
        #expect(
          StudyCall.match(method: method, path: root + path).call == call, "\(method) \(path)")
      }
      let rate = StudyCall.match(method: "POST", path: root + "/queue/rate/a%2Fb")
      #expect(rate == .init(call: .rate, pathUserID: "a/b"))
    }
    #expect(TaxiCall.match(method: "GET", path: "/v1/posts/users/u1") == .listHosted(userID: "u1"))
    #expect(TaxiCall.match(method: "GET", path: "/v1/posts/geolocation") == .listNearby)
    #expect(TaxiCall.match(method: "POST", path: "/v1/posts/p1/like") == .like(postID: "p1"))
    #expect(TaxiCall.match(method: "POST", path: "/map-direction/v1/driving") == .unknown)
    #expect(Set(TaxiCall.names).count == TaxiCall.names.count)
    #expect(DoorPath.stands("/v1/queue/x", under: "/v1/queue"))
    #expect(!DoorPath.stands("/v1/queuex", under: "/v1/queue"))
  }
}
