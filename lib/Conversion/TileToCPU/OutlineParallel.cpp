//===- OutlineParallel.cpp - parallel loops as calls of the runtime -------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Conversion/TileToCPU/Passes.h"

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mlir::tile {
#define GEN_PASS_DEF_OUTLINEPARALLELPASS
#include "Tile/Conversion/TileToCPU/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;

static constexpr StringLiteral kParallelFor = "tile_rt_parallel_for";

/// Declares `void tile_rt_parallel_for(body, context, count, grain)`.
static void declareParallelFor(ModuleOp module) {
  if (module.lookupSymbol(kParallelFor))
    return;
  OpBuilder b(module.getBodyRegion());
  Type ptr = LLVM::LLVMPointerType::get(b.getContext());
  Type i64 = b.getI64Type();
  func::FuncOp::create(b, module.getLoc(), kParallelFor,
                       b.getFunctionType({ptr, ptr, i64, i64}, {}))
      .setPrivate();
}

namespace {

/// Outlines one loop. Values from outside travel in a structure on the caller's stack; constants are made anew.
class Outliner {
public:
  Outliner(scf::ParallelOp loop, SymbolTable &symbols,
           const LLVMTypeConverter &converter)
      : loop(loop), loc(loop.getLoc()), symbols(symbols), converter(converter),
        b(loop.getContext()) {
    llvm::SetVector<Value> used;
    getUsedValuesDefinedAbove(loop.getRegion(), used);
    used.insert(loop.getLowerBound().begin(), loop.getLowerBound().end());
    used.insert(loop.getStep().begin(), loop.getStep().end());
    for (Value value : used) {
      Operation *def = value.getDefiningOp();
      (def && def->hasTrait<OpTrait::ConstantLike>() ? constants : captured)
          .push_back(value);
    }
  }

  /// Fails if a captured value cannot be stored in memory.
  LogicalResult outline() {
    SmallVector<Type> fields;
    for (Value value : captured) {
      Type field = converter.convertType(value.getType());
      if (!field)
        return failure();
      fields.push_back(field);
    }
    contextType = LLVM::LLVMStructType::getLiteral(b.getContext(), fields);
    b.setInsertionPoint(loop);
    counts = getCounts();
    // The extents are needed to tell the coordinates of an iteration.
    for (Value count : ArrayRef<Value>(counts).drop_back())
      captured.push_back(count), fields.push_back(b.getI64Type());
    contextType = LLVM::LLVMStructType::getLiteral(b.getContext(), fields);
    Value context = packContext();
    func::FuncOp body = createBody();
    b.setInsertionPoint(loop);
    call(body, context);
    loop.erase();
    return success();
  }

private:
  Type i64() { return b.getI64Type(); }
  Value toI64(Value v) {
    return arith::IndexCastOp::create(b, loc, i64(), v);
  }
  Value toIndex(Value v) {
    return arith::IndexCastOp::create(b, loc, b.getIndexType(), v);
  }

  /// The number of iterations of each dimension.
  SmallVector<Value> getCounts() {
    SmallVector<Value> result;
    for (auto [lower, upper, step] : llvm::zip(
             loop.getLowerBound(), loop.getUpperBound(), loop.getStep())) {
      Value length = arith::SubIOp::create(b, loc, upper, lower);
      Value zero = arith::ConstantIndexOp::create(b, loc, 0);
      length = arith::MaxSIOp::create(b, loc, length, zero);
      result.push_back(arith::CeilDivUIOp::create(b, loc, length, step));
    }
    return result;
  }

  Value cast(Value value, Type type) {
    return UnrealizedConversionCastOp::create(b, loc, type, value).getResult(0);
  }

  Value packContext() {
    Type ptr = LLVM::LLVMPointerType::get(b.getContext());
    Value memory;
    {
      // On the stack of the function, not of an iteration.
      OpBuilder::InsertionGuard guard(b);
      auto function = loop->getParentOfType<FunctionOpInterface>();
      b.setInsertionPointToStart(&function.getFunctionBody().front());
      Value one = LLVM::ConstantOp::create(b, loc, i64(), 1);
      memory = LLVM::AllocaOp::create(b, loc, ptr, contextType, one);
    }
    for (auto [i, value] : llvm::enumerate(captured)) {
      Value field = cast(value, contextType.getBody()[i]);
      LLVM::StoreOp::create(b, loc, field, getField(memory, i));
    }
    return memory;
  }

  Value getField(Value memory, size_t i) {
    return LLVM::GEPOp::create(b, loc, memory.getType(), contextType, memory,
                               ArrayRef<LLVM::GEPArg>{0, int32_t(i)});
  }

  func::FuncOp createBody() {
    auto parent = loop->getParentOfType<FunctionOpInterface>();
    Type ptr = LLVM::LLVMPointerType::get(b.getContext());
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointAfter(parent);
    auto body = func::FuncOp::create(
        b, loc, (parent.getName() + "_body").str(),
        b.getFunctionType({ptr, i64(), i64()}, {}));
    body.setPrivate();
    // Object files of two modules may both have an @f_body.
    body->setAttr("llvm.linkage",
                  LLVM::LinkageAttr::get(b.getContext(),
                                         LLVM::Linkage::Internal));
    symbols.insert(body);
    Block *entry = body.addEntryBlock();
    b.setInsertionPointToStart(entry);
    IRMapping map;
    for (Value value : constants)
      b.clone(*value.getDefiningOp(), map);
    for (auto [i, value] : llvm::enumerate(captured)) {
      Value field = LLVM::LoadOp::create(b, loc, contextType.getBody()[i],
                                         getField(entry->getArgument(0), i));
      map.map(value, cast(field, value.getType()));
    }
    emitRange(entry, map);
    func::ReturnOp::create(b, loc);
    return body;
  }

  /// The loop over a range of iterations, around the moved body.
  void emitRange(Block *entry, IRMapping &map) {
    Value one = arith::ConstantIndexOp::create(b, loc, 1);
    auto range = scf::ForOp::create(b, loc, toIndex(entry->getArgument(1)),
                                    toIndex(entry->getArgument(2)), one);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(range.getBody());
    Value linear = range.getInductionVar();
    for (unsigned dim = 0, e = counts.size(); dim < e; ++dim) {
      Value coordinate = linear;
      if (dim + 1 < e) {
        Value count = map.lookup(counts[dim]);
        coordinate = arith::RemUIOp::create(b, loc, linear, count);
        linear = arith::DivUIOp::create(b, loc, linear, count);
      }
      Value scaled = arith::MulIOp::create(
          b, loc, coordinate, map.lookup(loop.getStep()[dim]));
      map.map(loop.getInductionVars()[dim],
              arith::AddIOp::create(b, loc, scaled,
                                    map.lookup(loop.getLowerBound()[dim])));
    }
    for (Operation &op : loop.getBody()->without_terminator())
      b.clone(op, map);
    hoistBuffers(range);
  }

  /// Buffers of one iteration serve all iterations of the range.
  static void hoistBuffers(scf::ForOp range) {
    SmallVector<memref::DeallocOp> deallocs(
        range.getBody()->getOps<memref::DeallocOp>());
    Operation *after = range;
    for (memref::DeallocOp dealloc : deallocs) {
      auto alloc = dealloc.getMemref().getDefiningOp<memref::AllocOp>();
      if (!alloc || alloc->getBlock() != range.getBody() ||
          alloc->getNumOperands() != 0)
        continue;
      alloc->moveBefore(range);
      dealloc->moveAfter(after);
      after = dealloc;
    }
  }

  void call(func::FuncOp body, Value context) {
    Value count = arith::ConstantIndexOp::create(b, loc, 1);
    for (Value extent : counts)
      count = arith::MulIOp::create(b, loc, count, extent);
    Value function = func::ConstantOp::create(
        b, loc, body.getFunctionType(), SymbolRefAttr::get(body));
    Value pointer = cast(function, context.getType());
    // The runtime knows how many threads there are.
    Value grain = arith::ConstantIntOp::create(b, loc, 0, 64);
    func::CallOp::create(b, loc, kParallelFor, TypeRange{},
                         ValueRange{pointer, context, toI64(count), grain});
  }

  scf::ParallelOp loop;
  Location loc;
  SymbolTable &symbols;
  const LLVMTypeConverter &converter;
  OpBuilder b;
  SmallVector<Value> constants, captured, counts;
  LLVM::LLVMStructType contextType;
};

struct OutlineParallel : tile::impl::OutlineParallelPassBase<OutlineParallel> {
  void runOnOperation() override {
    SmallVector<scf::ParallelOp> loops;
    getOperation().walk<WalkOrder::PreOrder>([&](scf::ParallelOp loop) {
      if (loop.getNumReductions() == 0)
        loops.push_back(loop);
      return WalkResult::skip();
    });
    if (loops.empty())
      return;
    declareParallelFor(getOperation());
    SymbolTable symbols(getOperation());
    LLVMTypeConverter converter(&getContext());
    for (scf::ParallelOp loop : loops)
      if (failed(Outliner(loop, symbols, converter).outline())) {
        loop.emitError("the loop uses a value that cannot be passed to "
                       "another thread");
        return signalPassFailure();
      }
  }
};

} // namespace
