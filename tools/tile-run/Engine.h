// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the driver knows of MLIR: files of functions, described and compiled.

#ifndef TILE_RUN_ENGINE_H
#define TILE_RUN_ENGINE_H

#include "TileRuntime/Launch.h"
#include "TileRuntime/Tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A parameter of a function. Scalars are described as tensors of rank 0, an
/// `index` as an i64. Where the function has a world, tensors have its
/// dimensions in front: there is one for each rank.
typedef struct TileRunParameter {
  const char *name;    ///< with its number: "argument 2 (%c)"
  const char *writer;  ///< "file:line:column" of the op that writes it; null: none or several
  const char *type;    ///< as MLIR writes it
  const char *problem; ///< why nothing can be passed for it, or null
  TileRtDType dtype;
  bool scalar;
  bool world;     ///< the ranks that run the function, described as a tensor of their extents
  bool symmetric; ///< in memory that other ranks reach
  int32_t rank;
  int64_t shape[TILE_RT_MAX_RANK]; ///< -1 where dynamic
  const char *sizes;               ///< tile.shape, or null
  const char *init;                ///< tile.init, or null
  bool result;                     ///< tile.result
} TileRunParameter;

typedef struct TileRunFunction {
  const char *name;
  const char *place;   ///< "file:line:column"
  const char *problem; ///< why it cannot be called, or null
  bool isPublic;
  const char *reference; ///< tile.reference, or null
  bool hasKernels;
  bool onDeviceOnly; ///< has instructions that the CPU path does not run
  double atol, rtol; ///< 0 if not given
  int32_t caseCount;
  const char *const *cases; ///< tile.cases
  int32_t parameterCount;
  const TileRunParameter *parameters;
} TileRunFunction;

/// A file and all that was made from it.
typedef struct TileRunFile TileRunFile;

typedef enum TileRunDump {
  TILE_RUN_DUMP_NONE,
  TILE_RUN_DUMP_MLIR, ///< the module of the LLVM dialect
  TILE_RUN_DUMP_LLVM, ///< LLVM IR after optimisation
  TILE_RUN_DUMP_PTX   ///< of kernels for a GPU
} TileRunDump;

typedef struct TileRunCompileOptions {
  const char *target; ///< a back end of the driver: "cpu", "cuda" ...
  const char *chip;   ///< a name of docs/targets.md, or null
  int32_t parameterCount;
  const char *const *parameters; ///< "BM=64": values of tile.param
  const char *tuning; ///< a file of tile-tune, or null
  const char *sizes;  ///< that it is asked for, "M=64 N=32"; with `tuning`
  bool checkAssumptions;
  bool poisonTiles; ///< of a CPU: what nobody writes is NaN or -1
  TileRunDump dump; ///< to stdout
  bool lazy; ///< launches have the code made that they choose
  bool withBitcode; ///< of the module that code for a GPU is made of
} TileRunCompileOptions;

/// A function as the runtime loads it.
typedef struct TileRunImage {
  const char *target; ///< of the runtime
  const char *chip;
  const void *bytes; ///< null where there are sources
  size_t size;
  const TileRtImageSource *sources; ///< of each kernel, or null
  const char *suffix; ///< of a file with it: "cubin", "ptx" ...
  const void *bitcode; ///< for the SIMT model, if asked for
  size_t bitcodeSize;
  int32_t kernelCount;
  const char *const *kernels; ///< launch metadata of each launch
} TileRunImage;

/// Loads a shared library with back ends of its own.
bool tile_run_load_target(const char *path, TileRtError *error);

/// Whether there is such a back end; if not, `error` names those that there
/// are.
bool tile_run_has_target(const char *name, TileRtError *error);

/// False if the chip is one of another back end, which `error` names.
bool tile_run_has_chip(const char *target, const char *chip,
                       TileRtError *error);

/// Sets the function that is called with the message where an assertion of
/// code for the CPU fails; it does not return.
void tile_run_on_assertion(int (*function)(const char *message));

/// Parses and verifies a file, "-" being stdin. Null if that fails, which has
/// been reported on stderr.
TileRunFile *tile_run_open(const char *path);
/// Says on stderr what kernels ask for and do not get.
void tile_run_enable_notes(TileRunFile *file);

void tile_run_close(TileRunFile *file);

/// The functions, in the order of the file. They live as long as the file.
int32_t tile_run_function_count(const TileRunFile *file);
const TileRunFunction *tile_run_function(const TileRunFile *file,
                                         int32_t index);

/// Compiles one function. Null if that fails, which has been reported on
/// stderr. It lives as long as the file.
const TileRunImage *tile_run_compile(TileRunFile *file, const char *name,
                                     const TileRunCompileOptions *options);

/// The chip to compile for so that a device of that name runs the code, with
/// all its instructions, or null: "sm_90a" for "sm_90". It lives as long as the
/// file.
/// Prints estimates ("text" or "json") of a function for sizes, "M=64 N=32", on
/// a chip. Errors have been printed.
bool tile_run_estimate(TileRunFile *file, const char *name,
                       const TileRunCompileOptions *options, const char *sizes,
                       const char *format);

const char *tile_run_find_chip(const char *target, const char *device);

/// What a case has to do on a chip, by the cost model.
typedef struct TileRunWork {
  double operations; ///< of matrix instructions and threads
  double bytes;      ///< from or to memory
  double bound;      ///< the seconds that the chip's rates allow; 0: unknown
} TileRunWork;

/// Describes the work of a function for sizes, "M=64 N=32", on a chip. Zeros,
/// and nothing is reported, where the model does not know it.
TileRunWork tile_run_find_work(TileRunFile *file, const char *name,
                               const TileRunCompileOptions *options,
                               const char *sizes);

#ifdef __cplusplus
}
#endif

#endif // TILE_RUN_ENGINE_H
