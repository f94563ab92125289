package import ObjectModel

/// What has become of a webhook's letters since it was last recorded.
package struct WebhookProgress: Hashable, Sendable {
  /// All events up to it are delivered, recorded as letters, or not for this webhook.
  package var cursor: UInt64
  /// Letters that wait, as they stand now.
  package var waiting: [Letter] = []
  /// Sequences of recorded letters that were delivered.
  package var delivered: [UInt64] = []
  package var dead: [Letter] = []

  package init(cursor: UInt64) { self.cursor = cursor }
}

/// A letter that is tried no more, until somebody has it delivered again.
package struct DeadLetter: Hashable, Sendable {
  package var webhookID: String
  package var letter: Letter

  package init(webhookID: String, letter: Letter) {
    self.webhookID = webhookID
    self.letter = letter
  }
}

/// Keeps how far each webhook has come, over restarts. A change is all there or not at all; one that a
/// power cut takes back only means that letters are delivered again.
package protocol LetterStore: Sendable {
  /// How far a webhook has come; nil: nothing was ever recorded of it.
  func cursor(of webhookID: String) throws(StoreFailure) -> UInt64?

  /// Its letters that wait, by sequence.
  func waiting(of webhookID: String) throws(StoreFailure) -> [Letter]

  func record(_ progress: WebhookProgress, of webhookID: String) throws(StoreFailure)

  /// Dead letters that are to be delivered again and have not been taken yet, by sequence; they wait
  /// from then on.
  func takeReplayed(of webhookID: String) throws(StoreFailure) -> [Letter]

  /// Dead letters by webhook and sequence.
  ///
  /// - Parameters:
  ///   - webhookID: Nil: those of all.
  ///   - limit: At most so many.
  /// - Returns: The first of them.
  /// - Throws: ``StoreFailure``.
  func dead(of webhookID: String?, limit: Int) throws(StoreFailure) -> [DeadLetter]

  /// Has dead letters delivered again.
  ///
  /// - Parameters:
  ///   - webhookID: Whose.
  ///   - sequences: Nil: all of the webhook.
  /// - Returns: How many there were.
  /// - Throws: ``StoreFailure``.
  func replay(_ webhookID: String, sequences: [UInt64]?) throws(StoreFailure) -> Int

  /// Forgets dead letters whose last attempt was before a moment.
  ///
  /// - Returns: How many there were.
  /// - Throws: ``StoreFailure``.
  func forgetDead(before moment: Instant) throws(StoreFailure) -> Int

  /// Forgets all webhooks but these.
  func keepOnly(_ webhookIDs: Set<String>) throws(StoreFailure)
}
