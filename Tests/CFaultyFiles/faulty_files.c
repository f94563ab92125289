#include "faulty_files.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { sector = 512 };

typedef struct range {
  sqlite3_int64 offset;
  sqlite3_int64 length;
  struct range *next;
} range;

// A file of a disk, by path; shared by all handles.
typedef struct tracked {
  char *path;
  unsigned char *durable;
  sqlite3_int64 durable_length;
  // The file as the process sees it.
  unsigned char *seen;
  sqlite3_int64 seen_length;
  range *dirty;
  int is_deleted;
  faulty_disk *disk;
  struct tracked *next;
} tracked;

struct faulty_disk {
  char *prefix;
  tracked *files;
  int skip_syncs;
  int failing_syncs;
  sqlite3_int64 room;
  char *room_path;
  sqlite3_int64 room_behind;
  char *blank;
  // Operations until the stop; negative: none.
  sqlite3_int64 operations;
  int has_stopped;
  int64_t syncs;
  struct faulty_disk *next;
};

// An open file of a disk. Kept beside SQLite's own structure, whose size must stay that of the real
// VFS: libproj finds its place behind it by the size that the default VFS says when a file closes.
typedef struct handle {
  sqlite3_file *file;
  const sqlite3_io_methods *real;
  tracked *tracked;
  struct handle *next;
} handle;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static faulty_disk *disks;
static handle *handles;
static sqlite3_vfs *real_vfs;
static sqlite3_vfs shim_vfs;

// With `lock` held.
static handle *find(sqlite3_file *file) {
  for (handle *one = handles; one; one = one->next) {
    if (one->file == file) return one;
  }
  abort();
}

static const sqlite3_io_methods *real(sqlite3_file *file) {
  pthread_mutex_lock(&lock);
  const sqlite3_io_methods *methods = find(file)->real;
  pthread_mutex_unlock(&lock);
  return methods;
}

static void grow(unsigned char **bytes, sqlite3_int64 *length, sqlite3_int64 wanted) {
  if (wanted <= *length) return;
  *bytes = realloc(*bytes, (size_t)wanted);
  memset(*bytes + *length, 0, (size_t)(wanted - *length));
  *length = wanted;
}

static void forget_dirty(tracked *file) {
  while (file->dirty) {
    range *next = file->dirty->next;
    free(file->dirty);
    file->dirty = next;
  }
}

static void note(tracked *file, const void *bytes, int count, sqlite3_int64 offset) {
  grow(&file->seen, &file->seen_length, offset + count);
  memcpy(file->seen + offset, bytes, (size_t)count);
  range *dirty = malloc(sizeof(range));
  *dirty = (range){offset, count, file->dirty};
  file->dirty = dirty;
}

// With `lock` held: counts an operation. Nonzero: it is not to be carried out.
static int is_stopped(faulty_disk *disk) {
  if (disk->operations < 0) return 0;
  if (disk->operations > 0) {
    disk->operations--;
    return 0;
  }
  disk->has_stopped = 1;
  return 1;
}

static int ends_in(const char *path, const char *suffix) {
  size_t length = strlen(path), end = strlen(suffix);
  return length >= end && strcmp(path + length - end, suffix) == 0;
}

// MARK: Methods of a file

static int shim_close(sqlite3_file *file) {
  pthread_mutex_lock(&lock);
  handle **place = &handles;
  while (*place && (*place)->file != file) place = &(*place)->next;
  handle *own = *place;
  if (!own) abort();
  *place = own->next;
  pthread_mutex_unlock(&lock);
  file->pMethods = own->real;
  free(own);
  return file->pMethods->xClose(file);
}

static int shim_read(sqlite3_file *file, void *out, int count, sqlite3_int64 offset) {
  int code = real(file)->xRead(file, out, count, offset);
  pthread_mutex_lock(&lock);
  tracked *own = find(file)->tracked;
  if (code == SQLITE_OK && own->disk->blank && ends_in(own->path, own->disk->blank)) {
    memset(out, 0, (size_t)count);
  }
  pthread_mutex_unlock(&lock);
  return code;
}

