public import ObjectModel

/// A member of a group who gets in on its way.
public struct BatchBoarding: Hashable, Sendable {
  /// Index into the requests.
  public var member: Int
  /// Where the taxi stops for them.
  public var boarding: RiderBoarding
  /// When, if it leaves at the group's departure.
  public var time: Instant?

  /// Puts a boarding together.
  public init(member: Int, boarding: RiderBoarding, time: Instant?) {
    self.member = member
    self.boarding = boarding
    self.time = time
  }
}

extension BatchMatching {
  /// Groups at pick-ups and those who get in on their way: first each by itself, then in rounds that
  /// add rides to choose from, or make a few rides anew.
  ///
  /// - Parameters:
  ///   - requests: Who waits.
  ///   - options: What they are solved by. Of its rounds a twentieth is run for boarding, and its work
  ///     once more.
  ///   - terms: Those of the options.
  ///   - isOver: As of ``solve(requests:options:shouldStop:)``.
  ///   - isTimeToBoard: Asked as that while groups at pick-ups are searched for, whose rounds could
  ///     take all the time: what is left of it is for boarding.
  /// - Returns: The groups, and who is in none.
  public static func solveBoarding(
    requests: [RideRequest], options: BatchOptions, terms: BatchPartyTerms,
    shouldStop isOver: () -> Bool = { false }, isTimeToBoard: () -> Bool = { false }
  ) -> BatchResult {
    guard requests.contains(where: { $0.boarding != nil }) else {
      return solve(requests: requests, options: options, shouldStop: isOver)
    }
    // A few requests have their best groups long before their rounds are over.
    var first = options
    first.iterations = min(options.iterations, roundsOfRequest * requests.count)
    let result = solve(requests: requests, options: first) { isOver() || isTimeToBoard() }
    return board(result, requests: requests, options: options, terms: terms, shouldStop: isOver)
  }

  /// Rounds of the search for groups at pick-ups, for each request.
  private static let roundsOfRequest = 100

  /// Lets requests get in on the way: of groups, and of others that ride alone.
  ///
  /// Those with a ``RideRequest/boarding`` that no group took are looked at in their order; each gets
  /// in where that saves most, by the rules of a join, or stays unmatched where it saves nothing. Of up
  /// to 512 requests come more and more rides then, made one join at a time, and the choice among them
  /// that saves most; last, rounds that take a few rides near each other apart, let some of their people
  /// ride on the way and have groups made of the rest, and keep that where it saves more.
  ///
  /// - Parameters:
  ///   - result: Of ``solve(requests:options:shouldStop:)``.
  ///   - requests: The same.
  ///   - options: The same.
  ///   - terms: The same.
  ///   - isOver: Asked before each request and each round.
  /// - Returns: The groups with those who get in on the way, and who is in none.
  /// - Complexity: O(requests with a boarding x parties whose corridor serves them), then eight rides
  ///   extended a round, or eight requests sorted anew.
  public static func board(
    _ result: BatchResult, requests: [RideRequest], options: BatchOptions, terms: BatchPartyTerms,
    shouldStop isOver: () -> Bool = { false }
  ) -> BatchResult {
    var search = BatchBoardingSearch(result, requests, options, terms)
    if search.boardAll(shouldStop: isOver) { search.improve(shouldStop: isOver) }
    return search.answer()
  }
}
