#ifndef CMEMORYHINTS_H
#define CMEMORYHINTS_H

/// Starts bringing the cache line at an address close, to be read. Never faults, whatever the
/// address; waits for nothing.
static inline void memory_hint_read(const void *_Nonnull address) {
  __builtin_prefetch(address, 0, 3);
}

/// The same, no closer than the second cache: many more of these are on their way at a time (on
/// Zen 4 out of 128 MB in no order: one in 3.7 ns, where the first cache takes one in 6.2 ns).
static inline void memory_hint_read_later(const void *_Nonnull address) {
  __builtin_prefetch(address, 0, 2);
}

/// As `memory_hint_read`, to be written.
static inline void memory_hint_write(const void *_Nonnull address) {
  __builtin_prefetch(address, 1, 3);
}

#endif
