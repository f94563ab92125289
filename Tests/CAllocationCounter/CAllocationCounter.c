#include "CAllocationCounter.h"

#include <stdlib.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define ALLOCATOR_IS_TAKEN 1
#endif
#endif

#if defined(__GLIBC__) && !defined(ALLOCATOR_IS_TAKEN)

// The test binary's own symbols come before the C library's, for every library it loads.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *address, size_t size);

static __thread long long calls;

long long allocation_count(void) { return calls; }

void *malloc(size_t size) {
  ++calls;
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  ++calls;
  return __libc_calloc(count, size);
}

void *realloc(void *address, size_t size) {
  ++calls;
  return __libc_realloc(address, size);
}

#else

long long allocation_count(void) { return -1; }

#endif
