#define _GNU_SOURCE
#include "wall_clock.h"

#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

static atomic_int stepping;

void wall_clock_steps_back(int is_stepping) { atomic_store(&stepping, is_stepping); }

#ifdef __linux__

static int is_ours(void) {
  char name[16] = "";
  return atomic_load(&stepping) && pthread_getname_np(pthread_self(), name, sizeof name) == 0 &&
         strncmp(name, "moyeo", 5) == 0;
}

// A deadline by the wall clock is some time around now; one by the monotonic clock counts from the
// start of the machine, decades less.
static struct timespec later(const struct timespec *deadline) {
  struct timespec out = *deadline;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (is_ours() && out.tv_sec > now.tv_sec / 2) out.tv_sec += 60;
  return out;
}

typedef int (*sem_wait_function)(sem_t *, const struct timespec *);
typedef int (*cond_wait_function)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
typedef int (*mutex_lock_function)(pthread_mutex_t *, const struct timespec *);

int sem_timedwait(sem_t *semaphore, const struct timespec *deadline) {
  static _Atomic(sem_wait_function) real;
  if (!real) real = (sem_wait_function)dlsym(RTLD_NEXT, "sem_timedwait");
  struct timespec moment = later(deadline);
  return real(semaphore, &moment);
}

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                           const struct timespec *deadline) {
  static _Atomic(cond_wait_function) real;
  // The newest version of the symbol: the oldest, which a plain lookup finds, has another layout.
  if (!real) real = (cond_wait_function)dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
  if (!real) real = (cond_wait_function)dlsym(RTLD_NEXT, "pthread_cond_timedwait");
  struct timespec moment = later(deadline);
  return real(condition, mutex, &moment);
}

int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *deadline) {
  static _Atomic(mutex_lock_function) real;
  if (!real) real = (mutex_lock_function)dlsym(RTLD_NEXT, "pthread_mutex_timedlock");
  struct timespec moment = later(deadline);
  return real(mutex, &moment);
}

#endif
