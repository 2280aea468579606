/* What a kernel would take: an account of pipe times beside the execution. It
 * is an estimate. Each figure of the records is documented or assumed; none was
 * measured here. */
#ifndef TILE_ASCEND_TIME_H
#define TILE_ASCEND_TIME_H

#include "tile_ascend_model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where a figure is from. */
typedef enum { TILE_ASCEND_DOCUMENTED, TILE_ASCEND_ASSUMED } TileAscendOrigin;

/* A figure of a chip; which ones there are, with their sources, is in
 * tile_ascend/costs.def. */
typedef enum {
#define TILE_ASCEND_COST(ID, NAME, UNIT, ORIGIN, VALUE_2201, VALUE_3510,       \
                         SOURCE)                                               \
  TILE_ASCEND_COST_##ID,
#include "tile_ascend/costs.def"
#undef TILE_ASCEND_COST
  TILE_ASCEND_COST_COUNT,
} TileAscendCost;

typedef struct {
  const char *name;
  const char *unit;
  TileAscendOrigin origin;
  double value;
  const char *source;
} TileAscendFigure;

TileAscendFigure tileAscendCost(const TileAscendChip *chip,
                                TileAscendCost cost);

/* The account of the last launch. */
typedef struct {
  double cycles; /* to the end of the last block */
  uint32_t waves, cubeCores, vectorCores; /* that ran at once, at most */
  /* Cycles in which a pipe works, summed over the cores that have it. */
  double cubeBusy[TILE_ASCEND_PIPE_COUNT], vectorBusy[TILE_ASCEND_PIPE_COUNT];
  /* Cycles in which the scalar units issued nothing, for full queues and for
   * other cores. */
  double queueStall, crossStall;
} TileAscendTime;

TileAscendTime tileAscendModelTime(const TileAscendModel *model);

/* From now on launches keep the intervals of the first blocks, for
 * tileAscendModelTrace: events of Chrome's trace format, one a line, each with
 * a comma behind it. Cycles are microseconds there. */
void tileAscendModelKeepTrace(TileAscendModel *model);
const char *tileAscendModelTrace(TileAscendModel *model);

#ifdef __cplusplus
}
#endif
#endif /* TILE_ASCEND_TIME_H */
