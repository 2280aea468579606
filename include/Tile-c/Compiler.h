//===-- Tile-c/Compiler.h - compiles kernels ----------------------*- C -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Source in, code out: nothing here needs a header of MLIR. docs/c-api.md is
// the guide.
//
// Handles. Each is destroyed once. A handle that is null, of another kind or
// already destroyed is an error that says so, never a crash. An object that a
// running call uses lives until the call ends.
//
// Errors. A function that can fail is given a TileRtError, or null where no
// message is wanted; it returns false or null and fills it with one line. What
// the compiler says about the source goes to the handler of diagnostics too,
// with all of its parts.
//
// Threads. All functions may be called from any thread, also with the same
// handle. Handlers are called by the thread that compiles.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_C_COMPILER_H
#define TILE_C_COMPILER_H

#include "Tile-c/Support.h"
#include "TileRuntime/Error.h"
#include "TileRuntime/Launch.h"
#include "TileRuntime/Metadata.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Options and handlers: what compilations have in common.
typedef struct TileCompiler TileCompiler;

/// Source that has been read and verified; it does not change.
typedef struct TileCompilerModule TileCompilerModule;

/// What a compilation made.
typedef struct TileCompilerArtifact TileCompilerArtifact;

//===----------------------------------------------------------------------===//
// Versions
//===----------------------------------------------------------------------===//

/// TILE_C_API_VERSION of the library. Available since: 0.1
TILE_C_EXPORTED uint32_t tileCompilerGetApiVersion(void);

/// The release, such as "0.1.0". Static. Available since: 0.1
TILE_C_EXPORTED const char *tileCompilerGetVersion(void);

//===----------------------------------------------------------------------===//
// Targets and options
//===----------------------------------------------------------------------===//

/// The number of targets. Available since: 0.1
TILE_C_EXPORTED size_t tileCompilerGetTargetCount(void);

/// The name of a target: "cpu" ...; null for an unknown number. Static.
/// Available since: 0.1
TILE_C_EXPORTED const char *tileCompilerGetTargetName(size_t index);

/// An option; texts are static.
typedef struct TileCompilerOption {
  const char *name;
  const char *value; ///< by default
  const char *description;
} TileCompilerOption;

/// The number of options. Available since: 0.1
TILE_C_EXPORTED size_t tileCompilerGetOptionCount(void);

/// An option by its number; null for an unknown number.
/// Available since: 0.1
TILE_C_EXPORTED const TileCompilerOption *
tileCompilerGetOptionInfo(size_t index);

//===----------------------------------------------------------------------===//
// Compilers
//===----------------------------------------------------------------------===//

/// Makes a compiler for a client that was built with these headers: pass
/// TILE_C_API_VERSION. Fails where the library is older, or of another major
/// version. Available since: 0.1
TILE_C_EXPORTED TileCompiler *tileCompilerCreate(uint32_t apiVersion,
                                                 TileRtError *error);

/// Null is fine. Its modules and artefacts live on. Available since: 0.1
TILE_C_EXPORTED bool tileCompilerDestroy(TileCompiler *compiler,
                                         TileRtError *error);

/// Sets an option for compilations that start later. Available since: 0.1
TILE_C_EXPORTED bool tileCompilerSetOption(TileCompiler *compiler,
                                           const char *name, const char *value,
                                           TileRtError *error);

typedef enum TileCompilerSeverity {
  TILE_COMPILER_ERROR = 0,
  TILE_COMPILER_WARNING = 1,
  TILE_COMPILER_REMARK = 2,
  TILE_COMPILER_NOTE = 3
} TileCompilerSeverity;

/// A message; it lives until the handler returns. Later versions add fields at
/// the end.
typedef struct TileCompilerDiagnostic {
  TileCompilerSeverity severity;
  const char *message;
  const char *file; ///< empty where the place is not known
  int64_t line, column;
  /// Of a remark about a decision: "passed", "missed", "failed" or "analysis",
  /// its name and the pass that decided. Empty for the rest.
  const char *outcome, *remark, *category;
  size_t noteCount;
  const struct TileCompilerDiagnostic *const *notes;
} TileCompilerDiagnostic;

typedef void (*TileCompilerDiagnosticHandler)(
    const TileCompilerDiagnostic *diagnostic, void *data);

/// Sets who gets the diagnostics of what starts later; null for nobody.
/// Remarks come for the passes that the option "remarks" names. The handler
/// must not destroy handles that the running call uses. Available since: 0.1
TILE_C_EXPORTED bool
tileCompilerSetDiagnosticHandler(TileCompiler *compiler,
                                 TileCompilerDiagnosticHandler handler,
                                 void *data, TileRtError *error);

