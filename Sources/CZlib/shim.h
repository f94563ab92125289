#include <zlib.h>

// deflateInit2 and inflateInit2 are macros, which Swift does not see.
static inline int moyeo_deflate_init(z_streamp stream, int level, int windowBits, int memLevel) {
  return deflateInit2(stream, level, Z_DEFLATED, windowBits, memLevel, Z_DEFAULT_STRATEGY);
}
static inline int moyeo_inflate_init(z_streamp stream, int windowBits) {
  return inflateInit2(stream, windowBits);
}
