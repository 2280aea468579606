//===- ExpandInstructions.cpp - ops that are one call each ----------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpandInstructions.h"

#include "Tile/Dialect/Ascend/IR/VectorCores.h"
#include "Tile/Dialect/Ascend/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::tile::ascend {
#define GEN_PASS_DEF_ASCENDEXPANDINSTRUCTIONSPASS
#include "Tile/Dialect/Ascend/Transforms/Passes.h.inc"
} // namespace mlir::tile::ascend

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;
namespace target = ::tile::target;
using tl::MemorySpace;

// Longer sequences of calls are loops.
static constexpr int64_t kMostUnrolled = 8;

static MemRefType getMemRef(Value buffer) {
  return cast<MemRefType>(buffer.getType());
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

namespace {
/// Where a part of a dimension begins, and its size.
struct Interval {
  OpFoldResult begin, size;
};
using Body = function_ref<void(OpBuilder &, Interval)>;
} // namespace

/// Calls `body` for `total` elements, `step` at a time: in a loop where there
/// are many steps.
static void forEachPart(OpBuilder &b, Location loc, int64_t total, int64_t step,
                        Body body) {
  int64_t begin = 0;
  if (total / step > kMostUnrolled) {
    begin = total / step * step;
    auto index = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(b, loc, value);
    };
    auto loop =
        scf::ForOp::create(b, loc, index(0), index(begin), index(step));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    body(b, {loop.getInductionVar(), b.getIndexAttr(step)});
  }
  for (; begin < total; begin += step)
    body(b, {b.getIndexAttr(begin),
             b.getIndexAttr(std::min(step, total - begin))});
}

/// Rows and columns of a matrix; a buffer of one dimension is one row.
static Value createPart(OpBuilder &b, Location loc, Value buffer, Interval rows,
                        Interval columns) {
  MemRefType type = getMemRef(buffer);
  SmallVector<OpFoldResult> offsets{columns.begin}, sizes{columns.size},
      strides(type.getRank(), b.getIndexAttr(1));
  if (type.getRank() == 2) {
    offsets.insert(offsets.begin(), rows.begin);
    sizes.insert(sizes.begin(), rows.size);
  }
  bool isWhole = llvm::all_of(llvm::seq<size_t>(0, offsets.size()), [&](size_t i) {
    return isZeroInteger(offsets[i]) &&
           getConstantIntValue(sizes[i]) == type.getDimSize(i);
  });
  if (isWhole)
    return buffer;
  return memref::SubViewOp::create(b, loc, buffer, offsets, sizes, strides);
}

static Value createElements(OpBuilder &b, Location loc, Value buffer,
                            int64_t begin, int64_t size) {
  return createPart(b, loc, buffer, {},
                    {b.getIndexAttr(begin), b.getIndexAttr(size)});
}

//===----------------------------------------------------------------------===//
// Vector instructions
//===----------------------------------------------------------------------===//

/// The op on some rows and columns of its target.
static void createElementwise(OpBuilder &b, ElementwiseOpInterface op,
                              Interval rows, Interval columns) {
  // A buffer may be two operands, which are repeated differently.
  SmallVector<Value> operands(op->getOperands());
  for (auto [number, operand] : llvm::enumerate(operands)) {
    if (!isa<MemRefType>(operand.getType()))
      continue;
    Interval down = rows, along = columns;
    Broadcast broadcast = op.getBroadcast(number);
    if (broadcast == Broadcast::Row)
      down = {b.getIndexAttr(0), b.getIndexAttr(1)};
    if (broadcast == Broadcast::Column)
      along = {b.getIndexAttr(0),
               b.getIndexAttr(getMemRef(operand).getDimSize(1))};
    operand = createPart(b, op->getLoc(), operand, down, along);
  }
  b.clone(*op)->setOperands(operands);
}

