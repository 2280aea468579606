// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Libraries of vendors, loaded when they are first asked for: nothing of them
// is linked.

#ifndef TILERUNTIME_LIB_LIBRARY_H
#define TILERUNTIME_LIB_LIBRARY_H

#include "TileRuntime/Error.h"

#include <pthread.h>
#include <stddef.h>

/// A function that is asked for, and where its address goes in the table.
typedef struct TileRtSymbol {
  const char *name;
  bool optional;
  size_t offset;
} TileRtSymbol;

typedef struct TileRtLibrary {
  const char *kind;     ///< "CUDA driver": of errors
  const char *variable; ///< of the environment, that names another file
  const char *file;     ///< "libcuda.so.1"
  const char *version;  ///< "CUDA 11.8 or later", whose symbols these are
  const TileRtSymbol *symbols;
  size_t count;
  /// Finds what the library does not export; may be null.
  void *(*find)(void *library, size_t symbol);
  /// Makes a filled table ready for use; may be null.
  bool (*initialise)(void *table, TileRtError *error);
} TileRtLibrary;

/// A table of the process, and whether it is filled.
typedef struct TileRtLibraryOnce {
  pthread_mutex_t lock;
  bool loaded;
} TileRtLibraryOnce;

#define TILE_RT_LIBRARY_ONCE                                                   \
  { PTHREAD_MUTEX_INITIALIZER, false }

/// Fills a table, which begins with the handle of the library, from a file. The
/// error names every symbol that is missing.
bool tile_rt_library_load(const TileRtLibrary *info, const char *path,
                          void *table, TileRtError *error);

/// Fills a table once; a failure is tried again by the next call.
bool tile_rt_library_once(const TileRtLibrary *info, TileRtLibraryOnce *once,
                          void *table, TileRtError *error);

#endif // TILERUNTIME_LIB_LIBRARY_H
