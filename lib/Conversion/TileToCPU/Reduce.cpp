//===- Reduce.cpp - reductions, scans, votes ------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "Tile/Conversion/Common.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::cpu;

static MemRefType typeOf(Value buffer) {
  return cast<MemRefType>(buffer.getType());
}

namespace {

/// Emits one reduction. Elements are widened to the accumulator type, and the first one starts the accumulator: no identity is
/// needed, and a row of NaN alone stays NaN.
class ReduceEmitter {
public:
  ReduceEmitter(OpBuilder &b, ReduceOp op, const CPUTargetInfo &cpuInfo)
      : op(op), loc(op.getLoc()), source(op.getSource()),
        target(op.getTarget()),
        element(getAccumulatorType(typeOf(source).getElementType())),
        lanes(cpuInfo.getLanes(element)), dim(op.getDim()),
        extent(typeOf(source).getDimSize(dim)),
        kind(getCombiningKind(op, isa<FloatType>(element))), b(b) {}

  void emit() {
    bool isLast = dim == typeOf(source).getRank() - 1;
    if (isLast && typeOf(source).isLastDimUnitStride() && extent >= lanes &&
        typeOf(source).getElementTypeBitWidth() >= 8)
      return emitRows([&](ArrayRef<Value> at) { return reduceVectors(at); });
    if (isLast)
      return emitRows([&](ArrayRef<Value> at) {
        return reduceScalars(read(at, constantIndex(b, loc, 0)), at, 1, extent);
      });
    emitColumns();
  }

private:
  Value combine(Value x, Value y) {
    return vector::makeArithReduction(b, loc, kind, x, y);
  }

  /// An element or vector, widened and made absolute.
  Value prepare(Value value) {
    return widenForReduction(b, op, value, element);
  }

  SmallVector<Value> insert(ArrayRef<Value> at, Value position) {
    SmallVector<Value> index(at);
    index.insert(index.begin() + dim, position);
    return index;
  }

  Value read(ArrayRef<Value> at, Value position) {
    return prepare(
        memref::LoadOp::create(b, loc, source, insert(at, position)));
  }

  Value readVector(ArrayRef<Value> at, Value position) {
    auto type = VectorType::get(lanes, typeOf(source).getElementType());
    return prepare(vector::LoadOp::create(b, loc, type, source,
                                          insert(at, position)));
  }

  /// Where the result for the remaining coordinates goes: the target may keep a unit dimension.
  SmallVector<Value> targetIndex(ArrayRef<Value> at) {
    SmallVector<Value> index(at);
    if (typeOf(target).getRank() > static_cast<int64_t>(at.size()))
      index.insert(index.begin() + dim, constantIndex(b, loc, 0));
    return index;
  }

  void write(ArrayRef<Value> at, Value value) {
    SmallVector<Value> index = targetIndex(at);
    if (op.getCombine()) {
      Value old = memref::LoadOp::create(b, loc, target, index);
      old = castElement(b, loc, old, element, {op.getIsUnsigned(), false});
      if (kind == vector::CombiningKind::MAXUI && !op.getIsUnsigned())
        old = arith::MaxSIOp::create(b, loc, old,
                                     constantZero(b, loc, element));
      value = combine(old, value);
    }
    value = castElement(b, loc, value, typeOf(target).getElementType());
    memref::StoreOp::create(b, loc, value, target, index);
  }

  SmallVector<int64_t> remainingExtents() {
    SmallVector<int64_t> extents(typeOf(source).getShape());
    extents.erase(extents.begin() + dim);
    return extents;
  }

  void emitRows(function_ref<Value(ArrayRef<Value>)> reduce) {
    buildLoops(b, loc, remainingExtents(),
               [&](OpBuilder &inner, Location, ValueRange ivs) {
                 continueAt(b, inner, [&] {
                   SmallVector<Value> row(ivs);
                   write(row, reduce(row));
                 });
               });
  }

  /// Continues `value` over the elements from `first` to `last`.
  Value reduceScalars(Value value, ArrayRef<Value> row, int64_t first,
                      int64_t last) {
    if (first >= last)
      return value;
    auto loop = scf::ForOp::create(
        b, loc, constantIndex(b, loc, first), constantIndex(b, loc, last),
        constantIndex(b, loc, 1), value,
        [&](OpBuilder &inner, Location, Value i, ValueRange carried) {
          continueAt(b, inner, [&] {
            scf::YieldOp::create(b, loc, combine(carried[0], read(row, i)));
          });
        });
    return loop.getResult(0);
  }

