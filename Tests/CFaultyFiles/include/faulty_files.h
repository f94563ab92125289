#ifndef MOYEO_FAULTY_FILES_H
#define MOYEO_FAULTY_FILES_H

#include <stdint.h>

// A disk that fails, for tests: a default SQLite VFS around the real one. Files whose path begins
// with a disk's prefix belong to that disk; all others pass through untouched.
//
// Beside each file stands what would be left of it after a power cut: what was written before the
// last sync that succeeded. The process itself goes on seeing all it wrote, as through the page
// cache of a system.

typedef struct faulty_disk faulty_disk;

// Becomes the default VFS of the process, once. Returns an SQLite result code.
int faulty_install(void);

faulty_disk *faulty_disk_create(const char *prefix);
// Its files must be closed by then.
void faulty_disk_free(faulty_disk *disk);

// After `skip` more syncs the next `count` fail. As on Linux, what they were to make durable is then
// taken for clean: later syncs succeed without it.
void faulty_fail_syncs(faulty_disk *disk, int skip, int count);
// Bytes by which files may still grow; negative: any number. A write past that is cut short and
// answers SQLITE_FULL.
void faulty_set_room(faulty_disk *disk, int64_t bytes);

// When the file at `path` is gone by the time that room runs out, there are `bytes` more, once.
// Shrinking a file gives room back as well.
void faulty_set_room_behind(faulty_disk *disk, const char *path, int64_t bytes);

// Reads of files whose path ends in `suffix` answer zeros, as a disk may that lost a block; null:
// none do.
void faulty_blank(faulty_disk *disk, const char *suffix);

// As if the process were killed: after `operations` more that change a file (writing, cutting,
// syncing, creating, deleting) none is carried out any more, and each answers SQLITE_IOERR.
// Negative: all are carried out again.
void faulty_stop(faulty_disk *disk, int64_t operations);
int faulty_has_stopped(faulty_disk *disk);

int64_t faulty_sync_count(faulty_disk *disk);

// Writes into `directory` (which must exist) what the power cut leaves of every file that was not
// deleted, under its last path component. Each 512-byte sector written since the last sync survives
// with `survivors` in 256, drawn from `seed`: disks write in any order. Files of shared memory
// do not survive. Returns 0, or -1 when a file cannot be written.
int faulty_power_cut(faulty_disk *disk, const char *directory, uint64_t seed, int survivors);

#endif
