// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of compiled functions of this process.

#ifndef TILE_RUN_CALL_H
#define TILE_RUN_CALL_H

#include "Case.h"
#include "TileRuntime/Device.h"
#include "TileRuntime/Model.h"

/// MLIR's descriptor of a memref: the sizes, then the strides.
typedef struct TileRunDescriptor {
  void *allocated;
  void *aligned;
  int64_t offset;
  int64_t sizesAndStrides[2 * TILE_RT_MAX_RANK];
} TileRunDescriptor;

/// A call that can be repeated.
typedef struct TileRunCall {
  TileRtHostBlock block; ///< of the CPU, or
  TileRtModelRun run;    ///< of the simulator
  void **parameters;     ///< a memref has one for each field of its descriptor
  TileRunDescriptor *descriptors;
} TileRunCall;

/// Prepares the call of a function with these tensors, one for each parameter,
/// which must live as long as the call.
bool tile_run_make_call(TileRunCall *call, const TileRunFunction *function,
                        const TileRunImage *image, TileRtTensor *tensors,
                        TileRtError *error);
void tile_run_free_call(TileRunCall *call);

#endif // TILE_RUN_CALL_H
