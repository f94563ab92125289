#ifndef MOYEO_CSPATIALITE_SHIM_H
#define MOYEO_CSPATIALITE_SHIM_H

#include <sqlite3.h>
#include <spatialite.h>
#include <geodesic.h>

#endif
