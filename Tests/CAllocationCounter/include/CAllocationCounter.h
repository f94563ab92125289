#ifndef CALLOCATIONCOUNTER_H
#define CALLOCATIONCOUNTER_H

/// Calls of malloc, calloc and realloc that this thread has made; -1 where they are not counted
/// (other C libraries than glibc, sanitizers, which replace the allocator themselves).
long long allocation_count(void);

#endif
