#ifndef MOYEO_CPOSTGRES_SHIM_H
#define MOYEO_CPOSTGRES_SHIM_H

#include <libpq-fe.h>

// Macros of libpq-fe.h, which Swift does not see.
static inline int moyeo_pg_diag_sqlstate(void) { return PG_DIAG_SQLSTATE; }
static inline int moyeo_pg_diag_message(void) { return PG_DIAG_MESSAGE_PRIMARY; }
static inline int moyeo_pg_diag_severity(void) { return PG_DIAG_SEVERITY_NONLOCALIZED; }

#endif