  /// Several vectors of partial results hide the latency of the combination.
  Value reduceVectors(ArrayRef<Value> row) {
    int64_t full = extent / lanes;
    int64_t width = std::min<int64_t>(full, 4), step = width * lanes;
    int64_t unrolled = full / width * step;
    SmallVector<Value> partial;
    for (int64_t u = 0; u < width; ++u)
      partial.push_back(readVector(row, constantIndex(b, loc, u * lanes)));
    auto loop = scf::ForOp::create(
        b, loc, constantIndex(b, loc, step), constantIndex(b, loc, unrolled),
        constantIndex(b, loc, step), partial,
        [&](OpBuilder &inner, Location, Value i, ValueRange carried) {
          continueAt(b, inner, [&] {
            SmallVector<Value> next;
            for (int64_t u = 0; u < width; ++u) {
              Value offset = constantIndex(b, loc, u * lanes);
              Value position = arith::AddIOp::create(b, loc, i, offset);
              next.push_back(combine(carried[u], readVector(row, position)));
            }
            scf::YieldOp::create(b, loc, next);
          });
        });
    Value sum = loop.getResult(0);
    for (int64_t u = 1; u < width; ++u)
      sum = combine(sum, loop.getResult(u));
    for (int64_t i = unrolled; i < full * lanes; i += lanes)
      sum = combine(sum, readVector(row, constantIndex(b, loc, i)));
    return reduceScalars(reduceLanes(sum), row, full * lanes, extent);
  }

  Value reduceLanes(Value vector) {
    using K = vector::CombiningKind;
    // The order of the sum is undefined, which lets LLVM use a tree.
    if (!llvm::is_contained({K::MAXNUMF, K::MINNUMF, K::MAXIMUMF, K::MINIMUMF},
                            kind))
      return vector::ReductionOp::create(b, loc, kind, vector,
                                         arith::FastMathFlags::reassoc);
    // Where there may be NaN, LLVM goes from lane to lane.
    for (int64_t half = lanes / 2; half > 0; half /= 2) {
      auto part = [&](int64_t first) -> Value {
        return vector::ExtractStridedSliceOp::create(b, loc, vector, first,
                                                     half, 1);
      };
      Value low = part(0), high = part(half);
      vector = combine(low, high);
    }
    return vector::ExtractOp::create(b, loc, vector, 0);
  }

  /// The reduced dimension is not the contiguous one: it becomes the outer loop over a row of accumulators.
  void emitColumns() {
    SmallVector<int64_t> extents = remainingExtents();
    Value sums = createScratch(b, op, extents, element);
    auto forAll = [&](function_ref<void(ArrayRef<Value>)> body) {
      buildLoops(b, loc, extents,
                 [&](OpBuilder &inner, Location, ValueRange ivs) {
                   continueAt(b, inner, [&] { body(SmallVector<Value>(ivs)); });
                 });
    };
    forAll([&](ArrayRef<Value> column) {
      memref::StoreOp::create(b, loc, read(column, constantIndex(b, loc, 0)),
                              sums, column);
    });
    auto loop = scf::ForOp::create(b, loc, constantIndex(b, loc, 1),
                                   constantIndex(b, loc, extent),
                                   constantIndex(b, loc, 1));
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      forAll([&](ArrayRef<Value> column) {
        Value old = memref::LoadOp::create(b, loc, sums, column);
        Value next = combine(old, read(column, loop.getInductionVar()));
        memref::StoreOp::create(b, loc, next, sums, column);
      });
    }
    forAll([&](ArrayRef<Value> column) {
      write(column, memref::LoadOp::create(b, loc, sums, column));
    });
  }

  ReduceOp op;
  Location loc;
  Value source, target;
  Type element;
  int64_t lanes, dim, extent;
  vector::CombiningKind kind;
  OpBuilder &b;
};

struct LowerReduce : OpRewritePattern<ReduceOp> {
  LowerReduce(MLIRContext *context, const CPUTargetInfo &cpuInfo)
      : OpRewritePattern(context), cpuInfo(cpuInfo) {}
  LogicalResult matchAndRewrite(ReduceOp op,
                                PatternRewriter &rewriter) const override {
    ReduceEmitter(rewriter, op, cpuInfo).emit();
    rewriter.eraseOp(op);
    return success();
  }
  CPUTargetInfo cpuInfo;
};

