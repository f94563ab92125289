import Glibc
import SeoulWorkload

extension Suite {
  /// What this machine's memory takes for a cache line out of 128 MB: the floor of all figures that
  /// visit points in no order.
  func memory() {
    let lines = 1 << 21
    let bytes = lines * 64
    guard
      let memory = mmap(
        nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
      memory != MAP_FAILED
    else { return }
    defer { munmap(memory, bytes) }
    madvise(memory, bytes, MADV_HUGEPAGE)
    // One ring through all lines (S. Sattolo), so that each read names the next.
    var g = WorkloadGenerator(seed: 31)
    var ring = Array(0..<lines)
    for i in stride(from: lines - 1, to: 0, by: -1) {
      ring.swapAt(i, Int(g.next() % UInt64(i)))
    }
    for i in 0..<lines { memory.storeBytes(of: ring[i], toByteOffset: i * 64, as: Int.self) }
    let reads = 1_000_000
    var at = 0
    var start = batchNanoseconds()
    for _ in 0..<reads { at = memory.load(fromByteOffset: at * 64, as: Int.self) }
    report.add(
      "memory: a line that waits for the last", Double(batchNanoseconds() - start) / Double(reads),
      "ns")
    let order = (0..<reads).map { _ in Int32(truncatingIfNeeded: g.next() % UInt64(lines)) }
    var sum = at
    start = batchNanoseconds()
    for i in order { sum &+= memory.load(fromByteOffset: Int(i) * 64, as: Int.self) }
    report.add(
      "memory: a line that waits for none", Double(batchNanoseconds() - start) / Double(reads), "ns"
    )
    precondition(sum != -1)
  }
}
