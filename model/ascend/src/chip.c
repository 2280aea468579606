/* Chip records. Sources, all in the API manual and programming guide: the
 * architecture pages of NPU architectures 2201 and 3510, "intra-core
 * synchronisation overview" (tables 2 and 3: pipe pairs), CrossCoreSetFlag and
 * CrossCoreWaitFlag, the general constraints page (alignments), Mmad (barrier
 * threshold), DataCopy from L1 to the bias table, Fixpipe from L0C to UB,
 * DataCopy from UB to L1 (and the read-me of its sample: MTE3). */
#include <string.h>

#include "tile_ascend_model.h"

enum {
  S = 1 << TILE_ASCEND_PIPE_S,
  V = 1 << TILE_ASCEND_PIPE_V,
  M = 1 << TILE_ASCEND_PIPE_M,
  MTE1 = 1 << TILE_ASCEND_PIPE_MTE1,
  MTE2 = 1 << TILE_ASCEND_PIPE_MTE2,
  MTE3 = 1 << TILE_ASCEND_PIPE_MTE3,
  FIX = 1 << TILE_ASCEND_PIPE_FIX,
};

#define ALIGNMENTS                                                             \
  {                                                                            \
    [TILE_ASCEND_GM] = 1, [TILE_ASCEND_UB] = 32, [TILE_ASCEND_L1] = 32,        \
    [TILE_ASCEND_L0A] = 512, [TILE_ASCEND_L0B] = 512, [TILE_ASCEND_L0C] = 64,  \
    [TILE_ASCEND_BT] = 64, [TILE_ASCEND_FB] = 64                               \
  }

/* Any two different pipes of S, V, MTE2 and MTE3. */
#define VECTOR_PAIRS                                                           \
  {                                                                            \
    [TILE_ASCEND_PIPE_S] = V | MTE2 | MTE3,                                    \
    [TILE_ASCEND_PIPE_V] = S | MTE2 | MTE3,                                    \
    [TILE_ASCEND_PIPE_MTE2] = S | V | MTE3,                                    \
    [TILE_ASCEND_PIPE_MTE3] = S | V | MTE2                                     \
  }

static const TileAscendChip chips[] = {
    {
        .name = "910B",
        .npuArch = 2201,
        .cores = 24,
        /* The last 256 bytes of UB and L1 belong to the system. */
        .memBytes = {[TILE_ASCEND_UB] = 192 * 1024 - 256,
                     [TILE_ASCEND_L1] = 512 * 1024 - 256,
                     [TILE_ASCEND_L0A] = 64 * 1024,
                     [TILE_ASCEND_L0B] = 64 * 1024,
                     [TILE_ASCEND_L0C] = 128 * 1024,
                     [TILE_ASCEND_BT] = 1024,
                     [TILE_ASCEND_FB] = 2048},
        .memAlign = ALIGNMENTS,
        .ubReserve = 8 * 1024,
        .queueDepth = 32,
        /* FIX with MTE2 and MTE3 has "no use case" in table 2, but exists. */
        .aicPairs = {[TILE_ASCEND_PIPE_M] = MTE1 | MTE2 | FIX,
                     [TILE_ASCEND_PIPE_MTE1] = M | MTE2 | MTE3 | FIX,
                     [TILE_ASCEND_PIPE_MTE2] = M | MTE1 | MTE3 | FIX,
                     [TILE_ASCEND_PIPE_MTE3] = MTE1 | MTE2 | FIX,
                     [TILE_ASCEND_PIPE_FIX] = M | MTE1 | MTE2 | MTE3},
        .aivPairs = VECTOR_PAIRS,
        .aicBarriers = M | MTE1 | MTE2 | MTE3 | FIX,
        .aivBarriers = V | MTE2 | MTE3,
        .orderedPipes = S,
        .userEvents = 6,
        .crossFlags = 16,
        .crossModes = 1 << 0 | 1 << 1 | 1 << 2,
        .crossMax = 15,
        .gmToL0 = true,
        .l1ToGm = true,
        .mmadOrderedTiles = 10,
        .mmadAlign = 1024,
        .biasUnit = 64,
    },
    {
        .name = "950",
        .npuArch = 3510,
        .cores = 32,
        /* 8 of the 256 KB of UB are reserved by default. */
        .memBytes = {[TILE_ASCEND_UB] = 248 * 1024,
                     [TILE_ASCEND_L1] = 512 * 1024 - 256,
                     [TILE_ASCEND_L0A] = 64 * 1024,
                     [TILE_ASCEND_L0B] = 64 * 1024,
                     [TILE_ASCEND_L0C] = 256 * 1024,
                     [TILE_ASCEND_BT] = 4096,
                     [TILE_ASCEND_FB] = 4096},
        .memAlign = ALIGNMENTS,
        .queueDepth = 32,
        .aicPairs = {[TILE_ASCEND_PIPE_M] = MTE1 | MTE2 | FIX,
                     [TILE_ASCEND_PIPE_MTE1] = M | MTE2 | FIX,
                     [TILE_ASCEND_PIPE_MTE2] = M | MTE1 | FIX,
                     [TILE_ASCEND_PIPE_FIX] = M | MTE1 | MTE2},
        .aivPairs = VECTOR_PAIRS,
        .aicBarriers = M | MTE1 | MTE2 | FIX,
        /* The vector pipe completes in order and takes no barrier. */
        .aivBarriers = MTE2 | MTE3,
        .orderedPipes = S | V,
        .userEvents = 6,
        .crossFlags = 16,
        .crossModes = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 4,
        .crossMax = 15,
        .crossWaitOnePipe = true,
        .cleanAtomic = true,
        .l0aNz = true,
        .l0cToUb = true,
        .ubToL1 = true,
        .compareInt32 = true,
        .mmadOrderedTiles = 10,
        .mmadAlign = 1024,
        .biasUnit = 32,
    },
};

const TileAscendChip *tileAscendChipByName(const char *name) {
  if (!strcmp(name, "910C"))
    name = "910B";
  for (size_t i = 0; i < sizeof(chips) / sizeof(*chips); ++i)
    if (!strcmp(chips[i].name, name))
      return &chips[i];
  return NULL;
}