namespace {
/// As many rows as a call repeats, and as many columns as a repeat takes; row by
/// row where rows lie further apart than a call can say.
struct ExpandElementwise : OpInterfaceRewritePattern<ElementwiseOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(ElementwiseOpInterface op,
                                PatternRewriter &rewriter) const override {
    if (cast<ApiCallOpInterface>(op.getOperation()).isSingleCall())
      return failure();
    Location loc = op.getLoc();
    int64_t most = getSpec(op).maxRepeat, step = hasRepeats(op) ? most : 1;
    bool isCounted = op.takesCount();
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<MemRefType>(operand.get().getType()))
        continue;
      unsigned number = operand.getOperandNumber();
      isCounted &= op.getBroadcast(number) != Broadcast::Column;
      if (getRepeatStride(op, number) > most)
        step = 1;
    }
    Matrix shape = *getMatrix(getMemRef(op->getOperand(0)));
    // A row alone is a number of elements.
    int64_t lanes = step == 1 && isCounted ? shape.columns : getLanes(op);
    // And without a number, whole repeats.
    if (shape.rows == 1 && !op.takesCount())
      lanes *= std::clamp<int64_t>(shape.columns / lanes, 1, step);
    forEachPart(rewriter, loc, shape.rows, step, [&](OpBuilder &b, Interval rows) {
      forEachPart(b, loc, shape.columns, lanes,
                  [&](OpBuilder &inner, Interval columns) {
                    createElementwise(inner, op, rows, columns);
                  });
    });
    rewriter.eraseOp(op);
    return success();
  }
};

/// Ops of which `expand` makes single calls.
template <typename OpTy> struct ExpandPattern : OpRewritePattern<OpTy> {
  ExpandPattern(MLIRContext *context, void (*expand)(OpTy, OpBuilder &))
      : OpRewritePattern<OpTy>(context), expand(expand) {}
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (op.isSingleCall())
      return failure();
    expand(op, rewriter);
    rewriter.eraseOp(op);
    return success();
  }
  void (*expand)(OpTy, OpBuilder &);
};
} // namespace

static void expandReduce(tl::ascend::ReduceOp op, OpBuilder &b) {
  Location loc = op.getLoc();
  Matrix shape = *getMatrix(getMemRef(op.getSource()));
  int64_t step = getMaxReducedRows(op);
  for (int64_t row = 0; row < shape.rows; row += step) {
    int64_t count = std::min(step, shape.rows - row);
    Value from = createPart(b, loc, op.getSource(),
                            {b.getIndexAttr(row), b.getIndexAttr(count)},
                            {b.getIndexAttr(0), b.getIndexAttr(shape.columns)});
    tl::ascend::ReduceOp::create(b, loc, op.getKind(),
                     createElements(b, loc, op.getTarget(), row, count), from);
  }
}

static void expandBrcb(BrcbOp op, OpBuilder &b) {
  Location loc = op.getLoc();
  MemRefType target = getMemRef(op.getTarget());
  int64_t length = getMemRef(op.getSource()).getNumElements(),
          step = getMaxBlockRows(op);
  for (int64_t row = 0; row < target.getDimSize(0); row += step) {
    int64_t rows = std::min(step, target.getDimSize(0) - row);
    Value to =
        createPart(b, loc, op.getTarget(),
                   {b.getIndexAttr(row), b.getIndexAttr(rows)},
                   {b.getIndexAttr(0), b.getIndexAttr(target.getDimSize(1))});
    BrcbOp::create(b, loc, to,
                   createElements(b, loc, op.getSource(), row,
                                  std::min(rows, length - row)));
  }
}

