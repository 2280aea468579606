// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What must hold of the arguments of a launch.

#ifndef TILERUNTIME_LIB_LAUNCHCHECK_H
#define TILERUNTIME_LIB_LAUNCHCHECK_H

#include "TileRuntime/Launch.h"

/// Checks the arguments against the metadata and computes all symbols.
bool tile_rt_check_arguments(const TileRtMetadata *metadata,
                             const TileRtDevice *device,
                             const TileRtArgument *arguments, int32_t count,
                             int64_t *symbols, TileRtError *error);

/// The version that the arguments, which have been checked, allow: the metadata
/// themselves, or a version, whose symbols are then computed. Null on failure.
const TileRtMetadata *tile_rt_choose_version(const TileRtMetadata *metadata,
                                             const TileRtDevice *device,
                                             const TileRtArgument *arguments,
                                             int64_t *symbols,
                                             TileRtError *error);

/// The strides of a tensor in elements; those that it does not give are
/// row-major. Only the first TILE_RT_MAX_RANK dimensions.
void tile_rt_tensor_strides(const TileRtDLTensor *tensor, int64_t *strides);

/// "argument 0 (A)", or "argument 0" when it has no name.
char *tile_rt_format_argument(const TileRtMetadata *metadata, int32_t argument,
                              char *buffer, size_t size);

/// Unloads the kernels of a device that is going to be closed.
void tile_rt_kernels_unload(const TileRtDevice *device);

#endif // TILERUNTIME_LIB_LAUNCHCHECK_H
