package import Identity
import MoyeoAPI

/// Objects of a layer that an answer showed to a caller.
package struct Disclosure: Sendable {
  package let caller: Caller
  /// The call that was answered, by its name in the metrics: `Nearby`.
  package let call: String
  package let layer: String
  /// Of the objects, in the order of the answer; may be empty.
  package let ids: [String]

  package init(to caller: Caller, by call: String, layer: String, ids: [String]) {
    self.caller = caller
    self.call = call
    self.layer = layer
    self.ids = ids
  }
}

/// Keeps who was shown whose position, of the layers that are named for it.
///
/// A read is answered only once its entry has been taken: a log of this kind must have no holes.
package protocol DisclosureLog: Sendable {
  /// Whether reads of a layer are noted.
  func covers(layer: String) -> Bool

  /// Takes an entry; it is in the file a moment later.
  ///
  /// - Throws: ``DisclosureLogError`` when the entry cannot be taken.
  func note(_ disclosure: Disclosure) throws(DisclosureLogError)

  /// For `/metrics`.
  var figures: DisclosureFigures { get }
}

/// How a log of disclosures fares.
package struct DisclosureFigures: Sendable {
  /// Entries written since the start.
  package let written: UInt64
  /// Bytes of entries that are not in the file yet.
  package let waitingBytes: Int

  package init(written: UInt64, waitingBytes: Int) {
    self.written = written
    self.waitingBytes = waitingBytes
  }
}

/// Why an entry cannot be taken.
package enum DisclosureLogError: Error, Hashable, Sendable {
  /// Entries come faster than the disk takes them.
  case full
  /// The disk fails; the text says how.
  case failing(String)
}

extension DisclosureLog {
  /// The same with the refusal as callers are told it.
  ///
  /// - Throws: `overloaded` or `unavailable`.
  func take(_ disclosure: Disclosure) throws(APIError) {
    guard !disclosure.ids.isEmpty, covers(layer: disclosure.layer) else { return }
    do throws(DisclosureLogError) {
      try note(disclosure)
    } catch {
      switch error {
      case .full:
        throw APIError(
          .overloaded, "the log of disclosures cannot keep up with reads of this layer")
      case .failing:
        throw APIError(
          .unavailable, "the log of disclosures cannot be written, so this layer is not shown")
      }
    }
  }
}
