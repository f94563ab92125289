/// Why a store of the record or of the last positions did not answer.
public struct StoreFailure: Error, Hashable, Sendable {
  /// What went wrong, as a phrase for logs and for the message of an `unavailable` answer.
  public var reason: String
  /// Whether what is stored cannot be right: trying again at once finds the same.
  public var isDamage: Bool

  /// Says what went wrong.
  ///
  /// - Parameters:
  ///   - reason: A phrase.
  ///   - isDamage: Whether the content of the store is what is wrong.
  public init(_ reason: String, isDamage: Bool = false) {
    self.reason = reason
    self.isDamage = isDamage
  }
}
