//===- Launch.cpp - launch parameters of a kernel -------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Conversion/TileToSIMT/Launch.h"

#include "Tile/Analysis/SymbolicExpr.h"
#include "Tile/Conversion/TileToSIMT/Lowering.h"
#include "Tile/Dialect/Tile/IR/Buffers.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::simt;

/// As the runtime aligns workspaces, and each buffer in them.
static constexpr int64_t kWorkspaceAlign = 256;

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

bool LaunchBuilder::add(Value &value, Type type,
                        ArrayRef<NamedAttribute> argAttrs) {
  if (value)
    return false;
  unsigned index = function.getNumArguments();
  if (failed(function.insertArgument(
          index, type, Builder(type.getContext()).getDictionaryAttr(argAttrs),
          host.getLoc())))
    llvm_unreachable("a kernel takes any parameter");
  value = function.getArgument(index);
  return true;
}

Value LaunchBuilder::getPointer(unsigned argument) {
  Builder b(function.getContext());
  Value &value = values[{LaunchParameterKind::Pointer, argument, 0}];
  if (add(value, LLVM::LLVMPointerType::get(b.getContext(), 1),
          {b.getNamedAttr(LLVM::LLVMDialect::getAlignAttrName(),
                          b.getI64IntegerAttr(getAlignment(argument)))}))
    metadata.addParameter(LaunchParameterKind::Pointer, argument);
  return value;
}

int64_t LaunchBuilder::getAlignment(unsigned argument) {
  return tile::getAlignment(kernel, host.getArgument(argument),
                            gpu.vectorBytes);
}

Value LaunchBuilder::getScalar(unsigned argument) {
  Builder b(function.getContext());
  Type type = host.getArgumentTypes()[argument];
  Value &value = values[{LaunchParameterKind::Scalar, argument, 0}];
  if (add(value, type.isIndex() ? b.getI64Type() : getStorageType(type)))
    metadata.addParameter(LaunchParameterKind::Scalar, argument);
  OpBuilder at(function.getBody());
  at.setInsertionPointToStart(&function.getBody().front());
  return fromStorage(at, host.getLoc(), value, type);
}

Value LaunchBuilder::getIndex(LaunchParameterKind kind, unsigned argument,
                              unsigned dim) {
  OpBuilder b(function.getBody());
  b.setInsertionPointToStart(&function.getBody().front());
  Value &value = values[{kind, argument, dim}];
  // Launches refuse sizes that are negative, or whose elements of up to eight
  // bytes have no addresses.
  SmallVector<NamedAttribute> attributes;
  if (kind == LaunchParameterKind::Size)
    attributes.push_back(b.getNamedAttr(
        LLVM::LLVMDialect::getRangeAttrName(),
        LLVM::ConstantRangeAttr::get(b.getContext(), llvm::APInt::getZero(64),
                                     llvm::APInt::getOneBitSet(64, 60))));
  if (add(value, b.getI64Type(), attributes))
    metadata.addParameter(kind, argument, dim);
  return arith::IndexCastOp::create(b, value.getLoc(), b.getIndexType(), value);
}

Value LaunchBuilder::getSize(unsigned argument, unsigned dim) {
  return getIndex(LaunchParameterKind::Size, argument, dim);
}

Value LaunchBuilder::getStride(unsigned argument, unsigned dim) {
  return getIndex(LaunchParameterKind::Stride, argument, dim);
}

Value LaunchBuilder::getTensorMap(const TensorMapSpec &spec) {
  Builder b(function.getContext());
  auto it = llvm::find(maps, spec);
  unsigned index = it - maps.begin();
  if (it == maps.end())
    maps.push_back(spec);
  auto bytes = LLVM::LLVMArrayType::get(b.getI8Type(), gpu.tma->mapBytes);
  Value &value = values[{LaunchParameterKind::TensorMap, index, 0}];
  if (add(value, LLVM::LLVMPointerType::get(b.getContext()),
          {b.getNamedAttr(LLVM::LLVMDialect::getByValAttrName(),
                          TypeAttr::get(bytes)),
           b.getNamedAttr(LLVM::LLVMDialect::getAlignAttrName(),
                          b.getI64IntegerAttr(gpu.tma->mapAlign))})) {
    auto alloc = spec.buffer.getDefiningOp<AllocOp>();
    metadata.addTensorMapParameter(index, alloc ? *expressOffset(alloc)
                                                : AffineExpr());
  }
  return value;
}

