// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The SIMT model: runs the code of GPU kernels, compiled for this machine, one
// thread of a block after the other, and reports what a GPU would punish
// silently. docs/SIMTModel.md describes it.

#ifndef TILE_SIMT_MODEL_H
#define TILE_SIMT_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// A value at a site. Of the results of assembly, then of its operands: those
/// with `tied` begin as the result of that index.
typedef struct TileSimtValue {
  uint16_t bits;     ///< of an element
  uint16_t elements; ///< more than 1: a struct
  uint16_t words;    ///< of 32 bits
  int16_t tied;      ///< or -1
  uint32_t immediate;
} TileSimtValue;

typedef enum TileSimtKind {
  TILE_SIMT_MEMORY,    ///< a load, a store or an atomic
  TILE_SIMT_FENCE,     ///< an instruction `fence` of LLVM
  TILE_SIMT_INTRINSIC, ///< a call of an intrinsic
  TILE_SIMT_ASSEMBLY,  ///< inline assembly, of which `name` is the text
} TileSimtKind;

/// A place of the program that calls the model.
typedef struct TileSimtSite {
  const char *name;
  const char *place; ///< "file:line:column" of the source
  const TileSimtValue *results, *operands;
  uint32_t resultCount, operandCount;
  uint32_t kind;
} TileSimtSite;

typedef struct TileSimtKernel {
  const char *name;
  void (*run)(void *const *parameters); ///< one thread
} TileSimtKernel;

/// What the compiler makes of a module.
typedef struct TileSimtCode {
  const char *chip;
  uint32_t warpSize;
  uint32_t sharedBytes; ///< static
  const TileSimtSite *sites;
  uint32_t siteCount;
  const TileSimtKernel *kernels;
  uint32_t kernelCount;
} TileSimtCode;

typedef struct TileSimtProgram TileSimtProgram;

/// Looks up the instructions of a program, whose code must live on. Null, with
/// the reason in `error`, where one is unknown.
TileSimtProgram *tileSimtLoad(const TileSimtCode *code, char *error,
                              size_t size);
void tileSimtUnload(TileSimtProgram *program);

/// What the back ends "cuda-model" and "hip-model" of the compiler make.
typedef struct TileSimtImage {
  TileSimtProgram *program;
} TileSimtImage;

//===----------------------------------------------------------------------===//
// What programs call
//===----------------------------------------------------------------------===//

enum {
  TILE_SIMT_ACQUIRE = 1,
  TILE_SIMT_RELEASE = 2,
  TILE_SIMT_ATOMIC = 4,
  /// Of loads: it is polled, so others must go on.
  TILE_SIMT_POLL = 8,
  /// Of atomics and fences: their scope is the block, or the device.
  TILE_SIMT_BLOCK = 16,
  TILE_SIMT_DEVICE = 32,
};

void tile_simt_load(uint64_t address, uint32_t bytes, uint32_t align,
                    uint32_t flags, uint32_t site);
/// Checks the access, then writes the bytes.
void tile_simt_store(uint64_t address, uint32_t bytes, uint32_t align,
                     uint32_t flags, uint32_t site, const void *value);
/// Checks what an atomic operation, which follows, accesses.
void tile_simt_atomic(uint64_t address, uint32_t bytes, uint32_t align,
                      uint32_t flags, uint32_t site);
/// An update by `and`, `or` or `xor` whose old value nobody asks for. It touches
/// the bytes in which bits of `changed` are set; the others it leaves alone, and
/// a byte may be made of two such updates.
void tile_simt_update(uint64_t address, uint32_t bytes, uint32_t align,
                      uint32_t flags, uint32_t site, uint64_t changed);
void tile_simt_fence(uint32_t flags, uint32_t site);
void tile_simt_execute(uint32_t site, const uint32_t *operands,
                       uint32_t *results);
/// The address of the block's shared memory.
uint64_t tile_simt_shared(void);

// Conversions that compilers call where the machine has none: to the nearest,
// ties to even. A half or a bfloat comes and goes in the registers of a float.
#ifdef __SSE2__
#define TILE_SIMT_HALF float
#else
#define TILE_SIMT_HALF uint16_t
#endif
TILE_SIMT_HALF tile_simt_to_f16(float value);
TILE_SIMT_HALF tile_simt_double_to_f16(double value);
float tile_simt_from_f16(TILE_SIMT_HALF value);
TILE_SIMT_HALF tile_simt_to_bf16(float value);
TILE_SIMT_HALF tile_simt_double_to_bf16(double value);

//===----------------------------------------------------------------------===//
// Memory and launches
//===----------------------------------------------------------------------===//

/// Global memory, of undefined contents; null where there is none.
void *tileSimtAlloc(size_t bytes);
bool tileSimtFree(void *memory);
/// The host has written the bytes.
void tileSimtWritten(void *memory, size_t bytes);

typedef struct TileSimtLaunch {
  uint32_t grid[3], block[3], cluster[3];
  uint32_t sharedBytes; ///< dynamic
  bool cooperative, pdl;
  uint64_t seed; ///< of the order of threads, blocks and late effects
  /// The number of a synchronisation that is left out, from 1.
  int32_t skip;
  void *const *parameters;
} TileSimtLaunch;

/// Runs a kernel. False, with the report, one line, in `report`.
bool tileSimtLaunch(TileSimtProgram *program, const char *kernel,
                    const TileSimtLaunch *launch, char *report, size_t size);

/// What one of several devices launches, one kernel after the other. Their seeds,
/// and what they leave out, are not used.
typedef struct TileSimtRank {
  TileSimtProgram *const *programs; ///< of each kernel
  const char *const *kernels;
  const TileSimtLaunch *launches;
  int32_t count;
} TileSimtRank;

/// Runs the kernels of all ranks at the same time. Each rank has threads, blocks
/// and a time of its own; signals to others come late, in an order that the seed
/// chooses. False with the report, and with the rank that it is about in `*rank`.
bool tileSimtLaunchRanks(const TileSimtRank *ranks, int32_t count,
                         uint64_t seed, int32_t *rank, char *report,
                         size_t size);

/// The barriers, fences and waits of a program.
int tileSimtCountSync(const TileSimtProgram *program);

/// The same as a launch; then leaves out each synchronisation in turn and
/// prints how many of them the model reports, how many change nothing
/// (redundant), and how many give wrong results without a report (missed).
bool tileSimtMutate(TileSimtProgram *program, const char *kernel,
                    const TileSimtLaunch *launch, char *report, size_t size);
/// The same for ranks, of whose signals and waits each is left out, too: a signal
/// is not sent, and what a wait has seen orders nothing.
bool tileSimtMutateRanks(const TileSimtRank *ranks, int32_t count,
                         uint64_t seed, int32_t *rank, char *report,
                         size_t size);

#ifdef __cplusplus
}
#endif

#endif // TILE_SIMT_MODEL_H
