import Dispatch
import Foundation
import Synchronization

/// Turns the first Ctrl-C (or SIGTERM) into a wish to stop; the second ends the program at once.
final class InterruptSignal: Sendable {
  private let count = Atomic<Int>(0)
  // Sources only act while somebody holds them. Safe: set once, touched no more.
  nonisolated(unsafe) private let sources: [any DispatchSourceSignal]

  init() {
    let queue = DispatchQueue(label: "moyeo.signals")
    sources = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      return DispatchSource.makeSignalSource(signal: number, queue: queue)
    }
    for source in sources {
      source.setEventHandler { [weak self] in
        guard let self else { return }
        if self.count.add(1, ordering: .relaxed).newValue > 1 { exit(130) }
      }
      source.resume()
    }
  }

  var isRaised: Bool { count.load(ordering: .relaxed) > 0 }
}
