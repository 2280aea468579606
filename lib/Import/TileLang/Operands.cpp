//===- Operands.cpp - operands of ops on tiles ----------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operands.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::tilelang;

std::pair<AffineMapAttr, DenseI64ArrayAttr>
tilelang::getAttributes(Importer &importer, const BufferRegion &region) {
  if (!region.map)
    return {};
  return {AffineMapAttr::get(region.map),
          importer.builder.getDenseI64ArrayAttr(region.sizes)};
}

void tilelang::copy(Importer &importer, Node call, const BufferRegion &from,
                    const BufferRegion &to) {
  auto [sourceMap, sourceSizes] = getAttributes(importer, from);
  auto [targetMap, targetSizes] = getAttributes(importer, to);
  CopyOp::create(importer.builder, importer.getLoc(call), from.buffer,
                 from.operands, to.buffer, to.operands, sourceMap, sourceSizes,
                 targetMap, targetSizes, false, false, InstructionAttr(),
                 IntegerAttr(), TransferAttr(), Value());
}

Value tilelang::makeTile(Importer &importer, Node at, ArrayRef<int64_t> shape,
                         Type element, MemorySpace space) {
  auto type = MemRefType::get(shape, element, MemRefLayoutAttrInterface(),
                              MemorySpaceAttr::get(importer.context, space));
  return AllocOp::create(importer.builder, importer.getLoc(at), type,
                         LayoutAttr(), IntegerAttr());
}

std::optional<Operand> tilelang::getOperand(Importer &importer, Node call,
                                            Node arg, size_t rank, bool reads,
                                            MemorySpace space) {
  std::optional<Part> part = importer.getPart(arg);
  auto extents = part ? importer.getExtents(*part) : std::nullopt;
  if (!extents || importer.inParallel ||
      importer.getBuffer(part->buffer).perThread) {
    importer.refuse(call,
                    "T." + getCallee(call) +
                        " of something else than a tile of constant extents",
                    "name a tile of the block");
    return std::nullopt;
  }
  SmallVector<int64_t> shape = *extents;
  for (size_t i = 0; i < shape.size() && shape.size() > rank;)
    if (shape[i] == 1)
      shape.erase(shape.begin() + i);
    else
      ++i;
  Buffer buffer = importer.getBuffer(part->buffer);
  MemRefType type = buffer.getType();
  bool isTile = importer.isTile(part->buffer);
  if (isTile && importer.isWhole(*part)) {
    auto tile =
        MemRefType::get(shape, type.getElementType(),
                        MemRefLayoutAttrInterface(), type.getMemorySpace());
    if (tile == type)
      return Operand{buffer.value, std::nullopt};
    return Operand{ReshapeOp::create(importer.builder, importer.getLoc(call),
                                     tile, buffer.value),
                   std::nullopt};
  }
  BufferRegion region = importer.getRegion(*part, *extents);
  // A whole buffer of more dimensions is a region, too.
  if (!region.map && shape.size() != extents->size()) {
    SmallVector<AffineExpr> zeros(extents->size(),
                                  getAffineConstantExpr(0, importer.context));
    region.map = AffineMap::get(0, 0, zeros, importer.context);
    region.sizes.assign(extents->begin(), extents->end());
  }
  Value copied = makeTile(importer, call, shape, type.getElementType(),
                          isTile ? getMemorySpace(buffer.value) : space);
  importer.remarkDropped(
      call, "an operand of T." + getCallee(call) +
                (isTile ? " that is part of a buffer" : " in global memory") +
                " is copied");
  if (reads)
    copy(importer, call, region, getWholeRegion(copied));
  return Operand{copied, region};
}

void tilelang::writeBack(Importer &importer, Node call,
                         const Operand &operand) {
  if (operand.part)
    copy(importer, call, getWholeRegion(operand.tile), *operand.part);
}

WarpPolicy tilelang::getPolicy(Importer &importer, Node policy) {
  std::optional<int64_t> given = importer.getConstant(policy);
  return given == 1   ? WarpPolicy::FullRow
         : given == 2 ? WarpPolicy::FullCol
                      : WarpPolicy::Square;
}

void tilelang::widen(Importer &importer, Node call, Operand &a, Operand &b) {
  auto first = dyn_cast<FloatType>(a.getType().getElementType());
  auto second = dyn_cast<FloatType>(b.getType().getElementType());
  // Two types of 8 bits are multiplied as they are.
  if (!first || !second || first == second ||
      (first.getWidth() == 8 && second.getWidth() == 8))
    return;
  Type wide = Float32Type::get(importer.context);
  if (first.isF64() || second.isF64())
    wide = Float64Type::get(importer.context);
  else if (first.getWidth() <= 8 || second.getWidth() <= 8)
    wide = first.getWidth() > second.getWidth() ? first : second;
  importer.remarkDropped(call, "operands of T." + getCallee(call) +
                                   " of different types are converted to the "
                                   "wider one");
  for (Operand *operand : {&a, &b}) {
    if (operand->getType().getElementType() == wide)
      continue;
    Value converted = makeTile(importer, call, operand->getType().getShape(),
                               wide, getMemorySpace(operand->tile));
    copy(importer, call, getWholeRegion(operand->tile),
         getWholeRegion(converted));
    operand->tile = converted;
  }
}
