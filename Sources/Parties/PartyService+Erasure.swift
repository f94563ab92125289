package import DurableCommands
package import ObjectModel
import RideMatching

extension PartyService {
  /// Takes somebody out of all that has not begun, by the rules that hold for everybody: they leave open
  /// parties, which go on under another host or are cancelled, and their requests are withdrawn.
  ///
  /// - Parameters:
  ///   - userID: Who.
  ///   - context: Of the commands; without a key.
  /// - Throws: What the pipeline refuses. What the rules refuse, a party that has departed meanwhile,
  ///   stays as it is.
  package func retire(
    _ userID: String, _ context: CommandContext
  ) async throws(PartyServiceError) {
    for entry in book.entries(rider: userID) where isOpen(entry.party) {
      do throws(PartyServiceError) {
        _ = try await leave(partyID: entry.party.id, riderID: userID, context)
      } catch {
        if case .rule = error { continue }
        throw error
      }
    }
    for id in book.partyIDs(requester: userID) {
      guard let request = book.party(id)?.lastRequest(of: userID), request.isPending else {
        continue
      }
      do throws(PartyServiceError) {
        _ = try await withdrawJoin(
          requestID: request.id, partyID: id, riderID: userID, context)
      } catch {
        if case .rule = error { continue }
        throw error
      }
    }
    try await retireCommutes(of: userID, context)
    for request in standingRequests where request.query.riderID == userID {
      try await dropRequest(request.id, context)
    }
  }

  /// The same for a pseudonym in a record that was restored, before anybody is served; the commands
  /// wait for the pipeline's start.
  package func retireAtStart(_ userIDs: [String]) {
    for userID in userIDs {
      pipeline.submitOwn(commuteRetirements(of: userID).map { .commute($0) })
      pipeline.submitOwn(
        book.entries(rider: userID).filter { isOpen($0.party) }.map {
          .leave(partyID: $0.party.id, riderID: userID)
        })
      pipeline.submitOwn(
        book.entries(book.partyIDs(requester: userID)).compactMap { entry in
          entry.party.lastRequest(of: userID).map {
            .withdrawJoin(partyID: entry.party.id, requestID: $0.id, riderID: userID)
          }
        })
    }
  }

  private func isOpen(_ party: Party) -> Bool { party.state == .open || party.state == .full }

  /// Takes somebody out of the record beside the rules; see ``TenantCommands/rewriteRecord``.
  package func rewriteRecord(
    replacing userID: String, by pseudonym: String,
    _ work: @escaping @Sendable () throws(StoreFailure) -> RecordChanges
  ) async throws(StoreFailure) -> RecordChanges {
    try await pipeline.commands.rewriteRecord(replacing: userID, by: pseudonym, work)
  }

  /// Forgets the events in memory: those of the record were rewritten.
  package func forgetEventsInMemory() { pipeline.commands.feed.forgetTail() }

  /// Tells services what an operator did to somebody, durably.
  package func tell(
    _ note: OperatorNote, of userID: String, _ context: CommandContext
  ) async throws(PartyServiceError) {
    _ = try await submit(.note(note, of: userID), context)
  }
}
