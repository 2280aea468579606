//===- InferMemory.cpp - the memories of tiles ----------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Conversion/TileToAscend/Passes.h"
#include "Tile/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/Remarks.h"

namespace mlir::tile {
#define GEN_PASS_DEF_ASCENDINFERMEMORYPASS
#include "Tile/Conversion/TileToAscend/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
namespace tl = mlir::tile;
using tl::MemorySpace;

/// Whether the memory is left to the compiler.
static bool isAbstract(MemorySpace space) {
  return space == MemorySpace::Shared || space == MemorySpace::Fragment ||
         space == MemorySpace::Local;
}

static void setSpace(Value buffer, MemorySpace space) {
  auto type = cast<MemRefType>(buffer.getType());
  buffer.setType(MemRefType::get(
      type.getShape(), type.getElementType(), type.getLayout(),
      tl::MemorySpaceAttr::get(type.getContext(), space)));
  for (Operation *user : buffer.getUsers())
    if (isa<tl::ReshapeOp, tl::ViewOp>(user))
      setSpace(user->getResult(0), space);
}

namespace {
struct AscendInferMemory
    : tl::impl::AscendInferMemoryPassBase<AscendInferMemory> {
  void runOnOperation() override {
    getOperation()->walk([](tl::KernelOp kernel) {
      kernel.walk([](tl::AllocOp alloc) {
        if (isAbstract(tl::getMemorySpace(alloc.getBuffer())))
          setSpace(alloc.getBuffer(), MemorySpace::UB);
      });
    });
  }
};
} // namespace
