#ifndef MOYEO_CSPATIALITE_SHIM_H
#define MOYEO_CSPATIALITE_SHIM_H

#include <sqlite3.h>
#include <spatialite.h>
#include <geodesic.h>

// Variadic in C. The last connection to close neither copies the write-ahead log nor deletes it.
static inline int moyeo_sqlite_keep_log(sqlite3 *connection) {
  return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

#endif