static int shim_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  pthread_mutex_lock(&lock);
  const sqlite3_io_methods *methods = find(file)->real;
  tracked *own = find(file)->tracked;
  if (is_stopped(own->disk)) {
    pthread_mutex_unlock(&lock);
    return SQLITE_IOERR_WRITE;
  }
  int fits = count;
  sqlite3_int64 growth = offset + count - own->seen_length;
  if (growth > 0 && own->disk->room >= 0) {
    if (growth > own->disk->room && own->disk->room_path && access(own->disk->room_path, F_OK) != 0) {
      own->disk->room += own->disk->room_behind;
      free(own->disk->room_path);
      own->disk->room_path = 0;
    }
    if (growth > own->disk->room) fits = (int)(count - (growth - own->disk->room));
    if (fits < 0) fits = 0;
    own->disk->room -= growth - (count - fits);
    if (own->disk->room < 0) own->disk->room = 0;
  }
  int code = fits > 0 ? methods->xWrite(file, bytes, fits, offset) : SQLITE_OK;
  if (code == SQLITE_OK && fits > 0) note(own, bytes, fits, offset);
  if (code == SQLITE_OK && fits < count) code = SQLITE_FULL;
  pthread_mutex_unlock(&lock);
  return code;
}

static int shim_truncate(sqlite3_file *file, sqlite3_int64 size) {
  pthread_mutex_lock(&lock);
  tracked *own = find(file)->tracked;
  if (is_stopped(own->disk)) {
    pthread_mutex_unlock(&lock);
    return SQLITE_IOERR_TRUNCATE;
  }
  int code = find(file)->real->xTruncate(file, size);
  if (code == SQLITE_OK) {
    if (own->disk->room >= 0 && size < own->seen_length) {
      own->disk->room += own->seen_length - size;
    }
    grow(&own->seen, &own->seen_length, size);
    own->seen_length = size;
  }
  pthread_mutex_unlock(&lock);
  return code;
}

static int shim_sync(sqlite3_file *file, int flags) {
  // The real sync is left out: nothing here cuts the real power.
  (void)flags;
  pthread_mutex_lock(&lock);
  tracked *own = find(file)->tracked;
  faulty_disk *disk = own->disk;
  if (is_stopped(disk)) {
    pthread_mutex_unlock(&lock);
    return SQLITE_IOERR_FSYNC;
  }
  int code = SQLITE_OK;
  disk->syncs++;
  if (disk->skip_syncs > 0) {
    disk->skip_syncs--;
  } else if (disk->failing_syncs > 0) {
    disk->failing_syncs--;
    code = SQLITE_IOERR_FSYNC;
  }
  if (code == SQLITE_OK) {
    grow(&own->durable, &own->durable_length, own->seen_length);
    own->durable_length = own->seen_length;
    for (range *dirty = own->dirty; dirty; dirty = dirty->next) {
      sqlite3_int64 end = dirty->offset + dirty->length;
      if (end > own->seen_length) end = own->seen_length;
      if (end > dirty->offset) {
        memcpy(own->durable + dirty->offset, own->seen + dirty->offset,
               (size_t)(end - dirty->offset));
      }
    }
  }
  forget_dirty(own);
  pthread_mutex_unlock(&lock);
  return code;
}

static int shim_size(sqlite3_file *file, sqlite3_int64 *size) {
  return real(file)->xFileSize(file, size);
}
static int shim_lock(sqlite3_file *file, int level) {
  return real(file)->xLock(file, level);
}
static int shim_unlock(sqlite3_file *file, int level) {
  return real(file)->xUnlock(file, level);
}
static int shim_reserved(sqlite3_file *file, int *out) {
  return real(file)->xCheckReservedLock(file, out);
}
static int shim_control(sqlite3_file *file, int op, void *argument) {
  // Growth ahead of need would go unseen.
  if (op == SQLITE_FCNTL_SIZE_HINT || op == SQLITE_FCNTL_CHUNK_SIZE) return SQLITE_OK;
  return real(file)->xFileControl(file, op, argument);
}
static int shim_sector(sqlite3_file *file) {
  return real(file)->xSectorSize(file);
}
static int shim_characteristics(sqlite3_file *file) {
  return real(file)->xDeviceCharacteristics(file);
}
static int shim_shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **out) {
  return real(file)->xShmMap(file, page, size, extend, out);
}
static int shim_shm_lock(sqlite3_file *file, int offset, int count, int flags) {
  return real(file)->xShmLock(file, offset, count, flags);
}
static void shim_shm_barrier(sqlite3_file *file) {
  real(file)->xShmBarrier(file);
}
static int shim_shm_unmap(sqlite3_file *file, int remove) {
  return real(file)->xShmUnmap(file, remove);
}

