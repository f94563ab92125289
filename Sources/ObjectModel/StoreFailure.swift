/// Why a store of the record or of the last positions did not answer.
public struct StoreFailure: Error, Hashable, Sendable {
  /// What went wrong, as a phrase for logs and for the message of an `unavailable` answer.
  public var reason: String

  /// - Parameter reason: What went wrong, as a phrase.
  public init(_ reason: String) { self.reason = reason }
}