static void expandSort(Sort32Op op, OpBuilder &b) {
  Location loc = op.getLoc();
  int64_t length = getMemRef(op.getKeys()).getNumElements(),
          step = getMaxSortedKeys(op);
  for (int64_t at = 0; at < length; at += step) {
    int64_t count = std::min(step, length - at);
    Sort32Op::create(b, loc,
                     createElements(b, loc, op.getTarget(), 2 * at, 2 * count),
                     createElements(b, loc, op.getKeys(), at, count),
                     createElements(b, loc, op.getIndices(), at, count));
  }
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

static Value createAnd(OpBuilder &b, Location loc, Value a, Value c) {
  return a ? arith::AndIOp::create(b, loc, a, c).getResult() : c;
}

/// Whether the extents that are known at run time alone are positive; null where
/// there is none.
static Value createHasElements(OpBuilder &b, Location loc, Value view) {
  Value condition;
  for (auto [dim, extent] : llvm::enumerate(getMemRef(view).getShape())) {
    if (!ShapedType::isDynamic(extent))
      continue;
    Value size = b.createOrFold<memref::DimOp>(loc, view, dim),
          zero = arith::ConstantIndexOp::create(b, loc, 0);
    condition = createAnd(b, loc, condition,
                          arith::CmpIOp::create(
                              b, loc, arith::CmpIPredicate::sgt, size, zero));
  }
  return condition;
}

/// Opens a branch for a condition, if there is one.
static void openBranch(OpBuilder &b, Location loc, Value condition) {
  if (condition)
    b.setInsertionPointToStart(
        scf::IfOp::create(b, loc, condition, /*withElseRegion=*/false)
            .thenBlock());
}

/// A copy between GM and a matrix in UB of more rows than one call takes, and of
/// as many rows of GM as there are.
static void forRowsOfCopy(OpBuilder &b, Location loc, Value local, Value global,
                          int64_t step,
                          function_ref<void(Value local, Value global)> copy) {
  MemRefType outer = getMemRef(global);
  Matrix matrix = *getMatrix(getMemRef(local));
  auto create = [&](Value inside, Value outside) {
    if (outer.hasStaticShape() && outer.getNumElements() == 0)
      return;
    OpBuilder::InsertionGuard guard(b);
    openBranch(b, loc, createHasElements(b, loc, outside));
    copy(inside, outside);
  };
  bool isRow = outer.getRank() == 1;
  if (matrix.rows <= step)
    return create(local, global);
  OpFoldResult columns = memref::getMixedSize(b, loc, global, isRow ? 0 : 1);
  OpFoldResult rows = isRow ? OpFoldResult(b.getIndexAttr(1))
                            : memref::getMixedSize(b, loc, global, 0);
  AffineExpr d = b.getAffineDimExpr(0);
  for (int64_t row = 0; row < matrix.rows; row += step) {
    int64_t most = std::min(step, matrix.rows - row);
    OpFoldResult count = affine::makeComposedFoldedAffineMin(
        b, loc,
        AffineMap::get(1, 0, {d - row, b.getAffineConstantExpr(most)},
                       b.getContext()),
        {rows});
    if (auto known = getConstantIntValue(count); known && *known <= 0)
      break;
    Value inside = createPart(b, loc, local,
                              {b.getIndexAttr(row), b.getIndexAttr(most)},
                              {b.getIndexAttr(0), b.getIndexAttr(matrix.columns)});
    create(inside, createPart(b, loc, global, {b.getIndexAttr(row), count},
                              {b.getIndexAttr(0), columns}));
  }
}

static void expandLoad(CopyGmToUbOp op, OpBuilder &b) {
  forRowsOfCopy(b, op.getLoc(), op.getTarget(), op.getSource(),
                getSpec(op).maxBlockCount, [&](Value local, Value global) {
                  CopyGmToUbOp::create(b, op.getLoc(), local, global,
                                       op.getPad(), /*checked=*/true,
                                       op.getLeft());
                });
}

static void expandStore(CopyUbToGmOp op, OpBuilder &b) {
  forRowsOfCopy(b, op.getLoc(), op.getSource(), op.getTarget(),
                getSpec(op).maxBlockCount, [&](Value local, Value global) {
                  CopyUbToGmOp::create(b, op.getLoc(), global, local,
                                       op.getAtomic(), /*checked=*/true,
                                       op.getKindAttr());
                });
}

/// Rows of GM to L1, `step` at a time.
static void createNd2Nz(CopyGmToL1Op op, OpBuilder &b, int64_t step) {
  Location loc = op.getLoc();
  int64_t width = getMemRef(op.getTarget()).getDimSize(1);
  if (getMemRef(op.getTarget()).getDimSize(0) <= step) {
    CopyGmToL1Op::create(b, loc, op.getTarget(), op.getSource(),
                         /*checked=*/true);
    return;
  }
  OpFoldResult columns = memref::getMixedSize(b, loc, op.getSource(), 1),
               rows = memref::getMixedSize(b, loc, op.getSource(), 0);
  auto index = [&](OpFoldResult value) {
    return getValueOrCreateConstantIndexOp(b, loc, value);
  };
  OpBuilder::InsertionGuard guard(b);
  auto loop = scf::ForOp::create(b, loc, index(b.getIndexAttr(0)), index(rows),
                                 index(b.getIndexAttr(step)));
  b.setInsertionPointToStart(loop.getBody());
  Value row = loop.getInductionVar();
  AffineExpr d0, d1;
  bindDims(b.getContext(), d0, d1);
  OpFoldResult count = b.getIndexAttr(1);
  if (step != 1)
    count = affine::makeComposedFoldedAffineMin(
        b, loc,
        AffineMap::get(2, 0, {d0 - d1, b.getAffineConstantExpr(step)},
                       b.getContext()),
        {rows, OpFoldResult(row)});
  Value to = createPart(b, loc, op.getTarget(), {row, b.getIndexAttr(step)},
                        {b.getIndexAttr(0), b.getIndexAttr(width)});
  Value from = createPart(b, loc, op.getSource(), {row, count},
                          {b.getIndexAttr(0), columns});
  CopyGmToL1Op::create(b, loc, to, from, /*checked=*/true);
}

/// The field for the pitch has 16 bits: rows further apart are copied one by
/// one.
static void expandNd2Nz(CopyGmToL1Op op, OpBuilder &b) {
  Location loc = op.getLoc();
  MemRefType source = getMemRef(op.getSource());
  if (source.hasStaticShape() && source.getNumElements() == 0)
    return;
  int64_t most = getSpec(op).nd2nzMaxColumns, rows = getMaxNd2NzRows(op);
  OpBuilder::InsertionGuard guard(b);
  openBranch(b, loc, createHasElements(b, loc, op.getSource()));
  auto [strides, offset] = source.getStridesAndOffset();
  if (!ShapedType::isDynamic(strides[0]))
    return createNd2Nz(op, b, strides[0] <= most ? rows : 1);
  Value pitch =
      memref::ExtractStridedMetadataOp::create(b, loc, op.getSource())
          .getStrides()[0];
  auto branch = scf::IfOp::create(
      b, loc,
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, pitch,
                            arith::ConstantIndexOp::create(b, loc, most)),
      /*withElseRegion=*/true);
  b.setInsertionPointToStart(branch.thenBlock());
  createNd2Nz(op, b, rows);
  b.setInsertionPointToStart(branch.elseBlock());
  createNd2Nz(op, b, 1);
}

