package import ObjectModel

/// The port of the text index: terms of places by number, found by their beginnings.
///
/// ```
/// number 7: names [pㅅㅓㅇㅜㄹㅇㅕㄱ, wㅅㅓㅇㅜㄹㅇㅕㄱ, iㅅㅇㅇ], variants [tㅓㅇㅜㄹㅇㅕㄱ, tㅅㅇㅜㄹㅇㅕㄱ, …]
/// query:    names, all of (any of (wㅅㅓㅇ…), any of (wㅇㅕㄱ…))            -> 7
/// ```
/// It knows nothing of places: what terms there are and what a find means is
/// said by ``PlaceTerms``. Soft state, filled anew at each start. Safe to call from any thread.
package protocol PlaceTextIndex: Sendable {
  /// Carries out changes in their order, all or none.
  ///
  /// - Throws: ``StoreFailure``.
  func apply(_ changes: [PlaceTextChange]) throws(StoreFailure)

  /// Numbers of places that a query finds, each once, in ascending order.
  ///
  /// - Parameters:
  ///   - query: What their terms must be.
  ///   - limit: At most this many, 1 or more; the lowest ones.
  /// - Returns: The numbers.
  /// - Throws: ``StoreFailure``.
  func find(_ query: PlaceTextQuery, limit: Int) throws(StoreFailure) -> [UInt32]

  /// Forgets everything.
  ///
  /// - Throws: ``StoreFailure``.
  func removeAll() throws(StoreFailure)
}

/// The terms of one place: letters and digits of ASCII and whatever is no ASCII, never empty.
package struct PlaceTermList: Hashable, Sendable {
  /// Under which it is found as its names are spelled.
  package var names: [String]
  /// Under which it is found although something is misspelt.
  package var variants: [String]

  package init(names: [String] = [], variants: [String] = []) {
    self.names = names
    self.variants = variants
  }
}

/// What becomes of one number.
package struct PlaceTextChange: Hashable, Sendable {
  package var number: UInt32
  /// Exactly the terms it has; nil: it has none yet.
  package var removed: PlaceTermList?
  /// The terms it gets; nil: none.
  package var added: PlaceTermList?

  package init(number: UInt32, removed: PlaceTermList? = nil, added: PlaceTermList? = nil) {
    self.number = number
    self.removed = removed
    self.added = added
  }
}

/// All of the groups must be met, each by any of its terms.
package struct PlaceTextQuery: Hashable, Sendable {
  package enum Field: Hashable, Sendable {
    case names, variants
  }

  package struct Term: Hashable, Sendable {
    package var text: String
    /// Whether a term that begins with the text meets it.
    package var isPrefix: Bool

    package init(_ text: String, isPrefix: Bool = true) {
      self.text = text
      self.isPrefix = isPrefix
    }
  }

  package struct Group: Hashable, Sendable {
    package var field: Field
    /// At least one.
    package var terms: [Term]

    package init(_ field: Field, _ terms: [Term]) {
      self.field = field
      self.terms = terms
    }
  }

  /// At least one.
  package var groups: [Group]

  package init(_ groups: [Group]) { self.groups = groups }
}
