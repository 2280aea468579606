// Hand-written kernels of the shape the compiler emits, with their sizes.
#pragma once
#include "kernel_operator.h"

// C = A + B, float, `count` elements over all vector cores, tiles of kVaddTile,
// two buffers.
constexpr int kVaddTile = 512;
extern "C" void vaddKernel(GM_ADDR a, GM_ADDR b, GM_ADDR c, uint64_t count);

// C[M,N] = A[M,K] * B[K,N], half in, float out, k in steps of kMatmulK, one M
// tile per block.
constexpr int kMatmulM = 64, kMatmulN = 48, kMatmulK = 32, kMatmulSteps = 4;
extern "C" void matmulKernel(GM_ADDR a, GM_ADDR b, GM_ADDR c);

// C = half(A * B) + D on AIC and two AIV, kMixTiles tiles a block through one
// workspace slot.
constexpr int kMixM = 32, kMixN = 64, kMixK = 32, kMixTiles = 3;
extern "C" void matmulAddKernel(GM_ADDR a, GM_ADDR b, GM_ADDR d, GM_ADDR c,
                                GM_ADDR workspace);

// C[16,16] = A[16,40] * B[40,16]: the last 32-byte block of k is only half
// there, so B's rows 40..47 are filled with zeros.
constexpr int kTailK = 40;
extern "C" void kTailKernel(GM_ADDR a, GM_ADDR b, GM_ADDR c);
// The same without the fill.
extern "C" void kTailUnfilledKernel(GM_ADDR a, GM_ADDR b, GM_ADDR c);
