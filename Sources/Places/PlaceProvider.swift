package import GeoMath

/// Somebody who knows more places than the layers do. Asked after them, and never in their way: a
/// failure leaves the caller with what the layers know.
package protocol PlaceProvider: Sendable {
  /// Finds places by a name or an address.
  ///
  /// - Throws: ``PlaceProviderFailure``.
  func search(_ search: PlaceSearch) async throws(PlaceProviderFailure) -> [Place]

  /// Names the places at a position, nearest first.
  ///
  /// - Throws: ``PlaceProviderFailure``.
  func reverse(_ question: ReversePlaceSearch) async throws(PlaceProviderFailure) -> [Place]
}

/// Why a provider did not answer.
package struct PlaceProviderFailure: Error, Hashable, Sendable {
  /// A word for metrics, such as `timed_out`.
  package var reason: String
  /// The caller gave up; nobody is to blame.
  package var isCancelled: Bool

  package init(reason: String, isCancelled: Bool = false) {
    self.reason = reason
    self.isCancelled = isCancelled
  }
}

/// A question for places by name.
package struct PlaceSearch: Hashable, Sendable {
  /// As it was typed.
  package var text: String
  /// Where the asker is: of equal matches the nearest come first, and distances are told.
  package var near: Coordinate?
  /// Only places so near, inclusive; counts only together with `near`.
  package var radiusMeters: Double?
  /// At most this many answers, 1 or more.
  package var limit: Int

  package init(
    text: String, near: Coordinate? = nil, radiusMeters: Double? = nil, limit: Int = 20
  ) {
    self.text = text
    self.near = near
    self.radiusMeters = radiusMeters
    self.limit = limit
  }

  /// Whether there is anything to look for in a text: a letter or a digit.
  package static func hasLetters(_ text: String) -> Bool { !FoldedText(text).isEmpty }
}

/// A question for names by place.
package struct ReversePlaceSearch: Hashable, Sendable {
  package var position: Coordinate
  /// At most this many answers, 1 or more.
  package var limit: Int

  package init(position: Coordinate, limit: Int = 1) {
    self.position = position
    self.limit = limit
  }
}
