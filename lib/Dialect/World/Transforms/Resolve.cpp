//===- Resolve.cpp - peers become distances -------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Dialect/Tile/IR/Buffers.h"
#include "Tile/Dialect/Tile/IR/TileTarget.h"
#include "Tile/Dialect/World/IR/World.h"
#include "Tile/Dialect/World/Transforms/Passes.h"
#include "Tile/Target/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mlir::tile::world {
#define GEN_PASS_DEF_WORLDRESOLVEPASS
#include "Tile/Dialect/World/Transforms/Passes.h.inc"
} // namespace mlir::tile::world

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::world;

namespace {
/// Builds index arithmetic before one op.
struct TableBuilder {
  TableBuilder(Operation *op, Value world)
      : b(op), loc(op->getLoc()), world(world) {
    table = UnrealizedConversionCastOp::create(
                b, loc, world::getLaunchType(world.getType()), world)
                .getResult(0);
  }

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value add(Value x, Value y) {
    return arith::AddIOp::create(b, loc, x, y);
  }
  Value mul(Value x, Value y) {
    return arith::MulIOp::create(b, loc, x, y);
  }
  /// A word of the table as an index.
  Value load(Value at) {
    Value word = memref::LoadOp::create(b, loc, table, at);
    return arith::IndexCastOp::create(b, loc, b.getIndexType(), word);
  }
  Value load(int64_t at) { return load(constant(at)); }
  void check(arith::CmpIPredicate predicate, Value x, Value y,
             StringRef message) {
    Value holds = arith::CmpIOp::create(b, loc, predicate, x, y);
    DeviceAssertOp::create(b, loc, holds, message);
  }

  /// The extents of the world: of a grid, the last one follows.
  SmallVector<Value> getExtents() {
    ArrayRef<int64_t> shape = cast<RanksType>(world.getType()).getShape();
    Value size = load(kTableSize);
    if (shape.size() == 1)
      return {size};
    Value rows = constant(shape[0]);
    return {rows, arith::DivUIOp::create(b, loc, size, rows)};
  }

  /// The same buffer of another rank.
  Value getPeer(Value buffer, MemRefType type, Value rank) {
    auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, buffer);
    Value here = load(add(constant(kTableOfRanks), load(kTableRank)));
    Value there = load(add(constant(kTableOfRanks), rank));
    Value bytes = arith::SubIOp::create(b, loc, there, here);
    Value elements = arith::DivSIOp::create(
        b, loc, bytes, constant(getElementBits(type) / 8));
    Value offset = add(metadata.getOffset(), elements);
    auto source = cast<MemRefType>(buffer.getType());
    auto choose = [&](ArrayRef<int64_t> fixed, ValueRange dynamic) {
      SmallVector<OpFoldResult> mixed;
      for (auto [number, value] : llvm::zip(fixed, dynamic))
        mixed.push_back(ShapedType::isDynamic(number)
                            ? OpFoldResult(value)
                            : OpFoldResult(b.getIndexAttr(number)));
      return mixed;
    };
    auto layout = cast<StridedLayoutAttr>(type.getLayout());
    return memref::ReinterpretCastOp::create(
        b, loc,
        MemRefType::get(type.getShape(), type.getElementType(), layout,
                        source.getMemorySpace()),
        buffer, OpFoldResult(offset),
        choose(type.getShape(), metadata.getSizes()),
        choose(layout.getStrides(), metadata.getStrides()));
  }

  OpBuilder b;
  Location loc;
  Value world, table;
};
} // namespace

static void resolve(RankOp op) {
  TableBuilder t(op, op.getWorld());
  Value rank = t.load(kTableRank);
  if (op.getNumResults() == 2) {
    Value columns = t.getExtents()[1];
    op.getResult(0).replaceAllUsesWith(
        arith::DivUIOp::create(t.b, t.loc, rank, columns));
    rank = arith::RemUIOp::create(t.b, t.loc, rank, columns);
  }
  op.getResults().back().replaceAllUsesWith(rank);
  op.erase();
}

