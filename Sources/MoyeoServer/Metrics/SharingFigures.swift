import LiveLayers

/// How a daemon keeps up with the positions that others report.
enum SharingFigures {
  static func text(_ sharing: SharedPositions) -> String {
    let figures = sharing.figures
    var out = ""
    func add(_ name: String, _ type: String, _ value: some BinaryInteger) {
      out += "# TYPE moyeo_sharing_\(name) \(type)\nmoyeo_sharing_\(name) \(value)\n"
    }
    add("stale_milliseconds", "gauge", sharing.staleMilliseconds)
    add("entries_total", "counter", figures.entries)
    add("replacements_total", "counter", figures.replacements)
    add("gaps_repaired_total", "counter", figures.repairedGaps)
    add("removed_by_repair_total", "counter", figures.removedByRepair)
    add("without_room_total", "counter", figures.withoutRoom)
    add("failed_reads_total", "counter", figures.failedReads)
    add("failed_appends_total", "counter", figures.failedAppends)
    return out
  }
}