// Version 2: no memory-mapped reading, which would go past this shim.
static const sqlite3_io_methods shim_methods = {
    2,           shim_close,           shim_read,      shim_write,       shim_truncate,
    shim_sync,   shim_size,            shim_lock,      shim_unlock,      shim_reserved,
    shim_control, shim_sector,         shim_characteristics, shim_shm_map, shim_shm_lock,
    shim_shm_barrier, shim_shm_unmap,  0,              0};

// MARK: Methods of the VFS

static tracked *find_or_add(const char *path, sqlite3_file *inner) {
  for (faulty_disk *disk = disks; disk; disk = disk->next) {
    if (strncmp(path, disk->prefix, strlen(disk->prefix)) != 0) continue;
    for (tracked *file = disk->files; file; file = file->next) {
      if (strcmp(file->path, path) == 0 && !file->is_deleted) return file;
    }
    tracked *file = calloc(1, sizeof(tracked));
    file->path = strdup(path);
    file->disk = disk;
    file->next = disk->files;
    disk->files = file;
    // What was there before is taken for durable.
    sqlite3_int64 size = 0;
    inner->pMethods->xFileSize(inner, &size);
    grow(&file->seen, &file->seen_length, size);
    if (size > 0) inner->pMethods->xRead(inner, file->seen, (int)size, 0);
    grow(&file->durable, &file->durable_length, size);
    if (size > 0) memcpy(file->durable, file->seen, (size_t)size);
    return file;
  }
  return 0;
}

// Whether the disk of a path carries nothing out any more.
static int stops(const char *path) {
  int answer = 0;
  pthread_mutex_lock(&lock);
  for (faulty_disk *disk = disks; disk; disk = disk->next) {
    if (strncmp(path, disk->prefix, strlen(disk->prefix)) == 0) answer = is_stopped(disk);
  }
  pthread_mutex_unlock(&lock);
  return answer;
}

static int shim_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags,
                     int *out_flags) {
  (void)vfs;
  if (path && (flags & SQLITE_OPEN_CREATE) && access(path, F_OK) != 0 && stops(path)) {
    file->pMethods = 0;
    return SQLITE_CANTOPEN;
  }
  int code = real_vfs->xOpen(real_vfs, path, file, flags, out_flags);
  if (code != SQLITE_OK || !path || !file->pMethods) return code;
  pthread_mutex_lock(&lock);
  tracked *known = find_or_add(path, file);
  if (known) {
    handle *own = malloc(sizeof(handle));
    *own = (handle){file, file->pMethods, known, handles};
    handles = own;
    file->pMethods = &shim_methods;
  }
  pthread_mutex_unlock(&lock);
  return code;
}

static int shim_delete(sqlite3_vfs *vfs, const char *path, int sync_directory) {
  (void)vfs;
  if (stops(path)) return SQLITE_IOERR_DELETE;
  int code = real_vfs->xDelete(real_vfs, path, sync_directory);
  pthread_mutex_lock(&lock);
  for (faulty_disk *disk = disks; disk; disk = disk->next) {
    for (tracked *file = disk->files; file; file = file->next) {
      if (strcmp(file->path, path) == 0 && code == SQLITE_OK) file->is_deleted = 1;
    }
  }
  pthread_mutex_unlock(&lock);
  return code;
}

int faulty_install(void) {
  pthread_mutex_lock(&lock);
  int code = SQLITE_OK;
  if (!real_vfs) {
    real_vfs = sqlite3_vfs_find(0);
    // All but opening and deleting is the real one's, called with its own description.
    shim_vfs = *real_vfs;
    shim_vfs.pNext = 0;
    shim_vfs.zName = "faulty";
    shim_vfs.xOpen = shim_open;
    shim_vfs.xDelete = shim_delete;
    code = sqlite3_vfs_register(&shim_vfs, 1);
  }
  pthread_mutex_unlock(&lock);
  return code;
}

// MARK: Disks