FailureOr<Value> LaunchBuilder::getWorkspace(AllocOp alloc) {
  FailureOr<AffineExpr> offset = expressOffset(alloc);
  // Its own extents, too, have to be known before code is made of them.
  if (failed(offset) || failed(expressOffset(/*end=*/{})))
    return failure();
  Builder b(function.getContext());
  Value &value = workspaces[alloc];
  if (add(value, LLVM::LLVMPointerType::get(b.getContext(), 1),
          {b.getNamedAttr(LLVM::LLVMDialect::getAlignAttrName(),
                          b.getI64IntegerAttr(kWorkspaceAlign))}))
    metadata.addWorkspaceParameter(*offset);
  return value;
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

/// 1 where a signed comparison holds, else 0; null for unsigned ones.
static AffineExpr compare(arith::CmpIPredicate predicate, AffineExpr lhs,
                          AffineExpr rhs, LaunchMetadataBuilder &metadata) {
  AffineExpr zero = getAffineConstantExpr(0, lhs.getContext());
  AffineExpr one = getAffineConstantExpr(1, lhs.getContext());
  auto isPositive = [&](AffineExpr number) {
    return metadata.combine(
        LaunchSymbolKind::Max, zero,
        metadata.combine(LaunchSymbolKind::Min, one, number));
  };
  switch (predicate) {
  case arith::CmpIPredicate::slt:
    return isPositive(rhs - lhs);
  case arith::CmpIPredicate::sle:
    return isPositive(rhs - lhs + 1);
  case arith::CmpIPredicate::sgt:
    return isPositive(lhs - rhs);
  case arith::CmpIPredicate::sge:
    return isPositive(lhs - rhs + 1);
  case arith::CmpIPredicate::eq:
    return one - isPositive(lhs - rhs) - isPositive(rhs - lhs);
  case arith::CmpIPredicate::ne:
    return isPositive(lhs - rhs) + isPositive(rhs - lhs);
  default:
    return {};
  }
}

/// The number that the bits of one mean without a sign. Those of 64 bits are
/// sizes, which have none.
static AffineExpr dropSign(AffineExpr number, Type type,
                           LaunchMetadataBuilder &metadata) {
  if (type.isIndex() || type.getIntOrFloatBitWidth() > 62 ||
      metadata.isNonNegative(number))
    return number;
  return number % (int64_t(1) << type.getIntOrFloatBitWidth());
}

/// A quotient or remainder that is rounded towards zero: `divide` rounds down.
static AffineExpr
roundToZero(AffineExpr lhs, LaunchMetadataBuilder &metadata,
            function_ref<AffineExpr(AffineExpr)> divide) {
  if (metadata.isNonNegative(lhs))
    return divide(lhs);
  AffineExpr zero = getAffineConstantExpr(0, lhs.getContext());
  auto getPositive = [&](AffineExpr number) {
    return metadata.combine(LaunchSymbolKind::Max, zero, number);
  };
  return divide(getPositive(lhs)) - divide(getPositive(-lhs));
}

/// The expression of a binary op of arith; null if it has none.
static AffineExpr combine(Operation *op, AffineExpr lhs, AffineExpr rhs,
                          LaunchMetadataBuilder &metadata) {
  if (isa<arith::CeilDivUIOp, arith::DivUIOp, arith::RemUIOp, arith::MinUIOp,
          arith::MaxUIOp>(op)) {
    lhs = dropSign(lhs, op->getOperand(0).getType(), metadata);
    rhs = dropSign(rhs, op->getOperand(1).getType(), metadata);
  }
  return llvm::TypeSwitch<Operation *, AffineExpr>(op)
      .Case<arith::AddIOp>([&](auto) { return lhs + rhs; })
      .Case<arith::SubIOp>([&](auto) { return lhs - rhs; })
      .Case<arith::MulIOp>([&](auto) { return lhs * rhs; })
      .Case<arith::CeilDivSIOp, arith::CeilDivUIOp>(
          [&](auto) { return lhs.ceilDiv(rhs); })
      .Case<arith::FloorDivSIOp, arith::DivUIOp>(
          [&](auto) { return lhs.floorDiv(rhs); })
      .Case<arith::RemUIOp>([&](auto) { return lhs % rhs; })
      .Case<arith::DivSIOp>([&](auto) {
        return roundToZero(lhs, metadata,
                           [&](auto number) { return number.floorDiv(rhs); });
      })
      .Case<arith::RemSIOp>([&](auto) {
        return roundToZero(lhs, metadata,
                           [&](auto number) { return number % rhs; });
      })
      .Case<arith::MinSIOp, arith::MinUIOp>([&](auto) {
        return metadata.combine(LaunchSymbolKind::Min, lhs, rhs);
      })
      .Case<arith::MaxSIOp, arith::MaxUIOp>([&](auto) {
        return metadata.combine(LaunchSymbolKind::Max, lhs, rhs);
      })
      .Case([&](arith::CmpIOp compared) {
        return compare(compared.getPredicate(), lhs, rhs, metadata);
      })
      .Default([](auto) { return AffineExpr(); });
}

FailureOr<AffineExpr> LaunchBuilder::expressSelect(Operation *user,
                                                   arith::SelectOp op) {
  FailureOr<AffineExpr> condition = express(user, op.getCondition());
  FailureOr<AffineExpr> yes = express(user, op.getTrueValue());
  FailureOr<AffineExpr> no = express(user, op.getFalseValue());
  if (failed(condition) || failed(yes) || failed(no))
    return failure();
  return *no + (*yes - *no) * *condition;
}

FailureOr<AffineExpr> LaunchBuilder::expressApply(Operation *user,
                                                  affine::AffineApplyOp op) {
  SmallVector<AffineExpr> operands;
  for (Value operand : op.getMapOperands()) {
    FailureOr<AffineExpr> expression = express(user, operand);
    if (failed(expression))
      return failure();
    operands.push_back(*expression);
  }
  AffineMap map = op.getAffineMap();
  ArrayRef<AffineExpr> all(operands);
  return map.getResult(0).replaceDimsAndSymbols(
      all.take_front(map.getNumDims()), all.drop_front(map.getNumDims()));
}

/// A size of an argument or of a workspace; null for any other buffer.
FailureOr<AffineExpr> LaunchBuilder::expressDim(memref::DimOp dim) {
  std::optional<int64_t> index = dim.getConstantIndex();
  Value buffer = dim.getSource();
  while (auto cast = buffer.getDefiningOp<memref::CastOp>())
    buffer = cast.getSource();
  auto type = dyn_cast<MemRefType>(buffer.getType());
  if (!index || !type || *index < 0 || *index >= type.getRank())
    return AffineExpr();
  if (!type.isDynamicDim(*index))
    return getAffineConstantExpr(type.getDimSize(*index), dim.getContext());
  if (auto argument = dyn_cast<BlockArgument>(buffer);
      argument && argument.getOwner() == &host.getBody().front())
    return metadata.getSize(argument.getArgNumber(), *index);
  if (auto alloc = buffer.getDefiningOp<AllocOp>())
    return express(dim,
                   alloc.getExtents()[type.getDynamicDimIndex(*index)]);
  return AffineExpr();
}

FailureOr<AffineExpr> LaunchBuilder::expressOffset(AllocOp end) {
  AffineExpr offset = getAffineConstantExpr(0, function.getContext());
  for (auto alloc : host.getOps<AllocOp>()) {
    if (alloc == end)
      break;
    auto type = cast<MemRefType>(alloc.getBuffer().getType());
    AffineExpr elements = getAffineConstantExpr(1, function.getContext());
    for (OpFoldResult extent : getMixedValues(
             type.getShape(), alloc.getExtents(), type.getContext())) {
      FailureOr<AffineExpr> factor = express(alloc, extent);
      if (failed(factor))
        return failure();
      elements = elements * *factor;
    }
    int64_t bits = getElementBits(type);
    offset = offset + (elements * bits).ceilDiv(8 * kWorkspaceAlign) *
                          kWorkspaceAlign;
  }
  return offset;
}

FailureOr<AffineExpr> LaunchBuilder::express(Operation *user,
                                             OpFoldResult folded) {
  if (std::optional<int64_t> constant = getConstantIntValue(folded))
    return getAffineConstantExpr(*constant, function.getContext());
  auto value = cast<Value>(folded);
  if (AffineExpr known = expressions.lookup(value))
    return known;
  FailureOr<AffineExpr> expression = expressValue(user, value);
  if (failed(expression))
    return failure();
  if (!isTractable(*expression)) {
    InFlightDiagnostic diag = user->emitError("expected ");
    diag << (isa<AllocOp>(user) ? "extents" : "a grid")
         << " of fewer terms; let the function take the number";
    diag.attachNote(value.getLoc()) << "this value has too many";
    return diag;
  }
  return expressions[value] = *expression;
}

FailureOr<AffineExpr> LaunchBuilder::expressValue(Operation *user,
                                                  Value value) {
  auto isOfHost = [&](Value of) {
    auto argument = dyn_cast<BlockArgument>(of);
    return argument && argument.getOwner() == &host.getBody().front();
  };
  if (isOfHost(value))
    return metadata.getScalar(cast<BlockArgument>(value).getArgNumber());
  Operation *op = value.getDefiningOp();
  if (auto dim = dyn_cast_or_null<memref::DimOp>(op)) {
    FailureOr<AffineExpr> size = expressDim(dim);
    if (failed(size) || *size)
      return size;
  }
  if (auto apply = dyn_cast_or_null<affine::AffineApplyOp>(op))
    return expressApply(user, apply);
  if (auto select = dyn_cast_or_null<arith::SelectOp>(op);
      select && select.getCondition().getType().isInteger(1) &&
      select.getType().isIntOrIndex())
    return expressSelect(user, select);
  // A signed bit is 0 or -1.
  bool isSignedBit = isa_and_nonnull<arith::IndexCastOp, arith::ExtSIOp>(op) &&
                     op->getOperand(0).getType().isInteger(1);
  if (isa_and_nonnull<arith::IndexCastOp, arith::ExtSIOp>(op) && !isSignedBit)
    return express(user, op->getOperand(0));
  if (isa_and_nonnull<arith::IndexCastUIOp, arith::ExtUIOp>(op)) {
    FailureOr<AffineExpr> number = express(user, op->getOperand(0));
    Type type = op->getOperand(0).getType();
    if (failed(number) || type.isInteger(1))
      return number;
    return dropSign(*number, type, metadata);
  }
  // The operands of an op that is not supported may be anything.
  if (isa_and_nonnull<arith::ArithDialect>(op ? op->getDialect() : nullptr) &&
      op->getNumOperands() == 2 && op->getResult(0).getType().isIntOrIndex() &&
      (isa<arith::CmpIOp>(op) || !op->getResult(0).getType().isInteger(1))) {
    FailureOr<AffineExpr> lhs = express(user, op->getOperand(0));
    FailureOr<AffineExpr> rhs = express(user, op->getOperand(1));
    if (failed(lhs) || failed(rhs))
      return failure();
    if (AffineExpr expression = combine(op, *lhs, *rhs, metadata))
      return expression;
  }
  InFlightDiagnostic diag = user->emitError("expected ");
  diag << (isa<AllocOp>(user) ? "extents that follow" : "a grid that follows")
       << " from the sizes and integers that the function takes, by + - * "
          "ceildiv floordiv mod min max, comparisons and selections";
  diag.attachNote(value.getLoc()) << "this value does not";
  return diag;
}

//===----------------------------------------------------------------------===//
// The attribute
//===----------------------------------------------------------------------===//

AffineExpr LaunchBuilder::describeExtent(const TensorMapSpec &spec,
                                         unsigned dim) {
  // Of a reshape, too.
  if (!spec.type.isDynamicDim(dim))
    return getAffineConstantExpr(spec.type.getDimSize(dim),
                                 function.getContext());
  auto alloc = spec.buffer.getDefiningOp<AllocOp>();
  if (!alloc)
    return metadata.getSize(cast<BlockArgument>(spec.buffer).getArgNumber(),
                            dim);
  return *express(alloc,
                  alloc.getExtents()[spec.type.getDynamicDimIndex(dim)]);
}

TensorMapAttr LaunchBuilder::describeTensorMap(const TensorMapSpec &spec) {
  MLIRContext *context = function.getContext();
  MemRefType memref = spec.type;
  auto argument = dyn_cast<BlockArgument>(spec.buffer);
  int64_t index = argument ? int64_t(argument.getArgNumber()) : -1;
  Type element = memref.getElementType();
  int64_t bytes = element.getIntOrFloatBitWidth() / 8, rank = memref.getRank();
  // Dimension 0 of a tensor map is the fastest.
  SmallVector<AffineExpr> sizes, strides;
  SmallVector<int64_t> box;
  AffineExpr dense = getAffineConstantExpr(bytes, context);
  for (int64_t dim = rank; dim-- > 0;) {
    sizes.push_back(describeExtent(spec, dim));
    box.push_back(spec.box[dim]);
    if (dim + 1 < rank)
      strides.push_back(memref.getLayout().isIdentity()
                            ? dense
                            : metadata.getStride(index, dim) * bytes);
    dense = dense * sizes.back();
  }
  return TensorMapAttr::get(context, index, element, sizes, strides,
                            box, spec.swizzleBytes, /*l2_promotion=*/256);
}

LogicalResult LaunchBuilder::finish(Operation *kernel, const Shape &shape,
                                    StringRef runtime, StringRef chip) {
  SmallVector<AffineExpr> grid;
  for (OpFoldResult extent : shape.grid) {
    FailureOr<AffineExpr> expression = express(kernel, extent);
    if (failed(expression))
      return failure();
    grid.push_back(*expression);
  }
  for (const TensorMapSpec &spec : maps)
    metadata.addTensorMap(describeTensorMap(spec));
  if (shape.persistent) {
    AffineExpr tiles = grid.front();
    for (AffineExpr extent : ArrayRef(grid).drop_front())
      tiles = tiles * extent;
    grid = {metadata.combine(LaunchSymbolKind::Min, tiles,
                             metadata.getMultiprocessors())};
  }
  LaunchMetadataBuilder::Shape launch{
      function.getName(), runtime,       chip,
      grid,               shape.threads, shape.cluster,
      shape.sharedBytes,  /*workspace=*/{},
      gpu.vectorBytes};
  if (!workspaces.empty()) {
    FailureOr<AffineExpr> bytes = expressOffset(/*end=*/{});
    if (failed(bytes))
      return failure();
    launch.workspace = *bytes;
  }
  SmallVector<FactAttr> conditions;
  // Kernels of versions take buffers that begin anywhere.
  if (ArrayAttr facts = this->kernel.getFactsAttr()) {
    llvm::append_range(conditions, facts.getAsRange<FactAttr>());
    launch.align = 0;
    launch.conditions = conditions;
    if (!conditions.empty())
      launch.general = shape.general;
  }
  LaunchAttr attr = metadata.build(launch);
  if (!attr)
    return failure();
  function->setAttr("tile.launch", attr);
  if (Attribute copies = this->kernel->getAttr("world.copies"))
    function->setAttr("world.copies", copies);
  function.setKnownBlockSizeAttr(Builder(function.getContext())
                                     .getDenseI32ArrayAttr(
                                         {int32_t(shape.threads), 1, 1}));
  return success();
}