/// Makes all running compilations of the compiler fail with "cancelled", before
/// their next pass. Later ones are not affected. Available since: 0.1
TILE_C_EXPORTED bool tileCompilerCancel(TileCompiler *compiler,
                                        TileRtError *error);

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

/// Reads MLIR, as text or bytecode. `name` stands for the file in messages.
/// The bytes are copied. Available since: 0.1
TILE_C_EXPORTED TileCompilerModule *
tileCompilerModuleParse(TileCompiler *compiler, const void *bytes, size_t size,
                        const char *name, TileRtError *error);

/// Null is fine. Available since: 0.1
TILE_C_EXPORTED bool tileCompilerModuleDestroy(TileCompilerModule *module,
                                               TileRtError *error);

/// The module as MLIR bytecode, which lives as long as the module.
/// Available since: 0.1
TILE_C_EXPORTED const void *
tileCompilerModuleGetBytecode(TileCompilerModule *module, size_t *size,
                              TileRtError *error);

/// Whether a function may write to the memory of an argument; a client that has
/// read-only memory asks. Available since: 0.1
TILE_C_EXPORTED bool
tileCompilerModuleIsArgumentWritten(TileCompilerModule *module,
                                    const char *function, size_t argument,
                                    bool *written, TileRtError *error);

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

/// Compiles the kernels of a module. `target` is a target's name, a chip, or
/// both: "cpu", "sm_90a", "cpu:x86-64-v3". The first error is in `error`, as
/// "file:line:column: message". Available since: 0.1
TILE_C_EXPORTED TileCompilerArtifact *
tileCompilerCompile(TileCompiler *compiler, TileCompilerModule *module,
                    const char *target, TileRtError *error);

/// Null is fine. Kernels that were loaded from its images must have been
/// unloaded. Available since: 0.1
TILE_C_EXPORTED bool tileCompilerArtifactDestroy(TileCompilerArtifact *artifact,
                                                 TileRtError *error);

/// The number of kernels, 0 for a handle that is none. Available since: 0.1
TILE_C_EXPORTED size_t
tileCompilerArtifactGetKernelCount(TileCompilerArtifact *artifact);

/// Whether the artefact comes from the cache. Available since: 0.1
TILE_C_EXPORTED bool
tileCompilerArtifactIsCached(TileCompilerArtifact *artifact);

/// The function that a kernel comes from. It lives as long as the artefact, and
/// so does all that the functions below return. Available since: 0.1
TILE_C_EXPORTED const char *
tileCompilerArtifactGetFunction(TileCompilerArtifact *artifact, size_t kernel,
                                TileRtError *error);

/// How a kernel is launched, as a struct. Available since: 0.1
TILE_C_EXPORTED const TileRtMetadata *
tileCompilerArtifactGetMetadata(TileCompilerArtifact *artifact, size_t kernel,
                                TileRtError *error);

/// The same as JSON: docs/LaunchMetadata.md. Available since: 0.1
TILE_C_EXPORTED const char *
tileCompilerArtifactGetMetadataText(TileCompilerArtifact *artifact,
                                    size_t kernel, TileRtError *error);

/// The kinds of code that a kernel has: "object", "cubin", "ptx" ...; null for
/// an unknown number. The first is the one that devices load.
/// Available since: 0.1
TILE_C_EXPORTED const char *
tileCompilerArtifactGetKind(TileCompilerArtifact *artifact, size_t kernel,
                            size_t index);

/// The code of a kind; null stands for the first. A NUL follows it, which is
/// not counted. Available since: 0.1
TILE_C_EXPORTED const void *
tileCompilerArtifactGetCode(TileCompilerArtifact *artifact, size_t kernel,
                            const char *kind, size_t *size, TileRtError *error);

/// What tile_rt_kernel_load takes; for a CPU, the code is linked into the
/// process first. Available since: 0.1
TILE_C_EXPORTED const void *
tileCompilerArtifactGetImage(TileCompilerArtifact *artifact, size_t kernel,
                             size_t *size, TileRtError *error);

/// Loads a kernel on a device, with all of its code. With the option
/// "lazy-versions", the code of a kernel with versions is made by the launches
/// that first choose them, whose errors are those of their compilation: then
/// the kernel needs neither the compiler nor the artefact any more, and there
/// is no image and no code to get. Available since: 0.1
TILE_C_EXPORTED TileRtKernel *
tileCompilerArtifactLoad(TileCompilerArtifact *artifact, size_t kernel,
                         TileRtDevice *device, TileRtError *error);

#ifdef __cplusplus
}
#endif

#endif // TILE_C_COMPILER_H
