// Chip records. Sources: architecture pages for NPU architectures 2201 and
// 3510, "intra-core synchronisation overview" (tables 2 and 3: legal pipe
// pairs), CrossCoreSetFlag, the general constraints page (alignments), and the
// Mmad page (barrier threshold).
#include <cstring>

#include "tile_ascend_model.h"

namespace {

template <typename... P>
constexpr uint8_t pipes(P... list) {
  return static_cast<uint8_t>(((1u << list) | ... | 0u));
}

constexpr auto S = TILE_ASCEND_PIPE_S, V = TILE_ASCEND_PIPE_V,
               M = TILE_ASCEND_PIPE_M, MTE1 = TILE_ASCEND_PIPE_MTE1,
               MTE2 = TILE_ASCEND_PIPE_MTE2, MTE3 = TILE_ASCEND_PIPE_MTE3,
               FIX = TILE_ASCEND_PIPE_FIX;

// Order of the arrays: TileAscendMem (GM, UB, L1, L0A, L0B, L0C, BT, FB) and
// TileAscendPipe (S, V, M, MTE1, MTE2, MTE3, FIX). The last 256 bytes of UB and
// L1 belong to the system. Pairs that table 2 lists as "no use case" (FIX with
// MTE2 and MTE3) do exist in hardware, so they are legal here.
const TileAscendChip chips[] = {
    {
        "910B",
        2201,
        24,
        {0, 192 * 1024 - 256, 512 * 1024 - 256, 64 * 1024, 64 * 1024,
         128 * 1024, 1024, 2048},
        {1, 32, 32, 512, 512, 64, 64, 64},
        8 * 1024,
        32,
        {0, 0, pipes(MTE1, MTE2, FIX), pipes(M, MTE2, MTE3, FIX),
         pipes(M, MTE1, MTE3, FIX), pipes(MTE1, MTE2, FIX),
         pipes(M, MTE1, MTE2, MTE3)},
        {pipes(V, MTE2, MTE3), pipes(S, MTE2, MTE3), 0, 0, pipes(S, V, MTE3),
         pipes(S, V, MTE2), 0},
        pipes(M, MTE1, MTE2, MTE3, FIX),
        pipes(V, MTE2, MTE3),
        pipes(S),
        6,
        16,
        (1 << 0) | (1 << 1) | (1 << 2),
        15,
        false,
        false,
        true,
        true,
        false,
        10,
        1024,
        64,
    },
    {
        // V completes in order and PipeBarrier<PIPE_V> is rejected; 248 KB of
        // UB are usable by default.
        "950",
        3510,
        32,
        {0, 248 * 1024, 512 * 1024 - 256, 64 * 1024, 64 * 1024, 256 * 1024,
         4096, 4096},
        {1, 32, 32, 512, 512, 64, 64, 64},
        8 * 1024,
        32,
        {0, 0, pipes(MTE1, MTE2, FIX), pipes(M, MTE2, FIX), pipes(M, MTE1, FIX),
         0, pipes(M, MTE1, MTE2)},
        {pipes(V, MTE2, MTE3), pipes(S, MTE2, MTE3), 0, 0, pipes(S, V, MTE3),
         pipes(S, V, MTE2), 0},
        pipes(M, MTE1, MTE2, FIX),
        pipes(MTE2, MTE3),
        pipes(S, V),
        6,
        16,
        (1 << 0) | (1 << 1) | (1 << 2) | (1 << 4),
        15,
        true,
        true,
        false,
        false,
        true,
        10,
        1024,
        32,
    },
};

} // namespace

const TileAscendChip *tileAscendChipByName(const char *name) {
  for (const TileAscendChip &chip : chips)
    if (!std::strcmp(chip.name, name) ||
        (&chip == chips && !std::strcmp(name, "910C")))
      return &chip;
  return nullptr;
}
