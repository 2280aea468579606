/* lanes.c - runs the threads of one GPU kernel on a CPU
 *
 * Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Each thread is a fiber that runs until it waits for others. Matrix
 * instructions and exchanges between lanes are those of a wave of 64, written
 * down after AMD's instruction set manuals, not after the compiler's tables.
 */
#define _GNU_SOURCE
#include "lanes.h"

#include <math.h>
#include <string.h>
#include <ucontext.h>

enum { kWave = 64, kStack = 256 * 1024, kShared = 160 * 1024, kVector = 128 };

/* The arena of a block, of the name that the compiler gives it. */
_Alignas(1024) char tile_shared[kShared];

struct Group {
  int size, arrived;
  unsigned generation;
};

struct Wave {
  struct Group group;
  /* What each lane offers to the others. */
  char a[kWave][kVector], b[kWave][kVector];
  int32_t word[kWave];
};

static ucontext_t scheduler, *fibers;
static struct Group block;
static struct Wave *waves;
static int current, blockX, blockY, progress;
static char *done;
static void (*kernelBody)(void);

static void fail(const char *what) {
  printf("error: %s\n", what);
  exit(1);
}

/* Waits until all threads of the group are here. */
static void meet(struct Group *group) {
  unsigned generation = group->generation;
  if (++group->arrived == group->size) {
    group->arrived = 0;
    ++group->generation;
    progress = 1;
    return;
  }
  while (group->generation == generation)
    swapcontext(&fibers[current], &scheduler);
}

static void enter(void) {
  kernelBody();
  done[current] = 1;
  progress = 1;
}

static void runBlock(int threads, char *stacks) {
  memset(tile_shared, 0x7f, sizeof tile_shared);
  memset(done, 0, threads);
  block = (struct Group){threads, 0, 0};
  for (int i = 0; i < threads; ++i) {
    waves[i / kWave].group = (struct Group){kWave, 0, 0};
    getcontext(&fibers[i]);
    fibers[i].uc_stack.ss_sp = stacks + (size_t)i * kStack;
    fibers[i].uc_stack.ss_size = kStack;
    fibers[i].uc_link = &scheduler;
    makecontext(&fibers[i], enter, 0);
  }
  for (int left = threads; left > 0;) {
    progress = 0;
    left = 0;
    for (current = 0; current < threads; ++current) {
      if (!done[current])
        swapcontext(&scheduler, &fibers[current]);
      left += !done[current];
    }
    if (left > 0 && !progress)
      fail("threads wait forever");
  }
}

void launch(void (*body)(void), int gridX, int gridY, int threads) {
  kernelBody = body;
  char *stacks = malloc((size_t)threads * kStack);
  fibers = calloc(threads, sizeof *fibers);
  done = calloc(threads, 1);
  waves = calloc(threads / kWave, sizeof *waves);
  for (blockY = 0; blockY < gridY; ++blockY)
    for (blockX = 0; blockX < gridX; ++blockX)
      runBlock(threads, stacks);
  free(stacks);
  free(fibers);
  free(done);
  free(waves);
}

/* Intrinsics: llvm.amdgcn.NAME is sim_NAME, with _ for each dot. */

int32_t sim_workitem_id_x(void) { return current; }
int32_t sim_workgroup_id_x(void) { return blockX; }
int32_t sim_workgroup_id_y(void) { return blockY; }
int32_t sim_workgroup_id_z(void) { return 0; }
void sim_s_barrier(void) { meet(&block); }

/* Counts the set bits of `mask` for the lanes below this one. */
int32_t sim_mbcnt_lo(int32_t mask, int32_t base) {
  int lane = current % kWave;
  uint32_t below = lane >= 32 ? 0xffffffffu : (1u << lane) - 1;
  return base + __builtin_popcount((uint32_t)mask & below);
}
int32_t sim_mbcnt_hi(int32_t mask, int32_t base) {
  int lane = current % kWave;
  uint32_t below = lane < 32 ? 0 : (1u << (lane - 32)) - 1;
  return base + __builtin_popcount((uint32_t)mask & below);
}

