/* lanes.h - runs the threads of one GPU kernel on a CPU
 *
 * Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * simulate.py makes host code of a kernel's LLVM IR, in which each intrinsic of
 * the machine is a call of a function in lanes.c.
 */
#ifndef TILE_TEST_LANES_H
#define TILE_TEST_LANES_H

#include <immintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Runs `body` once for each thread of each block. A kernel whose threads wait
 * for each other forever ends the program with an error. */
void launch(void (*body)(void), int gridX, int gridY, int threads);

/* Numbers that f16 and bf16 hold exactly, as do sums of their products. */
static inline int smallNumber(int64_t i) {
  return (int)((i * 7 + i / 5 * 3) % 9) - 4;
}

/* f16 as bits. */
static inline uint16_t toF16(float value) { return _cvtss_sh(value, 0); }
static inline float fromF16(uint16_t bits) { return _cvtsh_ss(bits); }

static inline void expectEqual(const char *what, int64_t index, double got,
                               double expected) {
  if (got == expected)
    return;
  printf("%s[%lld]: expected %g, got %g\n", what, (long long)index, expected,
         got);
  exit(1);
}

#endif
