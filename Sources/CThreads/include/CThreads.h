#ifndef MOYEO_C_THREADS_H
#define MOYEO_C_THREADS_H

#include <stddef.h>
#include <stdint.h>

// Starts a detached thread that runs body(argument) once. Linux keeps the first 15 bytes of the
// name, and runs the thread `courtesy` steps of nice(2) behind the process's others; elsewhere,
// where a thread has no such number of its own, that is left out. A thread with courtesy is to call
// moyeo_step_aside often. Returns 0, or the error number of pthread_create.
//
// In C, as glibc declares pthread_setname_np for GNU sources only, which Swift does not see.
int moyeo_start_thread(const char *_Nonnull name, size_t stack_bytes, int courtesy,
                       void (*_Nonnull body)(void *_Nullable), void *_Nullable argument);

// Says for how long the calling thread runs at a time while others wait for its core. Linux from 6.12 on
// lets a thread that wakes run before one with longer turns; elsewhere nothing happens. Returns whether the
// system has taken it; an earlier Linux takes it and does nothing.
int moyeo_set_time_slice(uint64_t nanoseconds);

// Lets threads that wait for the calling thread's core run, where it has not done so for 0.25 ms. To be called
// often; it costs some 50 ns, and nobody but who waits a switch. Does nothing but on Linux.
void moyeo_step_aside(void);

// Remembers that the calling thread is one of a pool's. Swift has no variables of a thread.
void moyeo_mark_pool_thread(void);

// Returns whether the calling thread is one of a pool's and carries no task on already; from then on, until
// moyeo_stop_carrying_on, it does.
int moyeo_begin_carrying_on(void);
void moyeo_stop_carrying_on(void);

#endif
