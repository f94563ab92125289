#ifndef MOYEO_C_THREADS_H
#define MOYEO_C_THREADS_H

#include <stddef.h>

// Starts a detached thread that runs body(argument) once. Linux keeps the first 15 bytes of the
// name. Returns 0, or the error number of pthread_create.
//
// In C, as glibc declares pthread_setname_np for GNU sources only, which Swift does not see.
int moyeo_start_thread(const char *_Nonnull name, size_t stack_bytes,
                       void (*_Nonnull body)(void *_Nullable), void *_Nullable argument);

#endif