/// Columns of blocks of 32 bytes, which follow one another in L1.
static void expandUbToL1(CopyUbToL1Op op, OpBuilder &b) {
  Location loc = op.getLoc();
  MemRefType from = getMemRef(op.getSource()), to = getMemRef(op.getTarget());
  int64_t step =
      getSpec(op).blockBytes * 8 / from.getElementTypeBitWidth();
  auto getColumns = [&](Value buffer, int64_t rows, int64_t column) {
    return createPart(b, loc, buffer, {b.getIndexAttr(0), b.getIndexAttr(rows)},
                      {b.getIndexAttr(column), b.getIndexAttr(step)});
  };
  for (int64_t column = 0; column < from.getDimSize(1); column += step)
    CopyUbToL1Op::create(b, loc,
                         getColumns(op.getTarget(), to.getDimSize(0), column),
                         getColumns(op.getSource(), from.getDimSize(0), column),
                         op.getHalves());
}

/// To UB, each vector core has a call of its own; in GM, a region may have no
/// elements.
static void expandFixpipe(FixpipeOp op, OpBuilder &b) {
  Location loc = op.getLoc();
  MemRefType target = getMemRef(op.getTarget()),
             source = getMemRef(op.getSource());
  if (tl::getMemorySpace(target) != MemorySpace::UB) {
    if (target.hasStaticShape() && target.getNumElements() == 0)
      return;
    OpBuilder::InsertionGuard guard(b);
    openBranch(b, loc, createHasElements(b, loc, op.getTarget()));
    FixpipeOp::create(b, loc, op.getTarget(), op.getSource(), op.getRelu(),
                      op.getAtomic(), /*halves=*/false, IntegerAttr(),
                      /*checked=*/true);
    return;
  }
  int64_t rows = op.getHalves() ? target.getDimSize(0) : source.getDimSize(0);
  for (int64_t core = 0; core < getNumVectorCores(op); ++core) {
    int64_t first = op.getHalves() ? core * rows : 0;
    Value part =
        createPart(b, loc, op.getSource(),
                   {b.getIndexAttr(first), b.getIndexAttr(rows)},
                   {b.getIndexAttr(0), b.getIndexAttr(source.getDimSize(1))});
    FixpipeOp::create(b, loc, op.getTarget(), part, op.getRelu(),
                      /*atomic=*/false, /*halves=*/false,
                      b.getI64IntegerAttr(core), /*checked=*/false);
  }
}

