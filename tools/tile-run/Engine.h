// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the driver knows of MLIR: files of functions, described and compiled.

#ifndef TILE_RUN_ENGINE_H
#define TILE_RUN_ENGINE_H

#include "TileRuntime/Tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A parameter of a function. Scalars are described as tensors of rank 0, an
/// `index` as an i64.
typedef struct TileRunParameter {
  const char *type;    ///< as MLIR writes it
  const char *problem; ///< why nothing can be passed for it, or null
  TileRtDType dtype;
  bool scalar;
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
  bool onDeviceOnly;     ///< has instructions that the CPU path does not run
  double atol, rtol;     ///< 0 if not given
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
  bool threads;
  bool checkAssumptions;
  bool ascend; ///< kernels run on the Ascend model
  const char *chip; ///< of which NPU, or null: the module says
  TileRunDump dump; ///< to stdout
  /// Called with the message where an assertion of the code fails; does not
  /// return.
  int (*failedAssertion)(const char *message);
} TileRunCompileOptions;

/// Parses and verifies a file, "-" being stdin. Null if that fails, which has
/// been reported on stderr.
TileRunFile *tile_run_open(const char *path);
void tile_run_close(TileRunFile *file);

/// The functions, in the order of the file. They live as long as the file.
int32_t tile_run_function_count(const TileRunFile *file);
const TileRunFunction *tile_run_function(const TileRunFile *file,
                                         int32_t index);

/// Compiles the functions with these names, once a file, and references, which
/// run on the CPU whatever the target is. A function may be both. False if that
/// fails, which has been reported on stderr.
bool tile_run_compile(TileRunFile *file, const char *const *names,
                      int32_t count, const char *const *references,
                      int32_t referenceCount,
                      const TileRunCompileOptions *options);

typedef struct TileRunDeviceOptions {
  const char *chip;  ///< a name of docs/targets.md
  const char *ptxas; ///< the assembler, or null
  TileRunDump dump;  ///< to stdout
} TileRunDeviceOptions;

/// What a function's kernels are on a device.
typedef struct TileRunImage {
  const char *chip;
  const void *bytes;
  size_t size;
  const char *suffix; ///< of a file with it: "cubin" or "ptx"
  int32_t kernelCount;
  const char *const *kernels; ///< for each launch the text for the runtime
} TileRunImage;

/// Compiles the kernels of one function for a GPU; before tile_run_compile,
/// which changes the file's functions. Null if that fails, which has been
/// reported on stderr. It lives as long as the file.
const TileRunImage *tile_run_compile_device(TileRunFile *file, const char *name,
                                            const TileRunDeviceOptions *options);

/// The chip to compile for so that a device of that name runs the code, with
/// all that it has, or null: "sm_90a" for "sm_90".
const char *tile_run_find_chip(const char *device);

/// A compiled function: takes pointers to its arguments, for a memref a pointer
/// to a pointer to its descriptor.
typedef void (*TileRunCode)(void **arguments);

/// The code of a function that was named to tile_run_compile.
TileRunCode tile_run_code(const TileRunFile *file, const char *name);

/// The code of a reference that was named to tile_run_compile.
TileRunCode tile_run_reference_code(const TileRunFile *file, const char *name);

#ifdef __cplusplus
}
#endif

#endif // TILE_RUN_ENGINE_H