struct LowerScan : OpRewritePattern<ScanOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ScanOp op,
                                PatternRewriter &rewriter) const override {
    MemRefType type = typeOf(op.getSource());
    SmallVector<int64_t> extents(type.getShape());
    extents.erase(extents.begin() + op.getDim());
    buildLoops(rewriter, op.getLoc(), extents,
               [&](OpBuilder &b, Location, ValueRange ivs) {
                 scanLine(b, op, ivs);
               });
    rewriter.eraseOp(op);
    return success();
  }

private:
  static void scanLine(OpBuilder &b, ScanOp op, ValueRange line) {
    Location loc = op.getLoc();
    MemRefType type = typeOf(op.getSource());
    Type element = getAccumulatorType(type.getElementType());
    CastRules rules{op.getIsUnsigned(), false};
    Value last = constantIndex(b, loc, type.getDimSize(op.getDim()) - 1);
    auto indexAt = [&](OpBuilder &b, Value i) {
      if (op.getReverse())
        i = arith::SubIOp::create(b, loc, last, i);
      SmallVector<Value> index(line);
      index.insert(index.begin() + op.getDim(), i);
      return index;
    };
    auto step = [&](OpBuilder &b, Value i, Value sum) {
      SmallVector<Value> index = indexAt(b, i);
      Value v = memref::LoadOp::create(b, loc, op.getSource(), index);
      v = castElement(b, loc, v, element, rules);
      if (sum)
        v = combine(b, op, sum, v);
      Value result = castElement(b, loc, v, type.getElementType());
      memref::StoreOp::create(b, loc, result, op.getTarget(), index);
      return v;
    };
    Value first = step(b, constantIndex(b, loc, 0), Value());
    scf::ForOp::create(
        b, loc, constantIndex(b, loc, 1),
        constantIndex(b, loc, type.getDimSize(op.getDim())),
        constantIndex(b, loc, 1), first,
        [&](OpBuilder &b, Location loc, Value i, ValueRange carried) {
          scf::YieldOp::create(b, loc, step(b, i, carried[0]));
        });
  }

  static Value combine(OpBuilder &b, ScanOp op, Value x, Value y) {
    Location loc = op.getLoc();
    bool isFloat = isa<FloatType>(x.getType());
    if (op.getKind() == ScanKind::Sum)
      return isFloat ? arith::AddFOp::create(b, loc, x, y).getResult()
                     : arith::AddIOp::create(b, loc, x, y).getResult();
    if (isFloat)
      return arith::MaxNumFOp::create(b, loc, x, y);
    return op.getIsUnsigned() ? arith::MaxUIOp::create(b, loc, x, y).getResult()
                              : arith::MaxSIOp::create(b, loc, x, y).getResult();
  }
};

/// any_of and all_of: a count of the elements that decide.
template <typename OpTy, bool isAny> struct LowerVote : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value source = op.getSource();
    Value start = arith::ConstantIntOp::create(rewriter, loc, !isAny, 1);
    SmallVector<Value> lower, upper, steps;
    for (int64_t extent : typeOf(source).getShape()) {
      lower.push_back(constantIndex(rewriter, loc, 0));
      upper.push_back(constantIndex(rewriter, loc, extent));
      steps.push_back(constantIndex(rewriter, loc, 1));
    }
    scf::LoopNest nest = scf::buildLoopNest(
        rewriter, loc, lower, upper, steps, start,
        [&](OpBuilder &b, Location loc, ValueRange ivs,
            ValueRange carried) -> scf::ValueVector {
          Value v = memref::LoadOp::create(b, loc, source, ivs);
          Value set = castElement(b, loc, v, b.getI1Type());
          if (isAny)
            return {arith::OrIOp::create(b, loc, carried[0], set)};
          return {arith::AndIOp::create(b, loc, carried[0], set)};
        });
    rewriter.replaceOp(op, nest.results);
    return success();
  }
};

} // namespace

void cpu::populateReducePatterns(RewritePatternSet &patterns,
                                 const LoweringOptions &options) {
  patterns.add<LowerReduce>(patterns.getContext(), options.cpuInfo);
  patterns.add<LowerScan, LowerVote<AnyOfOp, true>, LowerVote<AllOfOp, false>>(
      patterns.getContext());
}