static void resolve(SizeOp op) {
  TableBuilder t(op, op.getWorld());
  op->replaceAllUsesWith(t.getExtents());
  op.erase();
}

static void resolve(PeerOp op, bool check) {
  TableBuilder t(op, op.getWorld());
  Value rank;
  for (auto [coordinate, extent] :
       llvm::zip(op.getCoordinates(), t.getExtents())) {
    // A negative coordinate is a large unsigned one.
    if (check)
      t.check(arith::CmpIPredicate::ult, coordinate, extent,
              "a rank outside of the world");
    rank = rank ? t.add(t.mul(rank, extent), coordinate) : coordinate;
  }
  Value peer = t.getPeer(op.getBuffer(),
                         cast<MemRefType>(op.getPeer().getType()), rank);
  // Users know it by its type until all types change.
  op.replaceAllUsesWith(
      memref::MemorySpaceCastOp::create(t.b, t.loc, op.getPeer().getType(),
                                        peer)
          .getResult());
  op.erase();
}

/// The block's number among those of its kernel.
static Value getBlockNumber(TableBuilder &t, KernelOp kernel) {
  Value number;
  for (auto [block, extent] : llvm::zip(kernel.getBody().getArguments(),
                                        kernel.getMixedGrid())) {
    Value size = getValueOrCreateConstantIndexOp(t.b, t.loc, extent);
    number = number ? t.add(t.mul(number, size), block) : Value(block);
  }
  return number;
}

/// Whether the grid is known to be so small that all of its blocks may meet.
static bool hasRoom(KernelOp kernel) {
  int64_t blocks = 1;
  for (OpFoldResult extent : kernel.getMixedGrid()) {
    std::optional<int64_t> known = getConstantIntValue(extent);
    if (!known || *known > kMaxMeetingBlocks)
      return false;
    blocks *= *known;
  }
  return blocks <= kMaxMeetingBlocks;
}

/// Tells all ranks, and waits until all have told this one as often.
static void resolve(world::BarrierOp op) {
  TableBuilder t(op, op.getWorld());
  OpBuilder &b = t.b;
  auto kernel = op->getParentOfType<KernelOp>();
  Value block = getBlockNumber(t, kernel);
  if (!hasRoom(kernel))
    t.check(arith::CmpIPredicate::ult, block, t.constant(kMaxMeetingBlocks),
            "more blocks meet in 'world.barrier' than there is room for");
  Value size = t.load(kTableSize), one = t.constant(1);
  Value counter = t.add(t.add(size, t.constant(kTableOfRanks)),
                     t.mul(block, t.constant(2)));
  Value round = t.add(t.load(t.add(counter, one)), one);
  auto toWord = [&](Value value) -> Value {
    return arith::IndexCastOp::create(b, t.loc, b.getI64Type(), value);
  };
  memref::StoreOp::create(b, t.loc, toWord(round), t.table,
                          t.add(counter, one));
  Value come = arith::ConstantIntOp::create(b, t.loc, 1, 64);
  SignalOp::create(b, t.loc, t.table, counter, come, /*set=*/false,
                   /*world=*/t.table, /*deferred=*/Value());
  auto wait = WaitOp::create(b, t.loc, TokenType::get(b.getContext()), t.table,
                             counter, toWord(t.mul(round, size)),
                             SignalCondition::GE, t.table);
  op.replaceAllUsesWith(wait.getToken());
  op.erase();
}

static void resolve(AcquireOp op) {
  OpBuilder b(op);
  op.replaceAllUsesWith(
      memref::MemorySpaceCastOp::create(b, op.getLoc(), op.getPlain().getType(),
                                        op.getBuffer())
          .getResult());
  op.erase();
}

/// Names the table, for the report of a wait in vain.
static void resolve(WaitOp op) {
  auto function = op->getParentOfType<FunctionOpInterface>();
  for (BlockArgument argument : function.getArguments())
    if (isa<RanksType>(argument.getType()) && !op.getTable())
      op.getTableMutable().assign(TableBuilder(op, argument).table);
}

