#ifndef MOYEO_C_THREADS_H
#define MOYEO_C_THREADS_H

#include <stddef.h>

// Starts a detached thread that runs body(argument) once. Linux keeps the first 15 bytes of the
// name, and runs the thread `courtesy` steps of nice(2) behind the process's others; elsewhere,
// where a thread has no such number of its own, that is left out. Returns 0, or the error number
// of pthread_create.
//
// In C, as glibc declares pthread_setname_np for GNU sources only, which Swift does not see.
int moyeo_start_thread(const char *_Nonnull name, size_t stack_bytes, int courtesy,
                       void (*_Nonnull body)(void *_Nullable), void *_Nullable argument);

#endif
