//===- WidenBits.cpp - buffers of truth values as bytes -------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A truth value has a byte of its own in memory, which is 0 or 1. The chip
// moves and converts bytes. Votes on these and on other integers are
// reductions.
//
//===----------------------------------------------------------------------===//

#include "Tile/Conversion/TileToAscend/Passes.h"
#include "Tile/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/TypeUtilities.h"

namespace mlir::tile {
#define GEN_PASS_DEF_ASCENDWIDENBITSPASS
#include "Tile/Conversion/TileToAscend/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

static bool isOfBits(Type type) {
  auto buffer = dyn_cast<MemRefType>(type);
  return buffer && buffer.getElementType().isInteger(1);
}

static Type getBytes(Type type) {
  if (!isOfBits(type))
    return type;
  return cast<MemRefType>(type).clone(IntegerType::get(type.getContext(), 8));
}

/// The operands that are elements of the buffers of an op.
static SmallVector<OpOperand *> getElements(Operation *op) {
  SmallVector<OpOperand *> elements;
  for (OpOperand &operand : op->getOpOperands())
    if (operand.get().getType().isInteger(1))
      elements.push_back(&operand);
  return elements;
}

/// Updates and reductions take a bit for a number that is 0 or -1.
static LogicalResult verifyBits(Operation *op) {
  if (!isa<AtomicOp, ReduceOp, ScanOp>(op))
    return success();
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    ReduceKind kind = reduce.getKind();
    bool isBitwise = kind == ReduceKind::And || kind == ReduceKind::Or ||
                     kind == ReduceKind::Xor;
    bool isLimit = kind == ReduceKind::Max || kind == ReduceKind::Min;
    if (isBitwise || (isLimit && reduce.getIsUnsigned()))
      return success();
  }
  return op->emitError() << "on Ascend, '" << op->getName()
                         << "' of elements of type 'i1' is a reduction by bits "
                            "alone; use tiles of i8";
}

/// The copies of constants.
using Copies = DenseMap<Operation *, memref::GlobalOp>;

/// Reads a copy of a constant of truth values, as other functions may read the
/// constant as it is.
static void widenConstant(memref::GetGlobalOp op, Copies &copies) {
  auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
      op, op.getNameAttr());
  auto truths =
      dyn_cast_or_null<DenseIntElementsAttr>(global.getInitialValueAttr());
  if (!global.getConstant() || !truths)
    return;
  memref::GlobalOp &copy = copies[global];
  if (!copy) {
    copy = global.clone();
    copy.setType(cast<MemRefType>(getBytes(global.getType())));
    copy.setInitialValueAttr(
        truths.mapValues(IntegerType::get(op.getContext(), 8),
                         [](const APInt &truth) { return truth.zext(8); }));
    // A name that the program does not have.
    SymbolTable(global->getParentOp())
        .insert(copy, Block::iterator(global.getOperation()));
  }
  op.setNameAttr(FlatSymbolRefAttr::get(copy.getSymNameAttr()));
}

static LogicalResult widen(Operation *op, Copies &copies) {
  if (auto constant = dyn_cast<memref::GetGlobalOp>(op))
    if (isOfBits(constant.getType()))
      widenConstant(constant, copies);
  bool uses = llvm::any_of(op->getOperandTypes(), isOfBits);
  if (uses && failed(verifyBits(op)))
    return failure();
  for (Value result : op->getResults())
    result.setType(getBytes(result.getType()));
  if (!uses || isa<func::CallOp, func::ReturnOp>(op))
    return success();
  OpBuilder b(op);
  Location loc = op->getLoc();
  Type byte = b.getI8Type();
  for (OpOperand *element : getElements(op))
    if (!isa<CopyOp>(op))
      element->set(arith::ExtUIOp::create(b, loc, byte, element->get()));
  auto load = dyn_cast<memref::LoadOp>(op);
  if (!load)
    return success();
  load.getResult().setType(byte);
  b.setInsertionPointAfter(op);
  Value zero = arith::ConstantIntOp::create(b, loc, 0, 8);
  auto truth = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                                     load.getResult(), zero);
  load.getResult().replaceAllUsesExcept(truth, truth);
  return success();
}

/// No unit has numbers of 64 bits with a fraction.
static LogicalResult verifyFloats(Operation *op) {
  if (!op->getParentOfType<KernelOp>())
    return success();
  for (TypeRange types : {TypeRange(op->getOperandTypes()),
                          TypeRange(op->getResultTypes())})
    for (Type type : types)
      if (getElementTypeOrSelf(type).isF64())
        return op->emitError("on Ascend, no unit computes with 'f64'; use f32, "
                             "or keep high and low parts in two of f32");
  return success();
}

/// A vote is a reduction over one dimension after the other, rows first: they
/// are vectors, elements of a row are not. The last one leaves one element.
static void expandVote(Operation *op) {
  OpBuilder b(op);
  Location loc = op->getLoc();
  Value tile = op->getOperand(0);
  auto type = cast<MemRefType>(tile.getType());
  Type element = type.getElementType();
  // None is 0 if the smallest number without a sign is not; a bit is one.
  bool isAny = isa<AnyOfOp>(op);
  ReduceKind kind = isAny                  ? ReduceKind::Or
                    : element.isInteger(1) ? ReduceKind::And
                                           : ReduceKind::Min;
  SmallVector<int64_t> shape(type.getShape());
  while (llvm::any_of(shape, [](int64_t extent) { return extent != 1; })) {
    if (shape.size() > 1)
      shape.erase(shape.begin());
    else
      shape.front() = 1;
    auto folded =
        MemRefType::get(shape, element, AffineMap(), type.getMemorySpace());
    Value target = AllocOp::create(b, loc, folded, LayoutAttr(), IntegerAttr());
    ReduceOp::create(b, loc, kind, tile, target, /*dim=*/0, /*combine=*/false,
                     /*propagate_nan=*/false,
                     /*is_unsigned=*/kind == ReduceKind::Min);
    tile = target;
  }
  SmallVector<Value> first(shape.size(),
                           arith::ConstantIndexOp::create(b, loc, 0));
  Value result = memref::LoadOp::create(b, loc, tile, first);
  if (!element.isInteger(1)) {
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
    result =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, result, zero);
  }
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}

static bool hasKernels(func::FuncOp function) {
  return function.walk([](KernelOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

static void widenArguments(func::FuncOp function) {
  function.walk([](Operation *op) {
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        argument.setType(getBytes(argument.getType()));
  });
  function.setFunctionType(FunctionType::get(
      function.getContext(), function.getBody().getArgumentTypes(),
      function.getResultTypes()));
}

namespace {
struct AscendWidenBits
    : tile::impl::AscendWidenBitsPassBase<AscendWidenBits> {
  void runOnOperation() override {
    Copies copies;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!hasKernels(function))
        continue;
      function.walk([](Operation *op) {
        if (isa<AnyOfOp, AllOfOp>(op))
          expandVote(op);
      });
      // Users first, while the types of buffers still tell them.
      SmallVector<Operation *> ops;
      function.getBody().walk([&](Operation *op) { ops.push_back(op); });
      for (Operation *op : llvm::reverse(ops))
        if (failed(verifyFloats(op)) || failed(widen(op, copies)))
          return signalPassFailure();
      widenArguments(function);
    }
  }
};
} // namespace
