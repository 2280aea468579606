//===- KernelAttrs.h - attributes that passes leave on kernels --*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_TILE_IR_KERNELATTRS_H
#define TILE_DIALECT_TILE_IR_KERNELATTRS_H

#include "llvm/ADT/StringRef.h"

namespace mlir::tile {

/// The numbers of the arguments that a kernel copies for the kernel behind it, in
/// whose name it is named.
constexpr llvm::StringLiteral kPadsAttrName = "tile.pads";

/// How a function of device code is launched, and the launches of versions of
/// the kernel that have the same code.
constexpr llvm::StringLiteral kLaunchAttrName = "tile.launch";
constexpr llvm::StringLiteral kVersionsAttrName = "tile.versions";

/// Of a tensor copy: so many blocks, which are all of the cluster, need the tile,
/// and each brings a part of it to all (multicast).
constexpr llvm::StringLiteral kMulticastAttrName = "tile.multicast";

/// Of a tile.parallel, or of a copy, which becomes one: what it loads from a
/// fragment is the sum over so many blocks, which are all of the cluster and
/// share its iterations out among themselves; and where in shared memory they
/// exchange elements.
constexpr llvm::StringLiteral kClusterSumAttrName = "tile.cluster_sum";
constexpr llvm::StringLiteral kClusterRoomAttrName = "tile.cluster_room";

/// Of a kernel and of its function on a GPU: registers of a thread leave room
/// for so many blocks on a processor.
constexpr llvm::StringLiteral kResidentBlocksAttrName = "tile.resident_blocks";

/// Of a kernel: so many blocks of a cluster share the columns of its rows; 1 if
/// each block keeps whole rows.
constexpr llvm::StringLiteral kSpreadRowsAttrName = "tile.spread_rows";

/// Of a reduction: the other parts of its rows are in the other blocks of the
/// cluster, which are so many together. All of them get the result.
constexpr llvm::StringLiteral kSpreadAttrName = "tile.spread";

/// Of a gemm while its kernel is converted: A is a fragment that the loop around
/// it does not write.
constexpr llvm::StringLiteral kKeptAttrName = "tile.kept";

/// Of a gemm whose A in shared memory other gemms read, too, while registers
/// are kept for parts of A: its addresses are computed for it alone.
constexpr llvm::StringLiteral kOwnAddressesAttrName = "tile.own_addresses";

/// Of a wait for a stage of which the consumer holds two: 1 waits for the one
/// behind the stage that is held, 0 only asks for the number of that stage.
constexpr llvm::StringLiteral kAheadAttrName = "tile.ahead";

/// Of a copy to a shared tile, of the tensor store of that tile, and of barriers
/// around them: each warpgroup does it for itself, with its part of the rows.
constexpr llvm::StringLiteral kWarpgroupsAttrName = "tile.warpgroups";

} // namespace mlir::tile

#endif // TILE_DIALECT_TILE_IR_KERNELATTRS_H