/// Fixpipe to L1 writes blocks, in an order that no call is made for yet.
static LogicalResult checkSupported(Operation *root) {
  auto result = root->walk([](FixpipeOp op) {
    if (tl::getMemorySpace(op.getTarget()) != MemorySpace::L1)
      return WalkResult::advance();
    op.emitError("a target in 'l1' is not supported yet; go through global "
                 "memory");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Around calls
//===----------------------------------------------------------------------===//

/// Stores that add, or keep the larger or smaller element, are between ops that
/// set the mode.
template <typename OpTy>
static void setAtomicMode(OpTy op, ReduceKindAttr kind) {
  if (!op.getAtomic())
    return;
  Type element = getMemRef(op.getTarget()).getElementType();
  OpBuilder b(op);
  SetAtomicOp::create(b, op.getLoc(), TypeAttr::get(element), kind);
  b.setInsertionPointAfter(op);
  SetAtomicOp::create(b, op.getLoc(), TypeAttr(), ReduceKindAttr());
}

/// What a core has been given is complete when the kernel ends.
static void closeKernel(tl::KernelOp kernel) {
  Block *ends[2] = {nullptr, nullptr};
  for (SectionOp section : kernel.getBody().getOps<SectionOp>())
    ends[unsigned(section.getCore())] = &section.getBody().front();
  if (!ends[0] && !ends[1])
    ends[0] = &kernel.getBody().front();
  for (Block *end : ends) {
    if (!end)
      continue;
    auto last = end->empty() ? PipeBarrierOp()
                             : dyn_cast<PipeBarrierOp>(end->back());
    if (last && last.getPipe() == Pipe::All)
      continue;
    OpBuilder b = OpBuilder::atBlockEnd(end);
    PipeBarrierOp::create(b, kernel.getLoc(), Pipe::All);
  }
}

namespace {
struct AscendExpandInstructions
    : mlir::tile::ascend::impl::AscendExpandInstructionsPassBase<
          AscendExpandInstructions> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    auto add = [&](auto expand) {
      patterns.add(std::make_unique<decltype(makePattern(expand))>(
          &getContext(), expand));
    };
    patterns.add<ExpandElementwise>(&getContext());
    add(expandReduce);
    add(expandBrcb);
    add(expandSort);
    add(expandLoad);
    add(expandStore);
    add(expandNd2Nz);
    add(expandUbToL1);
    add(expandFixpipe);
    add(expandLoadL0A);
    add(expandLoadL0B);
    if (failed(checkSupported(getOperation())))
      return signalPassFailure();
    getOperation()->walk([](tl::KernelOp kernel) {
      kernel.walk([](CopyUbToGmOp op) { setAtomicMode(op, op.getKindAttr()); });
      kernel.walk([](FixpipeOp op) { setAtomicMode(op, {}); });
      closeKernel(kernel);
    });
    GreedyRewriteConfig config;
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns),
                                     config)))
      signalPassFailure();
  }

private:
  template <typename OpTy>
  static ExpandPattern<OpTy> makePattern(void (*expand)(OpTy, OpBuilder &));
};
} // namespace
