import ObjectModel

extension CommitPipeline {
  /// A class, as commands are large and move from list to list. `attempts` belongs to the commit
  /// thread.
  final class Item: @unchecked Sendable {
    let command: Model.Command
    let claim: IdempotencyClaim?
    let deadline: Instant?
    /// Is told once; nil for the pipeline's own commands, such as timers.
    let reply: (@Sendable (Outcome) -> Void)?
    var attempts = 0

    init(
      command: Model.Command, claim: IdempotencyClaim? = nil, deadline: Instant? = nil,
      reply: (@Sendable (Outcome) -> Void)? = nil
    ) {
      self.command = command
      self.claim = claim
      self.deadline = deadline
      self.reply = reply
    }
  }
}
