import ArgumentParser

/// `moyeo party`.
struct PartyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "party",
    abstract: "Taxi parties: create, find, match, join, approve, leave, settle, watch.",
    subcommands: [
      PartyCreate.self, PartyShow.self, PartyList.self, PartySearch.self, PartyMatch.self,
      PartyPreview.self, PartyJoin.self, PartyLeave.self, PartyUpdate.self, PartyRemove.self,
      PartyDepart.self, PartySettle.self, PartyCancel.self, PartyWatchCommand.self,
      PartyRequests.self, PartyWithdraw.self, PartyApprove.self, PartyDecline.self,
      PartyWithdrawJoin.self, PartyRequestCommand.self,
      CommuteCommand.self,
    ])
}

/// The key under which a command may be sent again.
struct RetryOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Idempotency key: the command sent again with it has its effect once.", valueName: "key"))
  var key: String?
}
