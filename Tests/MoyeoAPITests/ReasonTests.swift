import Testing

@testable import MoyeoAPI

@Suite struct ReasonTests {
  @Test func everyReasonHasItsOwnWord() {
    let words = Reason.allCases.map(\.rawValue)
    #expect(Set(words).count == words.count)
    for word in words {
      #expect(
        word.utf8.allSatisfy { (97...122).contains($0) || $0 == 95 }, "\(word) is snake_case")
    }
  }

  @Test func everyReasonHasAnHTTPStatusThatFitsItsGRPCStatus() {
    // What API.md's error table allows for each gRPC status.
    let allowed: [StatusCode: Set<Int>] = [
      .invalidArgument: [400], .deadlineExceeded: [504], .notFound: [404],
      .alreadyExists: [409], .permissionDenied: [403], .resourceExhausted: [413, 422, 429, 503],
      .failedPrecondition: [409], .aborted: [409], .outOfRange: [410],
      .unimplemented: [404, 405, 415, 501], .internalError: [500], .unavailable: [503],
      .unauthenticated: [401],
    ]
    for reason in Reason.allCases {
      let (grpc, http) = reason.status
      #expect(allowed[grpc]?.contains(http) == true, "\(reason.rawValue): \(grpc) and \(http)")
    }
  }

  /// The table of API.md, word by word.
  @Test(arguments: [
    ("malformed_request", 3, 400), ("missing_field", 3, 400), ("unknown_field", 3, 400),
    ("latitude_out_of_range", 3, 400), ("longitude_out_of_range", 3, 400),
    ("null_island", 3, 400), ("bad_id", 3, 400), ("bad_tag", 3, 400), ("bad_polygon", 3, 400),
    ("limit_out_of_range", 3, 400), ("unknown_route", 12, 404), ("method_not_allowed", 12, 405),
    ("request_too_large", 8, 413), ("unauthenticated", 16, 401), ("token_expired", 16, 401),
    ("forbidden", 7, 403), ("attribute_protected", 7, 403), ("unknown_layer", 5, 404),
    ("unknown_object", 5, 404), ("unknown_party", 5, 404), ("unknown_ticket", 5, 404),
    ("unknown_tariff", 5, 404), ("idempotency_mismatch", 6, 409), ("already_member", 6, 409),
    ("already_matched", 6, 409), ("reserved_layer", 9, 409), ("superseded", 10, 409),
    ("rate_limited", 8, 429), ("quota_exceeded", 8, 429), ("overloaded", 8, 503),
    ("too_slow_consumer", 8, 429), ("resume_token_expired", 11, 410),
    ("resume_token_ahead", 11, 410), ("read_only", 14, 503),
    ("deadline_exceeded", 4, 504), ("unavailable", 14, 503), ("too_much_work", 8, 422),
    ("forbidden_origin", 7, 403), ("forbidden_host", 7, 403),
  ])
  func theTableOfTheAPI(word: String, grpc: Int, http: Int) throws {
    let reason = try #require(Reason(rawValue: word))
    #expect(reason.status.grpc.rawValue == grpc)
    #expect(reason.status.http == http)
  }

  /// Numbers and names of grpc/grpc doc/statuscodes.md.
  @Test func statusNamesAreThoseOfGRPC() {
    let names = [
      3: "INVALID_ARGUMENT", 4: "DEADLINE_EXCEEDED", 5: "NOT_FOUND", 6: "ALREADY_EXISTS",
      7: "PERMISSION_DENIED", 8: "RESOURCE_EXHAUSTED", 9: "FAILED_PRECONDITION", 10: "ABORTED",
      11: "OUT_OF_RANGE", 12: "UNIMPLEMENTED", 13: "INTERNAL", 14: "UNAVAILABLE",
      16: "UNAUTHENTICATED",
    ]
    for reason in Reason.allCases {
      let status = reason.status.grpc
      #expect(names[status.rawValue] == status.name)
    }
  }
}
