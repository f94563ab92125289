/// The groups that a batch is solved from, more of them as the search goes on.
struct GroupPool {
  private let instance: BatchInstance
  private let generator: GroupGenerator
  private var table: GroupTable
  private var turn = 0
  /// Whether there are feasible groups that the limits left out and ``widen(by:shouldStop:)`` may
  /// find.
  private(set) var mayWiden: Bool

  var groups: [GroupTable.Group] { table.groups }

  init(_ instance: BatchInstance, shouldStop: (Int) -> Bool) {
    self.instance = instance
    generator = GroupGenerator(instance)
    table = GroupTable(expected: min(instance.count, 2048) * min(instance.count, 48))
    let isWhole = generator.addGroups(to: &table, turn: 0, shouldStop: shouldStop)
    mayWiden = !isWhole && instance.options.maxGroupsPerRequest == nil
    guard GroupCut.isDue(table.groups.count, instance.options) else { return }
    let kept = GroupCut.cut(table.groups, requests: instance.count, instance.options)
    table = GroupTable(kept, expected: kept.count)
  }

  /// Adds groups that are worth much against the prices. Those there were keep their places.
  mutating func widen(by prices: [Double], shouldStop: (Int) -> Bool) {
    turn += 4
    _ = generator.ranking(by: prices).addGroups(to: &table, turn: turn, shouldStop: shouldStop)
  }

  var problem: PackingProblem {
    PackingProblem(
      requests: instance.count, members: groups.map(\.members), weights: groups.map(\.saving))
  }
}
