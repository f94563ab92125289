#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The end of reads that are made only to bring memory into the cache: many independent reads
/// in a row overlap their misses (~10 ns each), while the work that follows would meet them one
/// after another (~150 ns each). Swift has no prefetch instruction.
///
/// Takes something folded together from what was read, so that the reads are not optimised away.
@inline(__always)
func finishWarming(_ folded: UInt32) {
  // Almost never taken, and harmless when it is.
  if folded == 0x9E37_79B9 { sched_yield() }
}
