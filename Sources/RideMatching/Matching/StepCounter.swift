/// Asks whether to stop every 256 steps, and never again once that was so.
struct StepCounter {
  private var left = 256
  private(set) var hasStopped = false

  /// - Returns: Whether to stop.
  mutating func take(_ steps: Int, _ shouldStop: () -> Bool) -> Bool {
    if hasStopped { return true }
    left -= steps
    guard left <= 0 else { return false }
    left = 256
    hasStopped = shouldStop()
    return hasStopped
  }
}
