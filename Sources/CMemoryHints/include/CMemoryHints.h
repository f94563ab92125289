#ifndef CMEMORYHINTS_H
#define CMEMORYHINTS_H

/// Starts bringing the cache line at an address close, to be read. Never faults, whatever the
/// address; waits for nothing.
static inline void memory_hint_read(const void *_Nonnull address) {
  __builtin_prefetch(address, 0, 3);
}

/// The same, to be written.
static inline void memory_hint_write(const void *_Nonnull address) {
  __builtin_prefetch(address, 1, 3);
}

#endif
