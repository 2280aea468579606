//===- PackSubByte.cpp - two elements of 4 bits to a byte -----------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "Tile/Conversion/TileToCPU/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/Interfaces/CallInterfaces.h"

namespace mlir::tile {
#define GEN_PASS_DEF_PACKSUBBYTEPASS
#include "Tile/Conversion/TileToCPU/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::cpu;

bool cpu::isHalfByte(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref && memref.getElementType().isIntOrFloat() &&
         memref.getElementTypeBitWidth() == 4;
}

/// Whether rows of an odd extent would end in the middle of a byte: such a buffer is packed as one row.
static bool isOneRow(MemRefType type) {
  return type.getRank() > 1 && type.hasStaticShape() &&
         type.getShape().back() % 2 != 0;
}

MemRefType cpu::getPackedType(MemRefType type) {
  SmallVector<int64_t> shape(type.getShape());
  if (isOneRow(type))
    shape = {type.getNumElements()};
  if (!shape.empty() && !ShapedType::isDynamic(shape.back()))
    shape.back() = (shape.back() + 1) / 2;
  return MemRefType::get(shape, IntegerType::get(type.getContext(), 8),
                         MemRefLayoutAttrInterface(), type.getMemorySpace());
}

namespace {

/// Rewrites the accesses; their buffers change type afterwards, all at once, which makes the casts below trivial.
class Packer {
public:
  explicit Packer(MLIRContext *context) : b(context) {}

  LogicalResult rewrite(Operation *op) {
    b.setInsertionPoint(op);
    for (Type type : llvm::concat<const Type>(
             llvm::to_vector(op->getOperandTypes()),
             llvm::to_vector(op->getResultTypes())))
      if (isHalfByte(type) &&
          !cast<MemRefType>(type).getLayout().isIdentity())
        return op->emitError("expected a buffer of 4-bit elements to have the "
                             "identity layout, got ")
               << type;
    if (auto load = dyn_cast<memref::LoadOp>(op))
      return rewriteLoad(load), success();
    if (auto store = dyn_cast<memref::StoreOp>(op))
      return rewriteStore(store), success();
    if (auto dim = dyn_cast<memref::DimOp>(op))
      return rewriteDim(dim);
    if (auto alloc = dyn_cast<memref::AllocOp>(op))
      if (alloc.getType().hasStaticShape())
        return success();
    if (isa<memref::DeallocOp, UnrealizedConversionCastOp, CallOpInterface,
            func::ReturnOp>(op))
      return success();
    return op->emitError() << "'" << op->getName()
                           << "' on a buffer of 4-bit elements cannot be "
                              "lowered to the CPU";
  }

private:
  /// The byte that holds an element, and how far up in it the element is.
  struct Place {
    Value bytes;
    SmallVector<Value> index;
    Value shift;
  };

  Value constant(Location loc, int64_t v) {
    return arith::ConstantIndexOp::create(b, loc, v);
  }

  Value toBits(Location loc, Value v) {
    return isa<FloatType>(v.getType())
               ? arith::BitcastOp::create(b, loc, b.getIntegerType(4), v)
                     .getResult()
               : v;
  }

  Value linearize(Location loc, MemRefType type, ValueRange indices) {
    Value linear = constant(loc, 0);
    for (auto [extent, index] : llvm::zip(type.getShape(), indices)) {
      linear = arith::MulIOp::create(b, loc, linear, constant(loc, extent));
      linear = arith::AddIOp::create(b, loc, linear, index);
    }
    return linear;
  }

  /// Whether other iterations of the parallel loop around `op` may hold the other half of a byte of the buffer.
  static bool isShared(Operation *op, Value buffer) {
    auto parallel = op->getParentOfType<scf::ParallelOp>();
    auto alloc = buffer.getDefiningOp<memref::AllocOp>();
    return parallel && !(alloc && parallel->isProperAncestor(alloc));
  }

