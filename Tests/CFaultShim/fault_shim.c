// Preloaded into moyeod by Tests/torture (LD_PRELOAD): makes the files of one directory fail as a
// disk may, lets a power cut leave what was synced, and steps the wall clock.
//
//   MOYEO_FAULT_DIRECTORY  only files below it (an absolute path) are touched
//   MOYEO_FAULT_CONTROL    a small file that says what is on, read anew every 10 ms:
//       fail_write=N      one in N writes fails with EIO
//       short_write=N     one in N writes is cut short (and the rest fails with ENOSPC)
//       fail_sync=N       one in N syncs fails with EIO, and what it was to sync is lost
//       lying_sync=1      syncs succeed and do nothing
//       fail_read=N       one in N reads fails with EIO
//       clock=SECONDS     the wall clock is so much ahead (or, negative, behind)
//       seed=N
//   MOYEO_FAULT_LOG        of the power cut: a file to which every write, cut, sync, renaming and
//                          deletion below the directory is appended (format: see `record`); the
//                          test builds from it what a power cut would have left
//
// Only calls that moyeod's libraries make are covered: 64-bit file calls of glibc on Linux.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { most_files = 4096, sector = 512 };

static struct {
  atomic_long fail_write, short_write, fail_sync, lying_sync, fail_read, clock, seed;
} faults;

static char directory[2048];
static char control[2048];
static int log_file = -1;
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
// Whether a descriptor is a file below the directory, and its name there.
static char *names[most_files];
static atomic_long next_read_nanoseconds;
static atomic_ulong drawn;

#define REAL(name) static __typeof__(&name) real; if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

// MARK: What is on