static int32_t readLane(int32_t word, int from) {
  struct Wave *wave = &waves[current / kWave];
  wave->word[current % kWave] = word;
  meet(&wave->group);
  int32_t result = wave->word[from % kWave];
  meet(&wave->group);
  return result;
}

int32_t sim_ds_bpermute(int32_t address, int32_t word) {
  return readLane(word, (address / 4) % kWave);
}

/* Bit mask mode, within 32 lanes. */
int32_t sim_ds_swizzle(int32_t word, int32_t pattern) {
  int lane = current % kWave;
  if (pattern & 0x8000)
    fail("ds_swizzle in a mode that is not simulated");
  int from = (((lane & 31 & pattern) | ((pattern >> 5) & 31)) ^
              ((pattern >> 10) & 31)) |
             (lane & 32);
  return readLane(word, from);
}

int32_t sim_update_dpp_i32(int32_t old, int32_t word, int32_t control,
                           int32_t rows, int32_t banks, _Bool bound) {
  int lane = current % kWave, from;
  (void)old, (void)bound;
  if (rows != 15 || banks != 15)
    fail("DPP under a mask");
  if (control < 0x100)
    from = (lane & ~3) | ((control >> (2 * (lane & 3))) & 3);
  else if (control > 0x120 && control < 0x130)
    from = (lane & ~15) | ((lane - (control - 0x120)) & 15);
  else
    fail("DPP with a control that is not simulated"), from = 0;
  return readLane(word, from);
}

static float bitsToFloat(uint32_t bits) {
  float value;
  memcpy(&value, &bits, 4);
  return value;
}

static double readElement(const char *vector, const char *type, int i) {
  if (!strcmp(type, "f16")) {
    uint16_t bits;
    memcpy(&bits, vector + 2 * i, 2);
    return fromF16(bits);
  }
  if (!strcmp(type, "bf16")) {
    uint16_t bits;
    memcpy(&bits, vector + 2 * i, 2);
    return bitsToFloat((uint32_t)bits << 16);
  }
  if (!strcmp(type, "f32")) {
    float value;
    memcpy(&value, vector + 4 * i, 4);
    return value;
  }
  if (!strcmp(type, "i8"))
    return ((const signed char *)vector)[i];
  fail("a matrix instruction of a type that is not simulated");
  return 0;
}

/* v_mfma of one block, M = N = 16 or 32: lane l has row (of A) or column (of B)
 * l % M and, of K, the part l / M; the sums of lane l are those of column l % M
 * in rows 4 (l / M) + i, and the next four beyond all lanes' rows. */
void sim_mfma(const char *name, const void *a, const void *b, const void *c,
              void *d) {
  int m, n, k, used;
  char sum[8], type[8] = {0};
  if (sscanf(name, "%3[a-z0-9].%dx%dx%d%n", sum, &m, &n, &k, &used) != 4)
    fail("a matrix instruction that is not simulated");
  const char *rest = name + used + (name[used] == '.');
  for (int i = 0; i < 7 && rest[i] && rest[i] != '.'; ++i)
    type[i] = rest[i];
  struct Wave *wave = &waves[current / kWave];
  int lane = current % kWave, parts = kWave / m, each = k / parts;
  memcpy(wave->a[lane], a, kVector);
  memcpy(wave->b[lane], b, kVector);
  meet(&wave->group);
  for (int i = 0; i < m * n / kWave; ++i) {
    int row = i / 4 * 4 * parts + lane / m * 4 + i % 4;
    double total = 0;
    for (int depth = 0; depth < k; ++depth)
      total += readElement(wave->a[row + depth / each * m], type,
                           depth % each) *
               readElement(wave->b[lane % m + depth / each * m], type,
                           depth % each);
    if (sum[0] == 'i')
      ((int32_t *)d)[i] = ((const int32_t *)c)[i] + (int32_t)total;
    else
      ((float *)d)[i] = ((const float *)c)[i] + (float)total;
  }
  meet(&wave->group);
}

float sim_exp2_f32(float x) { return exp2f(x); }
float sim_log_f32(float x) { return log2f(x); }
float sim_rcp_f32(float x) { return 1 / x; }
float sim_rsq_f32(float x) { return 1 / sqrtf(x); }
float sim_sqrt_f32(float x) { return sqrtf(x); }
