import MoyeoAPI
import SwiftProtobuf

/// An answer of hits that may have more behind it.
protocol HitPage {
  var hits: [Moyeo_V1_Hit] { get set }
  var hasNextCursor: Bool { get }
  var nextCursor: String { get }
}

extension Moyeo_V1_NearbyResponse: HitPage {}
extension Moyeo_V1_WithinResponse: HitPage {}

extension FilterOptions {
  /// The page that `ask` answers, or with `--all-pages` all of them in one.
  func pages<Page: HitPage>(
    _ ask: (_ cursor: String?) async throws -> Page
  ) async throws -> Page {
    var answer = try await ask(cursor)
    var hits = answer.hits
    while allPages, answer.hasNextCursor {
      let page = try await ask(answer.nextCursor)
      // A cursor that stands still would never end.
      guard page.nextCursor != answer.nextCursor else { break }
      hits += page.hits
      answer = page
    }
    answer.hits = hits
    return answer
  }
}

extension OutputOptions {
  func print(_ page: some HitPage & Message) throws {
    if json {
      try JSONOutput.print(page)
    } else {
      HitTable.print(page.hits, nextCursor: page.hasNextCursor ? page.nextCursor : nil)
    }
  }
}
