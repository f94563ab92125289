/// The opaque version that a layer's answers carry: the epoch of this start and a counter.
package struct LayerVersion: Hashable, Sendable {
  /// The random number of ``LayerRegistry/epoch``.
  package let epoch: UInt32
  package let counter: UInt64

  package init(epoch: UInt32, counter: UInt64) {
    self.epoch = epoch
    self.counter = counter
  }

  /// Reads a version; `nil` for text that this service does not give out.
  package init?(text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].utf8.count <= 8, parts[1].utf8.count <= 16,
      let epoch = UInt32(parts[0], radix: 16), let counter = UInt64(parts[1], radix: 16),
      !parts[0].hasPrefix("+"), !parts[1].hasPrefix("+")
    else { return nil }
    self.init(epoch: epoch, counter: counter)
  }

  package var text: String { String(epoch, radix: 16) + "-" + String(counter, radix: 16) }
}