static int64_t monotonic_nanoseconds(void) {
  static int (*real)(clockid_t, struct timespec *);
  if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  struct timespec now;
  real(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void set(const char *name, long value) {
  if (strcmp(name, "fail_write") == 0) faults.fail_write = value;
  else if (strcmp(name, "short_write") == 0) faults.short_write = value;
  else if (strcmp(name, "fail_sync") == 0) faults.fail_sync = value;
  else if (strcmp(name, "lying_sync") == 0) faults.lying_sync = value;
  else if (strcmp(name, "fail_read") == 0) faults.fail_read = value;
  else if (strcmp(name, "clock") == 0) faults.clock = value;
  else if (strcmp(name, "seed") == 0) faults.seed = value;
}

static void look(void) {
  if (!control[0]) return;
  int64_t now = monotonic_nanoseconds();
  int64_t due = atomic_load(&next_read_nanoseconds);
  if (now < due ||
      !atomic_compare_exchange_strong(&next_read_nanoseconds, &due, now + 10000000)) {
    return;
  }
  static int (*real_open)(const char *, int, ...);
  static ssize_t (*real_read)(int, void *, size_t);
  if (!real_open) real_open = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
  if (!real_read) real_read = (ssize_t(*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
  int file = real_open(control, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  char text[1024];
  ssize_t count = real_read(file, text, sizeof text - 1);
  close(file);
  if (count < 0) return;
  text[count] = 0;
  char *rest = text, *line;
  while ((line = strsep(&rest, "\n"))) {
    char *equals = strchr(line, '=');
    if (!equals) continue;
    *equals = 0;
    set(line, atol(equals + 1));
  }
}

// Whether a fault that strikes one in `chance` strikes now. Splitmix64 (S. Vigna).
static int strikes(long chance) {
  if (chance <= 0) return 0;
  uint64_t z = (atomic_fetch_add(&drawn, 1) + (uint64_t)faults.seed * 0x632BE59BD9B4E019u + 1) *
               0x9E3779B97F4A7C15u;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return (z ^ z >> 31) % (uint64_t)chance == 0;
}

__attribute__((constructor)) static void begin(void) {
  const char *text = getenv("MOYEO_FAULT_DIRECTORY");
  if (text) snprintf(directory, sizeof directory, "%s/", text);
  text = getenv("MOYEO_FAULT_CONTROL");
  if (text) snprintf(control, sizeof control, "%s", text);
  text = getenv("MOYEO_FAULT_LOG");
  if (text) log_file = open(text, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  look();
}

static const char *below(const char *path) {
  size_t length = strlen(directory);
  return length > 0 && strncmp(path, directory, length) == 0 ? path + length : 0;
}

static const char *name_of(int descriptor) {
  return descriptor >= 0 && descriptor < most_files ? names[descriptor] : 0;
}

// MARK: The log

// One line `kind name offset length\n`, then `length` bytes for a write (`w`). `t`: cut at `offset`;
// `s`: synced; `m`: renamed to the `length` bytes that follow; `d`: deleted.
static void record(char kind, const char *name, int64_t offset, const void *bytes, size_t length) {
  if (log_file < 0) return;
  static ssize_t (*real_write)(int, const void *, size_t);
  if (!real_write) real_write = (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
  char head[512];
  int count = snprintf(head, sizeof head, "%c %s %lld %zu\n", kind, name, (long long)offset, length);
  pthread_mutex_lock(&log_lock);
  if (real_write(log_file, head, (size_t)count) == count && length > 0) {
    size_t done = 0;
    while (done < length) {
      ssize_t written = real_write(log_file, (const char *)bytes + done, length - done);
      if (written <= 0) break;
      done += (size_t)written;
    }
  }
  pthread_mutex_unlock(&log_lock);
}

// MARK: Opening, renaming, deleting

static int opened(int descriptor, const char *path, int flags) {
  const char *name = below(path);
  if (descriptor < 0 || descriptor >= most_files) return descriptor;
  free(names[descriptor]);
  names[descriptor] = name ? strdup(name) : 0;
  if (name && flags & O_TRUNC) record('t', name, 0, 0, 0);
  return descriptor;
}

static mode_t mode_of(int flags, va_list arguments) {
  return flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
}

int open(const char *path, int flags, ...) {
  REAL(open);
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return opened(real(path, flags, mode), path, flags);
}

int open64(const char *path, int flags, ...) {
  REAL(open64);
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return opened(real(path, flags, mode), path, flags);
}

int close(int descriptor) {
  REAL(close);
  if (name_of(descriptor)) {
    free(names[descriptor]);
    names[descriptor] = 0;
  }
  return real(descriptor);
}

int rename(const char *from, const char *to) {
  REAL(rename);
  int code = real(from, to);
  const char *name = below(from), *other = below(to);
  if (code == 0 && name && other) record('m', name, 0, other, strlen(other));
  return code;
}

int link(const char *from, const char *to) {
  REAL(link);
  int code = real(from, to);
  const char *name = below(from), *other = below(to);
  if (code == 0 && name && other) record('l', name, 0, other, strlen(other));
  return code;
}

int unlink(const char *path) {
  REAL(unlink);
  int code = real(path);
  const char *name = below(path);
  if (code == 0 && name) record('d', name, 0, 0, 0);
  return code;
}

// MARK: Reading and writing

static ssize_t write_at(int descriptor, const void *bytes, size_t count, off64_t offset) {
  static ssize_t (*real)(int, const void *, size_t, off64_t);
  if (!real) real = (ssize_t(*)(int, const void *, size_t, off64_t))dlsym(RTLD_NEXT, "pwrite64");
  const char *name = name_of(descriptor);
  if (!name) return real(descriptor, bytes, count, offset);
  look();
  if (strikes(faults.fail_write)) {
    errno = EIO;
    return -1;
  }
  size_t fits = count;
  if (strikes(faults.short_write)) fits = count / 2 / sector * sector;
  if (fits == 0) {
    errno = ENOSPC;
    return -1;
  }
  ssize_t written = real(descriptor, bytes, fits, offset);
  if (written > 0) record('w', name, offset, bytes, (size_t)written);
  return written;
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  return write_at(descriptor, bytes, count, offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
  return write_at(descriptor, bytes, count, offset);
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
  REAL(write);
  const char *name = name_of(descriptor);
  if (!name) return real(descriptor, bytes, count);
  off64_t offset = lseek64(descriptor, 0, SEEK_CUR);
  ssize_t written = real(descriptor, bytes, count);
  if (written > 0) record('w', name, offset, bytes, (size_t)written);
  return written;
}

static ssize_t read_at(int descriptor, void *bytes, size_t count, off64_t offset) {
  static ssize_t (*real)(int, void *, size_t, off64_t);
  if (!real) real = (ssize_t(*)(int, void *, size_t, off64_t))dlsym(RTLD_NEXT, "pread64");
  if (name_of(descriptor)) {
    look();
    if (strikes(faults.fail_read)) {
      errno = EIO;
      return -1;
    }
  }
  return real(descriptor, bytes, count, offset);
}

ssize_t pread(int descriptor, void *bytes, size_t count, off_t offset) {
  return read_at(descriptor, bytes, count, offset);
}

ssize_t pread64(int descriptor, void *bytes, size_t count, off64_t offset) {
  return read_at(descriptor, bytes, count, offset);
}

static int cut(int descriptor, off64_t size) {
  static int (*real)(int, off64_t);
  if (!real) real = (int (*)(int, off64_t))dlsym(RTLD_NEXT, "ftruncate64");
  int code = real(descriptor, size);
  const char *name = name_of(descriptor);
  if (code == 0 && name) record('t', name, size, 0, 0);
  return code;
}

int ftruncate(int descriptor, off_t size) { return cut(descriptor, size); }
int ftruncate64(int descriptor, off64_t size) { return cut(descriptor, size); }

static int synced(int descriptor, int (*real)(int)) {
  const char *name = name_of(descriptor);
  if (!name) return real(descriptor);
  look();
  if (strikes(faults.fail_sync)) {
    // As on Linux: the pages count as clean from now on.
    record('x', name, 0, 0, 0);
    errno = EIO;
    return -1;
  }
  if (faults.lying_sync) return 0;
  int code = log_file >= 0 ? 0 : real(descriptor);
  if (code == 0) record('s', name, 0, 0, 0);
  return code;
}

int fsync(int descriptor) {
  REAL(fsync);
  return synced(descriptor, real);
}

int fdatasync(int descriptor) {
  REAL(fdatasync);
  return synced(descriptor, real);
}

// MARK: The wall clock

int clock_gettime(clockid_t clock, struct timespec *out) {
  REAL(clock_gettime);
  int code = real(clock, out);
  if (code == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
    look();
    out->tv_sec += faults.clock;
  }
  return code;
}

int gettimeofday(struct timeval *out, void *zone) {
  REAL(gettimeofday);
  int code = real(out, zone);
  if (code == 0) {
    look();
    out->tv_sec += faults.clock;
  }
  return code;
}

time_t time(time_t *out) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (out) *out = now.tv_sec;
  return now.tv_sec;
}

// A wait by the wall clock ends when that clock, as it is stepped meanwhile, says so. The kernel
// knows the real one, so that the wait goes in slices.

typedef int (*slice_function)(void *, void *, const struct timespec *);

static int wait_in_slices(slice_function wait, void *object, void *mutex,
                          const struct timespec *deadline) {
  for (;;) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    int64_t left = ((int64_t)deadline->tv_sec - now.tv_sec) * 1000000000 + deadline->tv_nsec -
                   now.tv_nsec;
    int64_t slice = left < 20000000 ? (left > 0 ? left : 0) : 20000000;
    // By the kernel's clock.
    int64_t until = (int64_t)(now.tv_sec - faults.clock) * 1000000000 + now.tv_nsec + slice;
    struct timespec moment = {until / 1000000000, until % 1000000000};
    int code = wait(object, mutex, &moment);
    if (code != ETIMEDOUT || left <= slice) return code;
  }
}

static int sem_slice(void *semaphore, void *unused, const struct timespec *moment) {
  static int (*real)(sem_t *, const struct timespec *);
  if (!real) real = (int (*)(sem_t *, const struct timespec *))dlsym(RTLD_NEXT, "sem_timedwait");
  (void)unused;
  return real(semaphore, moment) == 0 ? 0 : errno;
}

int sem_timedwait(sem_t *semaphore, const struct timespec *deadline) {
  int code = wait_in_slices(sem_slice, semaphore, 0, deadline);
  if (code == 0) return 0;
  errno = code;
  return -1;
}

static int mutex_slice(void *mutex, void *unused, const struct timespec *moment) {
  static int (*real)(pthread_mutex_t *, const struct timespec *);
  if (!real) {
    real = (int (*)(pthread_mutex_t *, const struct timespec *))dlsym(
        RTLD_NEXT, "pthread_mutex_timedlock");
  }
  (void)unused;
  return real(mutex, moment);
}

int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *deadline) {
  return wait_in_slices(mutex_slice, mutex, 0, deadline);
}

static int cond_slice(void *condition, void *mutex, const struct timespec *moment) {
  static int (*real)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
  // The newest version of the symbol: the oldest has another layout.
  if (!real) {
    real = (int (*)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *))dlvsym(
        RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
  }
  if (!real) {
    real = (int (*)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *))dlsym(
        RTLD_NEXT, "pthread_cond_timedwait");
  }
  return real(condition, mutex, moment);
}

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                           const struct timespec *deadline) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  // A deadline by the monotonic clock counts from the start of the machine, decades less.
  if (deadline->tv_sec < now.tv_sec / 2) return cond_slice(condition, mutex, deadline);
  return wait_in_slices(cond_slice, condition, mutex, deadline);
}
