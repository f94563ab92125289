// The module is its header; a package target needs a source file.
#include "CMemoryHints.h"
