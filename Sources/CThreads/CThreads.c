#define _GNU_SOURCE
#include "CThreads.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#ifdef __linux__
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#endif

int moyeo_set_time_slice(uint64_t nanoseconds) {
#if defined(__linux__) && defined(SYS_sched_setattr)
  // struct sched_attr of sched_setattr(2), which glibc 2.36 does not declare.
  struct {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
  } attributes = {.size = sizeof attributes, .policy = 0 /* SCHED_OTHER */};
  attributes.nice = getpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid));
  attributes.runtime = nanoseconds;
  return syscall(SYS_sched_setattr, 0, &attributes, 0) == 0;
#else
  (void)nanoseconds;
  return 0;
#endif
}

// A thread that steps aside gives up what is left of its turn, so that the turns are no longer than the
// time between.
static const uint64_t between_steps_aside = 250000;

#ifdef __linux__
static uint64_t nanoseconds_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}
#endif

void moyeo_step_aside(void) {
#ifdef __linux__
  static _Thread_local uint64_t next;
  if (nanoseconds_now() < next) return;
  // While it waits for its core, time passes; it has its turn again from then on.
  sched_yield();
  next = nanoseconds_now() + between_steps_aside;
#endif
}

static _Thread_local int may_carry_on;

void moyeo_mark_pool_thread(void) { may_carry_on = 1; }

int moyeo_begin_carrying_on(void) {
  int may = may_carry_on;
  may_carry_on = 0;
  return may;
}

void moyeo_stop_carrying_on(void) { may_carry_on = 1; }

struct start {
  char name[16];
  int courtesy;
  void (*body)(void *);
  void *argument;
};

static void *run(void *raw) {
  struct start start = *(struct start *)raw;
  free(raw);
#ifdef __APPLE__
  pthread_setname_np(start.name);
#else
  pthread_setname_np(pthread_self(), start.name);
#endif
#ifdef __linux__
  if (start.courtesy > 0) {
    id_t self = (id_t)syscall(SYS_gettid);
    // Nothing depends on it, so that a refusal changes nothing.
    setpriority(PRIO_PROCESS, self, getpriority(PRIO_PROCESS, self) + start.courtesy);
    moyeo_set_time_slice(between_steps_aside);
  }
#endif
  start.body(start.argument);
  return NULL;
}

int moyeo_start_thread(const char *name, size_t stack_bytes, int courtesy,
                       void (*body)(void *), void *argument) {
  struct start *start = calloc(1, sizeof *start);
  if (!start) return ENOMEM;
  strncpy(start->name, name, sizeof start->name - 1);
  start->courtesy = courtesy;
  start->body = body;
  start->argument = argument;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, stack_bytes);
  pthread_t thread;
  int code = pthread_create(&thread, &attributes, run, start);
  pthread_attr_destroy(&attributes);
  if (code) free(start);
  return code;
}