  Place locate(Location loc, Value buffer, ValueRange indices) {
    Type packed = getPackedType(cast<MemRefType>(buffer.getType()));
    Place place;
    place.bytes =
        UnrealizedConversionCastOp::create(b, loc, packed, buffer).getResult(0);
    place.index = llvm::to_vector(indices);
    if (indices.empty()) {
      place.shift = arith::ConstantIntOp::create(b, loc, 0, 8);
      return place;
    }
    auto type = cast<MemRefType>(buffer.getType());
    if (isOneRow(type))
      place.index = {linearize(loc, type, indices)};
    Value last = place.index.back();
    Value odd = arith::AndIOp::create(b, loc, last, constant(loc, 1));
    place.index.back() = arith::ShRUIOp::create(b, loc, last, constant(loc, 1));
    Value shift = arith::ShLIOp::create(b, loc, odd, constant(loc, 2));
    place.shift = arith::IndexCastOp::create(b, loc, b.getI8Type(), shift);
    return place;
  }

  void rewriteLoad(memref::LoadOp op) {
    Location loc = op.getLoc();
    Place place = locate(loc, op.getMemref(), op.getIndices());
    Value byte = memref::LoadOp::create(b, loc, place.bytes, place.index);
    byte = arith::ShRUIOp::create(b, loc, byte, place.shift);
    Value bits = arith::TruncIOp::create(b, loc, b.getIntegerType(4), byte);
    if (isa<FloatType>(op.getType()))
      bits = arith::BitcastOp::create(b, loc, op.getType(), bits);
    op.replaceAllUsesWith(bits);
    op.erase();
  }

  void rewriteStore(memref::StoreOp op) {
    Location loc = op.getLoc();
    Place place = locate(loc, op.getMemref(), op.getIndices());
    Value bits = arith::ExtUIOp::create(b, loc, b.getI8Type(),
                                        toBits(loc, op.getValue()));
    bits = arith::ShLIOp::create(b, loc, bits, place.shift);
    Value low = arith::ConstantIntOp::create(b, loc, 15, 8);
    Value mask = arith::ShLIOp::create(b, loc, low, place.shift);
    Value all = arith::ConstantIntOp::create(b, loc, -1, 8);
    Value keep = arith::XOrIOp::create(b, loc, mask, all);
    if (isShared(op, op.getMemref())) {
      // Two steps, either of which leaves the other half alone; nobody else reads this half in between.
      memref::AtomicRMWOp::create(b, loc, arith::AtomicRMWKind::andi, keep,
                                  place.bytes, place.index);
      memref::AtomicRMWOp::create(b, loc, arith::AtomicRMWKind::ori, bits,
                                  place.bytes, place.index);
      return op.erase();
    }
    Value byte = memref::LoadOp::create(b, loc, place.bytes, place.index);
    byte = arith::AndIOp::create(b, loc, byte, keep);
    byte = arith::OrIOp::create(b, loc, byte, bits);
    memref::StoreOp::create(b, loc, byte, place.bytes, place.index);
    op.erase();
  }

  LogicalResult rewriteDim(memref::DimOp op) {
    auto type = cast<MemRefType>(op.getSource().getType());
    std::optional<int64_t> dim = op.getConstantIndex();
    if (!dim)
      return op.emitError("expected a constant dimension of a buffer of 4-bit "
                          "elements");
    if (*dim < 0 || *dim >= type.getRank())
      return success();
    if (!type.isDynamicDim(*dim)) {
      op.replaceAllUsesWith(constant(op.getLoc(), type.getDimSize(*dim)));
      op.erase();
      return success();
    }
    if (*dim != type.getRank() - 1)
      return success();
    b.setInsertionPointAfter(op);
    Value pairs = op;
    auto count = arith::MulIOp::create(b, op.getLoc(), pairs,
                                       constant(op.getLoc(), 2));
    pairs.replaceAllUsesExcept(count, count);
    return success();
  }

  OpBuilder b;
};

struct PackSubByte : tile::impl::PackSubBytePassBase<PackSubByte> {
  void runOnOperation() override {
    SmallVector<Operation *> users;
    getOperation().walk([&](Operation *op) {
      if (llvm::any_of(op->getOperandTypes(), isHalfByte) ||
          llvm::any_of(op->getResultTypes(), isHalfByte))
        users.push_back(op);
    });
    Packer packer(&getContext());
    for (Operation *op : users)
      if (failed(packer.rewrite(op)))
        return signalPassFailure();
    AttrTypeReplacer replacer;
    replacer.addReplacement([](MemRefType type) -> std::optional<Type> {
      if (!isHalfByte(type))
        return std::nullopt;
      return getPackedType(type);
    });
    replacer.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true,
                                          /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
  }
};

} // namespace