faulty_disk *faulty_disk_create(const char *prefix) {
  faulty_disk *disk = calloc(1, sizeof(faulty_disk));
  disk->prefix = strdup(prefix);
  disk->room = -1;
  disk->operations = -1;
  pthread_mutex_lock(&lock);
  disk->next = disks;
  disks = disk;
  pthread_mutex_unlock(&lock);
  return disk;
}

void faulty_disk_free(faulty_disk *disk) {
  pthread_mutex_lock(&lock);
  for (faulty_disk **place = &disks; *place; place = &(*place)->next) {
    if (*place == disk) {
      *place = disk->next;
      break;
    }
  }
  pthread_mutex_unlock(&lock);
  while (disk->files) {
    tracked *next = disk->files->next;
    forget_dirty(disk->files);
    free(disk->files->path);
    free(disk->files->durable);
    free(disk->files->seen);
    free(disk->files);
    disk->files = next;
  }
  free(disk->prefix);
  free(disk->room_path);
  free(disk->blank);
  free(disk);
}

void faulty_fail_syncs(faulty_disk *disk, int skip, int count) {
  pthread_mutex_lock(&lock);
  disk->skip_syncs = skip;
  disk->failing_syncs = count;
  pthread_mutex_unlock(&lock);
}

void faulty_set_room(faulty_disk *disk, int64_t bytes) {
  pthread_mutex_lock(&lock);
  disk->room = bytes;
  pthread_mutex_unlock(&lock);
}

void faulty_set_room_behind(faulty_disk *disk, const char *path, int64_t bytes) {
  pthread_mutex_lock(&lock);
  free(disk->room_path);
  disk->room_path = strdup(path);
  disk->room_behind = bytes;
  pthread_mutex_unlock(&lock);
}

void faulty_blank(faulty_disk *disk, const char *suffix) {
  pthread_mutex_lock(&lock);
  free(disk->blank);
  disk->blank = suffix ? strdup(suffix) : 0;
  pthread_mutex_unlock(&lock);
}

void faulty_stop(faulty_disk *disk, int64_t operations) {
  pthread_mutex_lock(&lock);
  disk->operations = operations;
  disk->has_stopped = 0;
  pthread_mutex_unlock(&lock);
}

int faulty_has_stopped(faulty_disk *disk) {
  pthread_mutex_lock(&lock);
  int answer = disk->has_stopped;
  pthread_mutex_unlock(&lock);
  return answer;
}

int64_t faulty_sync_count(faulty_disk *disk) {
  pthread_mutex_lock(&lock);
  int64_t count = disk->syncs;
  pthread_mutex_unlock(&lock);
  return count;
}

// Splitmix64 (S. Vigna).
static uint64_t next_random(uint64_t *state) {
  uint64_t z = (*state += 0x9E3779B97F4A7C15u);
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return z ^ z >> 31;
}

static int leave(tracked *file, const char *directory, uint64_t *random, int survivors) {
  unsigned char *left = 0;
  sqlite3_int64 length = 0;
  grow(&left, &length, file->durable_length);
  if (length > 0) memcpy(left, file->durable, (size_t)length);
  for (range *dirty = file->dirty; dirty; dirty = dirty->next) {
    sqlite3_int64 end = dirty->offset + dirty->length;
    if (end > file->seen_length) end = file->seen_length;
    for (sqlite3_int64 at = dirty->offset; at < end;) {
      sqlite3_int64 stop = (at / sector + 1) * sector;
      if (stop > end) stop = end;
      if ((int)(next_random(random) & 255) < survivors) {
        grow(&left, &length, stop);
        memcpy(left + at, file->seen + at, (size_t)(stop - at));
      }
      at = stop;
    }
  }
  const char *name = strrchr(file->path, '/');
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", directory, name ? name + 1 : file->path);
  FILE *out = fopen(path, "wb");
  int failed = !out || (length > 0 && fwrite(left, 1, (size_t)length, out) != (size_t)length);
  if (out && fclose(out) != 0) failed = 1;
  free(left);
  return failed ? -1 : 0;
}

int faulty_power_cut(faulty_disk *disk, const char *directory, uint64_t seed, int survivors) {
  int code = 0;
  pthread_mutex_lock(&lock);
  for (tracked *file = disk->files; file; file = file->next) {
    if (!file->is_deleted && leave(file, directory, &seed, survivors) != 0) code = -1;
  }
  pthread_mutex_unlock(&lock);
  return code;
}
