import Foundation
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
  /// Prints the page that `ask` answers, or with `--all-pages` each as it comes: nothing is kept of
  /// a page that was printed.
  func printPages<Page: HitPage & Message>(
    _ output: OutputOptions, to print: (String) throws -> Void = StandardOutput.printAtOnce,
    _ ask: (_ cursor: String?) async throws -> Page
  ) async throws {
    var page = try await ask(cursor)
    guard allPages else {
      if output.json { return try print(try JSONOutput.text(page)) }
      for line in HitTable.lines(page.hits) { try print(line) }
      if page.hasNextCursor { try print("more: --cursor \(page.nextCursor)") }
      return
    }
    var pages = HitPages(isJSON: output.json)
    while true {
      for line in try pages.lines(page) { try print(line) }
      guard page.hasNextCursor else { break }
      let next = try await ask(page.nextCursor)
      // A cursor that stands still would never end.
      guard next.nextCursor != page.nextCursor || !next.hasNextCursor else { break }
      page = next
    }
    for line in try pages.end(page) { try print(line) }
  }
}

/// Pages printed one after another as one answer.
struct HitPages {
  let isJSON: Bool
  private var count = 0
  /// Of the table's columns, so that pages stand below each other.
  private var widths: [Int] = []

  init(isJSON: Bool) { self.isJSON = isJSON }

  mutating func lines(_ page: some HitPage & Message) throws -> [String] {
    defer { count += page.hits.count }
    guard !page.hits.isEmpty else { return [] }
    if !isJSON {
      return HitTable.columnsInUse(page.hits).lines(hasHeadings: count == 0, widths: &widths)
    }
    let hits = try page.hits.map(JSONOutput.text).joined(separator: ",\n")
    return [(count == 0 ? "{\"hits\":[" : ",") + hits]
  }

  /// What follows the last page: the fields of an answer besides its hits.
  func end(_ last: some HitPage & Message) throws -> [String] {
    guard isJSON else { return count == 0 ? ["nobody"] : [] }
    var rest = last
    rest.hits = []
    let text = try JSONOutput.text(rest)
    guard count > 0 else { return [text] }
    // The list stands wherever the fields' order has it.
    let list = "\"hits\":[]"
    let fields = [list + ",", "," + list, list].reduce(String(text.dropFirst().dropLast())) {
      $0.replacing($1, with: "")
    }
    return [fields.isEmpty ? "]}" : "]," + fields + "}"]
  }
}
