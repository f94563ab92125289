package import ObjectModel
import Threading

/// A text index in plain tables, for tests and for layers of a few thousand places.
///
/// - Complexity: O(terms) a find.
package final class MemoryPlaceTextIndex: PlaceTextIndex {
  private struct Tables {
    var names: [String: Set<UInt32>] = [:]
    var variants: [String: Set<UInt32>] = [:]

    subscript(field: PlaceTextQuery.Field) -> [String: Set<UInt32>] {
      field == .names ? names : variants
    }
  }

  private let tables = StateLock(Tables())

  package init() {}

  package func apply(_ changes: [PlaceTextChange]) throws(StoreFailure) {
    tables.withLock { tables in
      for change in changes {
        for term in change.removed?.names ?? [] { tables.names.remove(change.number, under: term) }
        for term in change.removed?.variants ?? [] {
          tables.variants.remove(change.number, under: term)
        }
        for term in change.added?.names ?? [] {
          tables.names[term, default: []].insert(change.number)
        }
        for term in change.added?.variants ?? [] {
          tables.variants[term, default: []].insert(change.number)
        }
      }
    }
  }

  package func find(
    _ query: PlaceTextQuery, limit: Int
  ) throws(StoreFailure) -> [UInt32] {
    let found = tables.withLock { tables -> Set<UInt32> in
      var found: Set<UInt32>?
      for group in query.groups {
        var met: Set<UInt32> = []
        for (text, numbers) in tables[group.field]
        where group.terms.contains(where: { $0.isMet(by: text) }) {
          met.formUnion(numbers)
        }
        found = found.map { $0.intersection(met) } ?? met
      }
      return found ?? []
    }
    return Array(found.sorted().prefix(limit))
  }

  package func removeAll() throws(StoreFailure) { tables.withLock { $0 = Tables() } }
}

extension PlaceTextQuery.Term {
  /// By bytes: `==` of strings calls other spellings equal.
  fileprivate func isMet(by other: String) -> Bool {
    isPrefix ? other.utf8.starts(with: text.utf8) : other.utf8.elementsEqual(text.utf8)
  }
}

extension [String: Set<UInt32>] {
  fileprivate mutating func remove(_ number: UInt32, under term: String) {
    self[term]?.remove(number)
    if self[term]?.isEmpty == true { self[term] = nil }
  }
}
