//===- AscendLoweringInterface.td - from an op to instructions -*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_CONVERSION_TILETOASCEND_ASCENDLOWERINGINTERFACE
#define TILE_CONVERSION_TILETOASCEND_ASCENDLOWERINGINTERFACE

include "mlir/IR/OpBase.td"

def Tile_AscendLoweringOpInterface : OpInterface<"AscendLoweringOpInterface"> {
  let cppNamespace = "::mlir::tile::ascend";
  let description = [{
    All that the passes of `TileToAscend` ask an op of a kernel: the memories of its operands, how two vector cores share
    its rows, and its instructions. External models implement it, one file for each family of ops, so that the dialect
    knows nothing of Ascend and the passes know no op. An op without a model has the defaults below, and no instructions.
  }];
  let methods = [
    InterfaceMethod<[{
        The memory that a buffer operand has to lie in; nothing if any will do. By default the op is one of the vector
        unit.
      }],
      "::std::optional<::mlir::tile::MemorySpace>", "getOperandMemory", (ins "::mlir::OpOperand &":$operand), "",
      [{ return ::mlir::tile::MemorySpace::UB; }]>,
    InterfaceMethod<"What the op does to the old content of its operand in L0C, if it has one.",
      "::mlir::tile::ascend::AccumulatorUse", "getAccumulatorUse", (ins), "",
      [{ return ::mlir::tile::ascend::AccumulatorUse::Overwrite; }]>,
    InterfaceMethod<[{
        Rejects the tiles that the op cannot work on row by row, when each of the two vector cores of a block has half of
        their rows. Called until nothing changes. By default the op needs every tile whole.
      }],
      "void", "rejectTiles", (ins "::mlir::tile::ascend::SubBlockTiling &":$tiling), "",
      [{ tiling.rejectOperands($_op, "the op is not known to work row by row"); }]>,
    InterfaceMethod<[{
        Says how the two vector cores share an access of a global buffer, by this op or in its body: sets `access.share`
        and what goes with it. Returns false if the op does not decide it.
      }],
      "bool", "shareAccess",
      (ins "const ::mlir::tile::ascend::SubBlockTiling &":$tiling, "::mlir::tile::ascend::SubBlockAccess &":$access), "",
      [{ return false; }]>,
    InterfaceMethod<[{
        Changes the op to do one vector core's half of the rows. The types of the tiles are still those of whole ones. By
        default nothing changes.
      }],
      "void", "tileRows", (ins "::mlir::tile::ascend::SubBlockTiling &":$tiling), "",
      [{ (void)tiling; }]>,
    InterfaceMethod<"Whether the body is tiled and lowered with the op; otherwise its ops are for themselves.",
      "bool", "ownsBody", (ins), "", [{ return false; }]>,
    InterfaceMethod<"When the op is lowered.", "::mlir::tile::ascend::LoweringPhase", "getLoweringPhase", (ins), "",
      [{ return ::mlir::tile::ascend::LoweringPhase::Instructions; }]>,
    InterfaceMethod<[{
        Emits instructions at the builder of `lowering`, which stands before the op. The op is erased by the caller, a
        buffer only if nothing uses it any more. Reports why where it cannot.
      }],
      "::llvm::LogicalResult", "lowerToInstructions", (ins "::mlir::tile::ascend::KernelLowering &":$lowering)>
  ];
}

#endif // TILE_CONVERSION_TILETOASCEND_ASCENDLOWERINGINTERFACE
