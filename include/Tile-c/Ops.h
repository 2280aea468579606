//===-- Tile-c/Ops.h - ops of the tile dialect --------------------*- C -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builders of the ops that the generic mlirOperationCreate makes hard: those
// with bodies, with offsets, and with sizes of which some are known and some
// are values. The other ops of the dialect, and those of memref, arith, scf
// ..., are made with mlirOperationCreate.
//
// Each builder appends an op to a block, before its terminator if it has one,
// and checks what the op's verifier checks, the ops around it included: a tile
// is allocated in a kernel. It returns the op, which belongs to the block; or
// null, with an error at `loc` and the block as it was. The dialect is loaded
// if need be. The block and all values must be of the context of `loc`.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_C_OPS_H
#define TILE_C_OPS_H

#include "Tile-c/Attributes.h"

#include "mlir-c/AffineMap.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A size or a bound: `value` if that is not null, or else `number`.
typedef struct MlirTileSize {
  MlirValue value; ///< of type index
  int64_t number;
} MlirTileSize;

/// A known size. Available since: 0.1
MLIR_CAPI_EXPORTED MlirTileSize mlirTileSizeGet(int64_t number);

/// A size that is computed. Available since: 0.1
MLIR_CAPI_EXPORTED MlirTileSize mlirTileSizeGetValue(MlirValue value);

/// A part of a buffer. Without `offsets` (null) it is the buffer from its
/// beginning; otherwise `offsets` has a result for each dimension, and is
/// applied to `operands`. Without `sizes` (null) the op says how large it is;
/// otherwise there is one for each dimension.
typedef struct MlirTileRegion {
  MlirValue buffer;
  MlirAffineMap offsets;
  intptr_t operandCount;
  const MlirValue *operands;
  const int64_t *sizes;
} MlirTileRegion;

/// All of a buffer. Available since: 0.1
MLIR_CAPI_EXPORTED MlirTileRegion mlirTileRegionGetWhole(MlirValue buffer);

//===----------------------------------------------------------------------===//
// Ops with bodies
//===----------------------------------------------------------------------===//

/// The body of one of the four ops below; its arguments are the block
/// coordinates or the iteration variables. Null for another op.
/// Available since: 0.1
MLIR_CAPI_EXPORTED MlirBlock mlirTileOpGetBody(MlirOperation op);

/// tile.kernel over a grid of 1 to 3 dimensions; `threads` 0 takes the default.
/// Available since: 0.1
MLIR_CAPI_EXPORTED MlirOperation mlirTileKernelAppend(MlirBlock block,
                                                      MlirLocation loc,
                                                      intptr_t rank,
                                                      const MlirTileSize *grid,
                                                      int64_t threads);

/// tile.parallel over an iteration space. Available since: 0.1
MLIR_CAPI_EXPORTED MlirOperation
mlirTileParallelAppend(MlirBlock block, MlirLocation loc, intptr_t rank,
                       const MlirTileSize *extents);

/// tile.pipelined from `lower` to below `upper`; `stages` 0 takes the default.
/// Available since: 0.1
MLIR_CAPI_EXPORTED MlirOperation
mlirTilePipelinedAppend(MlirBlock block, MlirLocation loc, MlirTileSize lower,
                        MlirTileSize upper, MlirTileSize step, int64_t stages);

/// tile.persistent over a domain; `group` 0 takes the default.
/// Available since: 0.1
MLIR_CAPI_EXPORTED MlirOperation
mlirTilePersistentAppend(MlirBlock block, MlirLocation loc, intptr_t rank,
                         const MlirTileSize *domain, int64_t group);

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// tile.alloc of a memref type. Available since: 0.1
MLIR_CAPI_EXPORTED MlirOperation mlirTileAllocAppend(MlirBlock block,
                                                     MlirLocation loc,
                                                     MlirType type);

/// tile.copy; `prefer` is an Instruction attribute, or null for none.
/// Available since: 0.1
MLIR_CAPI_EXPORTED MlirOperation mlirTileCopyAppend(MlirBlock block,
                                                    MlirLocation loc,
                                                    MlirTileRegion source,
                                                    MlirTileRegion target,
                                                    MlirAttribute prefer);

/// tile.fill. Available since: 0.1
MLIR_CAPI_EXPORTED MlirOperation mlirTileFillAppend(MlirBlock block,
                                                    MlirLocation loc,
                                                    MlirValue buffer,
                                                    MlirValue value);

//===----------------------------------------------------------------------===//
// Computation
//===----------------------------------------------------------------------===//

/// What tile.gemm is told. All zero is the default; `prefer` and `clearIf` are
/// null for none.
typedef struct MlirTileGemmOptions {
  bool transposeA, transposeB;
  bool clear;
  bool unsignedA, unsignedB;
  MlirTileWarpPolicy policy;
  MlirTilePrecision precision;
  MlirAttribute prefer; ///< an Instruction attribute
  MlirValue clearIf;    ///< of type i1
} MlirTileGemmOptions;

/// tile.gemm; null options are the default. Available since: 0.1
MLIR_CAPI_EXPORTED MlirOperation
mlirTileGemmAppend(MlirBlock block, MlirLocation loc, MlirValue a, MlirValue b,
                   MlirValue c, const MlirTileGemmOptions *options);

/// What tile.reduce is told. All zero is the default.
typedef struct MlirTileReduceOptions {
  bool combine;
  bool propagateNaN;
  bool isUnsigned;
} MlirTileReduceOptions;

/// tile.reduce; null options are the default. Available since: 0.1
MLIR_CAPI_EXPORTED MlirOperation
mlirTileReduceAppend(MlirBlock block, MlirLocation loc, MlirTileReduceKind kind,
                     MlirValue source, MlirValue target, int64_t dim,
                     const MlirTileReduceOptions *options);

/// tile.scan. Available since: 0.1
MLIR_CAPI_EXPORTED MlirOperation mlirTileScanAppend(
    MlirBlock block, MlirLocation loc, MlirTileScanKind kind, MlirValue source,
    MlirValue target, int64_t dim, bool reverse, bool isUnsigned);

/// tile.topk: the largest elements of each row of `source`, and their places,
/// counted from `base`, a value of type index or null for 0. With `combine`, the
/// pairs that the targets hold take part. Available since: 0.1
MLIR_CAPI_EXPORTED MlirOperation mlirTileTopKAppend(
    MlirBlock block, MlirLocation loc, MlirValue source, MlirValue values,
    MlirValue indices, MlirValue base, bool combine);

/// tile.atomic, which updates the region with `value`, a scalar or a tile.
/// `returnOld` asks for the old value. Available since: 0.1
MLIR_CAPI_EXPORTED MlirOperation mlirTileAtomicAppend(
    MlirBlock block, MlirLocation loc, MlirTileAtomicKind kind, MlirValue value,
    MlirTileRegion target, bool isUnsigned, bool returnOld);

#ifdef __cplusplus
}
#endif

#endif // TILE_C_OPS_H
