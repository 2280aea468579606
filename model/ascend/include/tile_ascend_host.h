/* Launches of kernels on the model, for the host code that tile-translate
 * writes (--mlir-to-ascend-host). The same calls serve a device by another
 * library.
 *
 * Environment: TILE_ASCEND_SEED (0: program order), TILE_ASCEND_MUTATE=1: also
 * delete each synchronisation in turn and print what the model says, in the
 * first TILE_ASCEND_MUTATE_BLOCKS blocks (0: all);
 * TILE_ASCEND_TIME=1: print an account of pipe times (figures: and what it is
 * made of); TILE_ASCEND_TRACE: the file that gets the timeline of the first
 * block of the last launch, for chrome://tracing.
 */
#ifndef TILE_ASCEND_HOST_H
#define TILE_ASCEND_HOST_H

#include "tile_ascend_model.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A memref as the CPU's calling convention passes it: sizes, then strides. */
typedef struct {
  void *allocated, *aligned;
  int64_t offset;
  int64_t sizesAndStrides[];
} TileAscendMemRef;

static inline TileAscendArg tileAscendBuffer(void *data, int64_t bytes) {
  TileAscendArg arg = {data, (uint64_t)bytes, 0, false};
  return arg;
}
static inline TileAscendArg tileAscendScalar(int64_t value) {
  TileAscendArg arg = {NULL, 0, (uint64_t)value, false};
  return arg;
}
static inline TileAscendArg tileAscendFloat(float value) {
  TileAscendArg arg = {NULL, 0, 0, false};
  memcpy(&arg.scalar, &value, sizeof(value));
  return arg;
}

/* Called with the first report of a launch that has any; by default prints all
 * of them and goes on. */
extern int (*tileAscendHostOnReport)(const char *text);

/* Runs a kernel on so many blocks of a chip; none is no launch. */
void tileAscendHostLaunch(const char *chip, const char *name,
                          TileAscendKernelFn kernel, int64_t blocks,
                          const TileAscendArg *args, size_t count);

#ifdef __cplusplus
}
#endif
#endif /* TILE_ASCEND_HOST_H */