/// A flag outside of its buffer is an error.
template <typename OpTy> static void checkIndex(OpTy op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Value extent = memref::DimOp::create(b, loc, op.getFlags(), 0);
  Value holds = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                      op.getIndex(), extent);
  DeviceAssertOp::create(b, loc, holds, "a flag outside of its buffer");
}

/// Computes again in the kernel what the world decides of the numbers that it
/// uses: tables are where kernels run.
static void sinkNumbers(KernelOp kernel) {
  llvm::SetVector<Value> used;
  getUsedValuesDefinedAbove(kernel.getBody(), used);
  OpBuilder b = OpBuilder::atBlockBegin(&kernel.getBody().front());
  IRMapping inside;
  for (Value value : used) {
    llvm::SetVector<Operation *> slice;
    BackwardSliceOptions options;
    options.inclusive = options.omitBlockArguments = true;
    if (failed(getBackwardSlice(value, &slice, options)) ||
        llvm::none_of(slice, llvm::IsaPred<RankOp, SizeOp>) ||
        !llvm::all_of(slice, [](Operation *op) {
          return isMemoryEffectFree(op) && op->getNumRegions() == 0;
        }))
      continue;
    for (Operation *op : slice)
      if (!inside.contains(op->getResult(0)))
        b.clone(*op, inside);
    value.replaceUsesWithIf(inside.lookup(value), [&](OpOperand &use) {
      return kernel->isProperAncestor(use.getOwner());
    });
  }
}

static void eraseUnused(FunctionOpInterface function) {
  for (Block &block : function.getFunctionBody())
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (isOpTriviallyDead(&op))
        op.erase();
}

namespace {
struct WorldResolve : world::impl::WorldResolvePassBase<WorldResolve> {
  using WorldResolvePassBase::WorldResolvePassBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<FunctionOpInterface>()) {
      if (llvm::none_of(function.getArgumentTypes(),
                        llvm::IsaPred<RanksType>) ||
          function.isExternal())
        continue;
      function.walk([](KernelOp kernel) { sinkNumbers(kernel); });
      eraseUnused(function);
    }
    const ::tile::target::Target *target = lookupTarget(getOperation());
    if (target && !target->has(::tile::target::Feature::FreeAssertions))
      check = false;
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa_and_nonnull<WorldDialect>(op->getDialect()))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      if (auto signal = dyn_cast<SignalOp>(op); signal && check)
        checkIndex(signal);
      else if (auto wait = dyn_cast<WaitOp>(op)) {
        if (check)
          checkIndex(wait);
        resolve(wait);
      } else if (auto rank = dyn_cast<RankOp>(op))
        resolve(rank);
      else if (auto size = dyn_cast<SizeOp>(op))
        resolve(size);
      else if (auto peer = dyn_cast<PeerOp>(op))
        resolve(peer, check);
      else if (auto barrier = dyn_cast<world::BarrierOp>(op))
        resolve(barrier);
      else if (auto acquire = dyn_cast<AcquireOp>(op))
        resolve(acquire);
    }
    makePlain();
  }

  /// What is left of the types; casts between equal ones go away.
  void makePlain() {
    AttrTypeReplacer replacer;
    replacer.addReplacement(
        [](RanksType type) -> Type { return world::getLaunchType(type); });
    replacer.addReplacement([](MemRefType type) -> std::optional<Type> {
      if (!world::isReachable(type))
        return std::nullopt;
      return world::getPlainType(type);
    });
    replacer.recursivelyReplaceElementsIn(getOperation(),
                                          /*replaceAttrs=*/true,
                                          /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
    getOperation().walk([](Operation *op) {
      // It speaks of ranks.
      op->removeAttr("world.reference");
      if (isa<UnrealizedConversionCastOp, memref::MemorySpaceCastOp>(op) &&
          op->getNumOperands() == 1 && op->getNumResults() == 1 &&
          op->getOperand(0).getType() == op->getResult(0).getType()) {
        op->replaceAllUsesWith(op->getOperands());
        op->erase();
      }
    });
  }
};
} // namespace
