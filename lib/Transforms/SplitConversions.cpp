//===- SplitConversions.cpp - conversions of 4 bits in loops of their own -===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Dialect/Tile/IR/Buffers.h"
#include "Tile/Dialect/Tile/IR/FourBits.h"
#include "Tile/Dialect/Tile/IR/TileTarget.h"
#include "Tile/Target/Target.h"
#include "Tile/Transforms/GemmPasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"

namespace mlir::tile {
#define GEN_PASS_DEF_SPLITCONVERSIONSPASS
#include "Tile/Transforms/GemmPasses.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

static constexpr StringLiteral kCategory = "tile-split-conversions";

namespace {
/// tile[i, j] = f(convert(codes[...]), ...)
struct ScaledCodes {
  memref::LoadOp load;
  memref::StoreOp store;
  Operation *conversion = nullptr; // has the element type of the tile
};
} // namespace

/// What makes a float of a code, which has no other use; null if it is not one
/// conversion, or two through a wider float, or one under a condition.
static Operation *findConversion(memref::LoadOp load, Type element) {
  if (!load->hasOneUse())
    return nullptr;
  Operation *first = *load->getUsers().begin(), *op = first;
  if (op->getResultTypes() != TypeRange(element) && op->hasOneUse())
    op = *op->getUsers().begin();
  bool isConversion = op->getResultTypes() == TypeRange(element) &&
                      findFourBitConversion(op->getResult(0)) == first;
  return isConversion && op->getBlock() == load->getBlock() ? op : nullptr;
}

/// Collects the ops of the loop that the value depends on, if they compute with
/// indices only.
static bool collectIndices(Value value, Block &body,
                           llvm::SmallPtrSetImpl<Operation *> &ops) {
  SmallVector<Value> work{value};
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (!op || op->getBlock() != &body || !ops.insert(op).second)
      continue;
    if (op->getNumRegions() != 0 || !isMemoryEffectFree(op) ||
        !llvm::all_of(op->getResultTypes(), llvm::IsaPred<IndexType>))
      return false;
    llvm::append_range(work, op->getOperands());
  }
  return true;
}

static std::optional<ScaledCodes> findCodes(ParallelOp loop) {
  ScaledCodes found;
  Block &body = loop.getBody().front();
  for (Operation &op : body) {
    auto load = dyn_cast<memref::LoadOp>(op);
    auto store = dyn_cast<memref::StoreOp>(op);
    if (store && !found.store)
      found.store = store;
    else if (!load && !isMemoryEffectFree(&op))
      return std::nullopt;
    if (!load || getElementBits(load.getMemRef()) != 4)
      continue;
    if (found.load || getMemorySpace(load.getMemRef()) != MemorySpace::Shared)
      return std::nullopt;
    found.load = load;
  }
  if (!found.load || !found.store || !loop->getDiscardableAttrs().empty())
    return std::nullopt;
  Value tile = found.store.getMemRef();
  auto type = cast<MemRefType>(tile.getType());
  bool isRead = llvm::any_of(body.getOps<memref::LoadOp>(),
                             [&](memref::LoadOp load) {
                               return load.getMemRef() == tile;
                             });
  if (isRead || getMemorySpace(tile) != MemorySpace::Fragment ||
      loop.getStaticExtents() != type.getShape() ||
      !llvm::equal(found.store.getIndices(), body.getArguments()))
    return std::nullopt;
  found.conversion = findConversion(found.load, type.getElementType());
  if (!found.conversion ||
      found.store.getValueToStore().getDefiningOp() == found.conversion)
    return std::nullopt;
  return found;
}

/// Splits the loop, if the places of its codes depend on its indices alone.
static bool split(ParallelOp loop, const ScaledCodes &codes) {
  Block &body = loop.getBody().front();
  memref::LoadOp load = codes.load;
  memref::StoreOp store = codes.store;
  llvm::SmallPtrSet<Operation *, 8> ops;
  for (Value index : load.getIndices())
    if (!collectIndices(index, body, ops))
      return false;
  ops.insert(load);
  ops.insert(codes.conversion);
  ops.insert(*load->getUsers().begin());
  Location loc = loop.getLoc();
  OpBuilder b(loop);
  auto first = ParallelOp::create(b, loc, ValueRange(), loop.getStaticExtents(),
                                  IntegerAttr(), LayoutAttr());
  Block *block = b.createBlock(&first.getBody(), {}, body.getArgumentTypes(),
                               SmallVector<Location>(body.getNumArguments(), loc));
  IRMapping mapping;
  mapping.map(body.getArguments(), block->getArguments());
  for (Operation &op : body)
    if (ops.contains(&op))
      b.clone(op, mapping);
  memref::StoreOp::create(b, loc,
                          mapping.lookup(codes.conversion->getResult(0)),
                          store.getMemRef(), block->getArguments());
  b.setInsertionPoint(codes.conversion);
  Value converted = memref::LoadOp::create(b, loc, store.getMemRef(),
                                           body.getArguments());
  codes.conversion->getResult(0).replaceAllUsesWith(converted);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (ops.contains(&op) && op.use_empty())
      op.erase();
  return true;
}

namespace {
struct SplitConversionsPass
    : mlir::tile::impl::SplitConversionsPassBase<SplitConversionsPass> {
  using SplitConversionsPassBase::SplitConversionsPassBase;

  void runOnOperation() override {
    const ::tile::target::Target *chip = getTarget(getOperation(), "GPU");
    if (!chip)
      return signalPassFailure();
    if (!chip->has(::tile::target::Feature::PackedBF16Convert))
      return;
    getOperation()->walk([](ParallelOp loop) {
      std::optional<ScaledCodes> codes = findCodes(loop);
      if (codes && split(loop, *codes))
        remark::passed(loop.getLoc(), remark::RemarkOpts::name("SplitConversion")
                                          .category(kCategory));
    });
  }
};
} // namespace
