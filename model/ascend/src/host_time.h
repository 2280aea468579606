/* What the host's side of the model does with the account of time. */
#ifndef TILE_ASCEND_HOST_TIME_H
#define TILE_ASCEND_HOST_TIME_H

#include "tile_ascend_time.h"

/* Keeps the account of a launch, to be printed when the program ends. */
void tileAscendHostKeepTime(const char *chip, const char *kernel,
                            uint32_t blocks, TileAscendTime time);

/* Writes events of a trace to a file: all of it, or nothing. */
bool tileAscendHostWriteTrace(const char *path, const char *events);

#endif /* TILE_ASCEND_HOST_TIME_H */
