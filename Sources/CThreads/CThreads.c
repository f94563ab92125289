#define _GNU_SOURCE
#include "CThreads.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct start {
  char name[16];
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
  start.body(start.argument);
  return NULL;
}

int moyeo_start_thread(const char *name, size_t stack_bytes, void (*body)(void *),
                       void *argument) {
  struct start *start = calloc(1, sizeof *start);
  if (!start) return ENOMEM;
  strncpy(start->name, name, sizeof start->name - 1);
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
