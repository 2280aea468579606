//===- Scan.cpp - prefix sums and maxima ----------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// One row after the other is a vector instruction. Along a row neighbours are
// no operands, which begin at whole blocks: the scalar unit walks there. Both
// add in the order of the definition.
//
//===----------------------------------------------------------------------===//

#include "ElementConversion.h"
#include "WholeVectors.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <limits>

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;

/// Calls `body` with the places 1 to `extent - 1` along the scan, and the ones
/// before them.
static void walk(KernelLowering &l, tl::ScanOp op, int64_t extent,
                 function_ref<void(Value, Value)> body) {
  OpBuilder &b = l.b;
  Location loc = op.getLoc();
  Value one = l.constantIndex(loc, 1), last = l.constantIndex(loc, extent - 1);
  auto loop =
      scf::ForOp::create(b, loc, one, l.constantIndex(loc, extent), one);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value to = loop.getInductionVar();
  Value from = arith::SubIOp::create(b, loc, to, one);
  if (op.getReverse()) {
    to = arith::SubIOp::create(b, loc, last, to);
    from = arith::AddIOp::create(b, loc, to, one);
  }
  body(to, from);
}

static Value combine(OpBuilder &b, tl::ScanOp op, Value x, Value y) {
  Location loc = op.getLoc();
  bool isFloat = isa<FloatType>(x.getType());
  if (op.getKind() == tl::ScanKind::Sum)
    return isFloat ? arith::AddFOp::create(b, loc, x, y).getResult()
                   : arith::AddIOp::create(b, loc, x, y).getResult();
  return isFloat ? arith::MaxNumFOp::create(b, loc, x, y).getResult()
                 : arith::MaxSIOp::create(b, loc, x, y).getResult();
}

/// One row after the other.
static void scanRows(KernelLowering &l, tl::ScanOp op, int64_t extent,
                     BinaryKind kind, Value matrix) {
  Location loc = op.getLoc();
  walk(l, op, extent, [&](Value to, Value from) {
    Value row = l.buffers.createRow(loc, matrix, to);
    BinaryOp::create(l.b, loc, kind, row, row,
                     l.buffers.createRow(loc, matrix, from));
  });
}

/// The largest number so far: NaN before the first one, where it, -∞ for want of
/// others, is below the smallest one, ∞.
static Value scanNumbers(KernelLowering &l, tl::ScanOp op, int64_t extent,
                         Value matrix) {
  Location loc = op.getLoc();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Value largest = replaceNaN(l, loc, matrix, -infinity),
        smallest = replaceNaN(l, loc, matrix, infinity);
  scanRows(l, op, extent, BinaryKind::Max, largest);
  scanRows(l, op, extent, BinaryKind::Min, smallest);
  return keepWhere(l, loc, CompareMode::GE, largest, smallest, largest);
}

namespace {
struct ScanModel : LoweringModel<ScanModel, tl::ScanOp> {
  LogicalResult lowerToInstructions(Operation *op, KernelLowering &l) const;
};
} // namespace

LogicalResult ScanModel::lowerToInstructions(Operation *self,
                                             KernelLowering &l) const {
  auto op = cast<tl::ScanOp>(self);
  OpBuilder &b = l.b;
  Location loc = op.getLoc();
  auto type = cast<MemRefType>(op.getSource().getType());
  Type element = type.getElementType();
  bool isFloat =
      isa<FloatType>(element) && element.getIntOrFloatBitWidth() <= 32;
  if ((!isFloat && !element.isInteger(32)) || op.getIsUnsigned())
    return op.emitError()
           << "on Ascend, a scan is of floats of at most 32 bits "
              "or of signed i32, got "
           << (op.getIsUnsigned() ? "unsigned " : "") << element;
  Value source = l.buffers.getMatrixOf(op, op.getSource());
  Value target = source ? l.buffers.getMatrixOf(op, op.getTarget()) : Value();
  if (!target)
    return failure();
  // All of it is computed in one buffer of the accumulator type.
  Value accumulator = l.buffers.createLike(loc, source,
                                    isFloat ? Type(b.getF32Type()) : element);
  if (failed(createCopy(l, op, accumulator, source)))
    return failure();
  int64_t dim = op.getDim(), extent = type.getDimSize(dim);
  auto matrix = cast<MemRefType>(accumulator.getType());
  auto isOne = [](int64_t size) { return size == 1; };
  bool isLast = llvm::all_of(type.getShape().drop_front(dim + 1), isOne);
  bool isFirst = matrix.getRank() == 2 && matrix.getDimSize(0) == extent &&
                 llvm::all_of(type.getShape().take_front(dim), isOne);
  if (extent > 1 && !isLast && !isFirst)
    return op.emitError() << "dimension " << dim << " of "
                          << tl::formatShape(type.getShape())
                          << " is neither the first nor the last of a matrix; "
                             "transpose the tile";
  if (extent > 1 && isLast) {
    auto scanRow = [&](Value vector) {
      walk(l, op, extent, [&](Value to, Value from) {
        Value sum = memref::LoadOp::create(b, loc, vector, from);
        Value next = memref::LoadOp::create(b, loc, vector, to);
        memref::StoreOp::create(b, loc, combine(b, op, sum, next), vector, to);
      });
    };
    if (matrix.getRank() == 1) {
      scanRow(accumulator);
    } else {
      auto loop = scf::ForOp::create(b, loc, l.constantIndex(loc, 0),
                                     l.constantIndex(loc, matrix.getDimSize(0)),
                                     l.constantIndex(loc, 1));
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      scanRow(l.buffers.createRow(loc, accumulator, loop.getInductionVar()));
    }
  } else if (extent > 1 && isFloat && op.getKind() == tl::ScanKind::Max) {
    accumulator = scanNumbers(l, op, extent, accumulator);
  } else if (extent > 1) {
    BinaryKind kind =
        op.getKind() == tl::ScanKind::Sum ? BinaryKind::Add : BinaryKind::Max;
    scanRows(l, op, extent, kind, accumulator);
  }
  return createCopy(l, op, target, accumulator);
}

void mlir::tile::ascend::attachScanModels(MLIRContext *context) {
  tl::ScanOp::attachInterface<ScanModel>(*context);
}
