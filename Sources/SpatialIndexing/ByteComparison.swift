#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Returns whether `count` bytes are the same. Either address may be absent when there are none.
@inline(__always)
func bytesAreEqual(_ a: UnsafeRawPointer?, _ b: UnsafeRawPointer?, _ count: Int) -> Bool {
  guard count > 0, let a = unsafe a, let b = unsafe b else { return true }
  return unsafe memcmp(a, b, count) == 0
}

/// Returns whether `a` comes before `b` in the order of ids: lexicographic, a prefix first.
@inline(__always)
func bytesPrecede(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
  guard let left = a.baseAddress, let right = b.baseAddress else { return a.count < b.count }
  let order = unsafe memcmp(left, right, min(a.count, b.count))
  return order != 0 ? order < 0 : a.count < b.count
}
