//===- UnpackCodes.cpp - codes of 4 bits by bytes -------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Conversion/TileToAscend/Passes.h"
#include "Tile/Dialect/Tile/IR/Buffers.h"
#include "Tile/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::tile {
#define GEN_PASS_DEF_ASCENDUNPACKCODESPASS
#include "Tile/Conversion/TileToAscend/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

/// The view if the copy reads all of it and its rows are those of a tile of
/// bytes; null otherwise.
static ViewOp getCodes(CopyOp copy) {
  auto view = copy.getSource().getDefiningOp<ViewOp>();
  if (!view || getMemorySpace(copy.getTarget()) == MemorySpace::Global)
    return {};
  auto codes = cast<MemRefType>(view.getType());
  auto bytes = cast<MemRefType>(view.getViewSource().getType());
  auto target = cast<MemRefType>(copy.getTarget().getType());
  bool hasRows = codes.getRank() == bytes.getRank() && codes.getRank() > 0 &&
                 codes.getShape().drop_back() == bytes.getShape().drop_back();
  return codes.getElementType().isInteger(4) &&
                 bytes.getElementType().isInteger(8) && hasRows &&
                 target.getShape() == codes.getShape() &&
                 target.getElementTypeBitWidth() >= 8 &&
                 isWhole(copy.getSourceRegion()) &&
                 isWhole(copy.getTargetRegion())
             ? view
             : ViewOp();
}

static Value convert(OpBuilder &b, Location loc, Value code, Type type,
                     bool isUnsigned) {
  if (isa<FloatType>(type))
    return isUnsigned ? arith::UIToFPOp::create(b, loc, type, code).getResult()
                      : arith::SIToFPOp::create(b, loc, type, code);
  if (type == code.getType())
    return code;
  return isUnsigned ? arith::ExtUIOp::create(b, loc, type, code).getResult()
                    : arith::ExtSIOp::create(b, loc, type, code);
}

static void unpack(CopyOp copy, ViewOp view) {
  OpBuilder b(copy);
  Location loc = copy.getLoc();
  Value bytes = view.getViewSource();
  auto target = cast<MemRefType>(copy.getTarget().getType());
  ArrayRef<int64_t> shape = cast<MemRefType>(bytes.getType()).getShape();
  auto loop = ParallelOp::create(b, loc, ValueRange(), shape, IntegerAttr(),
                                 LayoutAttr());
  SmallVector<Type> types(shape.size(), b.getIndexType());
  SmallVector<Location> locations(shape.size(), loc);
  Block *body = b.createBlock(&loop.getBody(), {}, types, locations);
  SmallVector<Value> ivs(body->getArguments());
  Value byte = memref::LoadOp::create(b, loc, bytes, ivs);
  Value four = arith::ConstantOp::create(b, loc, b.getI8IntegerAttr(4));
  Value raised = arith::ShLIOp::create(b, loc, byte, four);
  for (bool isHigh : {false, true}) {
    Value bits = isHigh ? byte : raised;
    Value code = copy.getIsUnsigned()
                     ? arith::ShRUIOp::create(b, loc, bits, four).getResult()
                     : arith::ShRSIOp::create(b, loc, bits, four);
    SmallVector<Value> indices(ivs);
    indices.back() = affine::AffineApplyOp::create(
        b, loc, b.getAffineDimExpr(0) * 2 + int64_t(isHigh), ivs.back());
    memref::StoreOp::create(b, loc,
                            convert(b, loc, code, target.getElementType(),
                                    copy.getIsUnsigned()),
                            copy.getTarget(), indices);
  }
  copy.erase();
  if (view->use_empty())
    view.erase();
}

namespace {
struct AscendUnpackCodes
    : tile::impl::AscendUnpackCodesPassBase<AscendUnpackCodes> {
  void runOnOperation() override {
    SmallVector<CopyOp> copies;
    getOperation()->walk([&](CopyOp copy) { copies.push_back(copy); });
    for (CopyOp copy : copies)
      if (ViewOp view = getCodes(copy))
        unpack(copy, view);
  }
};
} // namespace
