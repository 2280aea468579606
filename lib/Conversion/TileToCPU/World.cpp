//===- World.cpp - signals between ranks ----------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "Tile/Dialect/World/IR/World.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::cpu;

/// The address of a flag.
static Value getAddress(OpBuilder &b, Location loc, Value flags, Value index) {
  auto type = cast<MemRefType>(flags.getType());
  auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, flags);
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, flags);
  Value element = arith::AddIOp::create(
      b, loc, metadata.getOffset(),
      arith::MulIOp::create(b, loc, index, metadata.getStrides()[0]));
  Value bytes = arith::MulIOp::create(
      b, loc, element,
      arith::ConstantIndexOp::create(b, loc,
                                     type.getElementTypeBitWidth() / 8));
  Value address = arith::IndexCastOp::create(
      b, loc, b.getI64Type(), arith::AddIOp::create(b, loc, base, bytes));
  return LLVM::IntToPtrOp::create(
      b, loc, LLVM::LLVMPointerType::get(b.getContext()), address);
}

/// The arguments that signals and waits have in common: the address of the
/// flag, its bits, the value.
template <typename OpTy>
static SmallVector<Value> getArguments(OpBuilder &b, OpTy op) {
  Location loc = op.getLoc();
  int64_t bits = op.getValue().getType().getIntOrFloatBitWidth();
  Value value = op.getValue();
  if (bits < 64)
    value = arith::ExtSIOp::create(b, loc, b.getI64Type(), value);
  return {getAddress(b, loc, op.getFlags(), op.getIndex()),
          arith::ConstantIntOp::create(b, loc, bits, 64), value};
}

/// How many bytes the flag of the next rank, and of those behind it, is away:
/// begins a loop over all ranks.
static Value beginRanks(OpBuilder &b, Location loc, Value table) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  auto load = [&](Value at) -> Value {
    return memref::LoadOp::create(b, loc, table, at);
  };
  auto loadTable = [&](Value rank) {
    return load(arith::AddIOp::create(b, loc, rank,
                                      constant(world::kTableOfRanks)));
  };
  auto toIndex = [&](Value word) -> Value {
    return arith::IndexCastOp::create(b, loc, b.getIndexType(), word);
  };
  Value rank = toIndex(load(constant(world::kTableRank)));
  Value size = toIndex(load(constant(world::kTableSize)));
  Value here = loadTable(rank);
  auto loop = scf::ForOp::create(b, loc, constant(0), size, constant(1));
  b.setInsertionPointToStart(loop.getBody());
  Value next = arith::RemUIOp::create(
      b, loc, arith::AddIOp::create(b, loc, rank, loop.getInductionVar()),
      size);
  return arith::SubIOp::create(b, loc, loadTable(next), here);
}

namespace {
struct LowerSignal : OpRewritePattern<world::SignalOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(world::SignalOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Value> arguments = getArguments(rewriter, op);
    if (op.getWorld()) {
      Location loc = op.getLoc();
      Value away = beginRanks(rewriter, loc, op.getWorld());
      arguments[0] = LLVM::GEPOp::create(
          rewriter, loc, arguments[0].getType(), rewriter.getI8Type(),
          arguments[0], ArrayRef<LLVM::GEPArg>{away});
    }
    callRuntime(rewriter, op,
                op.getSet() ? "tile_rt_signal_set" : "tile_rt_signal_add",
                arguments);
    rewriter.eraseOp(op);
    return success();
  }
};

/// Signals are sent at once.
struct DropFlush : OpRewritePattern<world::FlushOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(world::FlushOp op,
                                PatternRewriter &rewriter) const override {
    rewriter.eraseOp(op);
    return success();
  }
};

/// "file.mlir:3:5", for the message about a wait that nobody ends.
std::string describePlace(Location loc) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto place = loc->findInstanceOf<FileLineColLoc>())
    os << place.getFilename().getValue() << ':' << place.getLine() << ':'
       << place.getColumn();
  else
    os << "a wait";
  return text;
}

struct LowerWait : OpRewritePattern<world::WaitOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(world::WaitOp op,
                                PatternRewriter &rewriter) const override {
    // Whoever took the token has been resolved.
    if (!op.getToken().use_empty())
      return rewriter.notifyMatchFailure(op, "expected no use of the token");
    SmallVector<Value> arguments = getArguments(rewriter, op);
    arguments.push_back(
        createString(rewriter, op, describePlace(op.getLoc())));
    callRuntime(rewriter, op,
                op.getCondition() == world::SignalCondition::GE
                    ? "tile_rt_wait_ge"
                    : "tile_rt_wait_eq",
                arguments);
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void cpu::populateWorldPatterns(RewritePatternSet &patterns,
                                const LoweringOptions &) {
  patterns.add<LowerSignal, LowerWait, DropFlush>(patterns.getContext());
}
