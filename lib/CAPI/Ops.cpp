//===- Ops.cpp - checked builders of ops, from C --------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile-c/Ops.h"

#include "Tile/Dialect/Tile/IR/Tile.h"

#include "mlir/CAPI/AffineMap.h"
#include "mlir/CAPI/IR.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace {
/// Makes one op. What cannot even be given to a builder is an error at once;
/// the verifier finds the rest.
class Maker {
public:
  Maker(MlirBlock block, MlirLocation loc)
      : loc(unwrap(loc)), builder(this->loc.getContext()) {
    builder.getContext()->loadDialect<mlir::tile::TileDialect>();
    Block *into = unwrap(block);
    if (!into)
      fail("expected a block, got null");
    else if (into->mightHaveTerminator() &&
             into->back().hasTrait<OpTrait::IsTerminator>())
      builder.setInsertionPoint(&into->back());
    else
      builder.setInsertionPointToEnd(into);
  }

  template <typename Op, typename... Args>
  MlirOperation make(Args &&...args) {
    if (failure)
      return {nullptr};
    return check(Op::create(builder, loc, std::forward<Args>(args)...));
  }

  /// The same for an op with a body, which gets `rank` index arguments.
  template <typename Op, typename... Args>
  MlirOperation makeLoop(intptr_t rank, Args &&...args) {
    if (failure)
      return {nullptr};
    Op op = Op::create(builder, loc, std::forward<Args>(args)...);
    Block &body = op.getBody().emplaceBlock();
    for (intptr_t i = 0; i < rank; ++i)
      body.addArgument(builder.getIndexType(), loc);
    return check(op);
  }

  Value value(MlirValue given, StringRef what, bool isIndex = false) {
    Value result = unwrap(given);
    if (!result)
      fail("expected '" + what + "', got null");
    else if (isIndex && !result.getType().isIndex())
      fail("expected '" + what + "' to be an index");
    return result;
  }

  Value buffer(MlirValue given, StringRef what) {
    Value result = value(given, what);
    if (result && !isa<MemRefType>(result.getType()))
      fail("expected '" + what + "' to be a memref");
    return result;
  }

  struct Sizes {
    SmallVector<Value> dynamic;
    SmallVector<int64_t> fixed;
  };

  Sizes sizes(intptr_t count, const MlirTileSize *given, StringRef what) {
    Sizes result;
    if (count < 0 || (count && !given))
      fail("expected '" + what + "', got none");
    for (intptr_t i = 0; i < count && !failure; ++i) {
      if (given[i].value.ptr)
        result.dynamic.push_back(value(given[i].value, what, true));
      result.fixed.push_back(given[i].value.ptr ? ShapedType::kDynamic
                                                : given[i].number);
      if (!given[i].value.ptr && ShapedType::isDynamic(given[i].number))
        fail("expected a number or a value in '" + what + "'");
    }
    return result;
  }

  struct Region {
    Value buffer;
    SmallVector<Value> operands;
    AffineMapAttr map;
    DenseI64ArrayAttr sizes;
  };

  Region region(const MlirTileRegion &given, StringRef what) {
    Region result;
    result.buffer = buffer(given.buffer, what);
    if (failure)
      return result;
    if (AffineMap map = unwrap(given.offsets)) {
      if (given.operandCount != intptr_t(map.getNumInputs()))
        fail("expected " + Twine(map.getNumInputs()) +
             " operands for the offsets of '" + what + "', got " +
             Twine(given.operandCount));
      result.map = AffineMapAttr::get(map);
      for (intptr_t i = 0; i < given.operandCount && !failure; ++i)
        result.operands.push_back(value(given.operands[i], what, true));
    }
    if (given.sizes)
      result.sizes = builder.getDenseI64ArrayAttr(ArrayRef(
          given.sizes, cast<MemRefType>(result.buffer.getType()).getRank()));
    return result;
  }

  mlir::tile::InstructionAttr instruction(MlirAttribute given) {
    Attribute attr = unwrap(given);
    auto result = dyn_cast_if_present<mlir::tile::InstructionAttr>(attr);
    if (attr && !result)
      fail("expected 'prefer' to be an instruction attribute");
    return result;
  }

  void fail(const Twine &message) {
    if (!failure)
      emitError(loc, message);
    failure = true;
  }

private:
  MlirOperation check(Operation *op) {
    if (succeeded(verify(op)))
      return wrap(op);
    op->erase();
    return {nullptr};
  }

  Location loc;
  OpBuilder builder;
  bool failure = false;
};
} // namespace

MlirTileSize mlirTileSizeGet(int64_t number) { return {{nullptr}, number}; }

MlirTileSize mlirTileSizeGetValue(MlirValue value) { return {value, 0}; }

MlirTileRegion mlirTileRegionGetWhole(MlirValue buffer) {
  return {buffer, {nullptr}, 0, nullptr, nullptr};
}

//===----------------------------------------------------------------------===//
// Ops with bodies
//===----------------------------------------------------------------------===//

MlirBlock mlirTileOpGetBody(MlirOperation op) {
  if (!isa<mlir::tile::KernelOp, mlir::tile::ParallelOp,
           mlir::tile::PipelinedOp, mlir::tile::PersistentOp>(unwrap(op)))
    return {nullptr};
  return wrap(&unwrap(op)->getRegion(0).front());
}

MlirOperation mlirTileKernelAppend(MlirBlock block, MlirLocation loc,
                                   intptr_t rank, const MlirTileSize *grid,
                                   int64_t threads) {
  Maker maker(block, loc);
  Maker::Sizes sizes = maker.sizes(rank, grid, "grid");
  return maker.makeLoop<mlir::tile::KernelOp>(rank, sizes.dynamic, sizes.fixed,
                                              threads ? threads : 128,
                                              DenseI64ArrayAttr());
}

MlirOperation mlirTileParallelAppend(MlirBlock block, MlirLocation loc,
                                     intptr_t rank,
                                     const MlirTileSize *extents) {
  Maker maker(block, loc);
  Maker::Sizes sizes = maker.sizes(rank, extents, "extents");
  return maker.makeLoop<mlir::tile::ParallelOp>(rank, sizes.dynamic,
                                                sizes.fixed, IntegerAttr());
}

MlirOperation mlirTilePipelinedAppend(MlirBlock block, MlirLocation loc,
                                      MlirTileSize lower, MlirTileSize upper,
                                      MlirTileSize step, int64_t stages) {
  Maker maker(block, loc);
  MlirTileSize bounds[] = {lower, upper, step};
  Maker::Sizes sizes = maker.sizes(3, bounds, "bounds");
  return maker.makeLoop<mlir::tile::PipelinedOp>(
      1, sizes.dynamic, sizes.fixed, stages ? stages : 1, DenseI64ArrayAttr(),
      DenseI64ArrayAttr());
}

MlirOperation mlirTilePersistentAppend(MlirBlock block, MlirLocation loc,
                                       intptr_t rank,
                                       const MlirTileSize *domain,
                                       int64_t group) {
  Maker maker(block, loc);
  Maker::Sizes sizes = maker.sizes(rank, domain, "domain");
  return maker.makeLoop<mlir::tile::PersistentOp>(
      rank, sizes.dynamic, sizes.fixed, group ? group : 8);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

MlirOperation mlirTileAllocAppend(MlirBlock block, MlirLocation loc,
                                  MlirType type) {
  Maker maker(block, loc);
  auto memref = dyn_cast_if_present<MemRefType>(unwrap(type));
  if (!memref)
    maker.fail("expected a memref type");
  return maker.make<mlir::tile::AllocOp>(memref);
}

MlirOperation mlirTileCopyAppend(MlirBlock block, MlirLocation loc,
                                 MlirTileRegion source, MlirTileRegion target,
                                 MlirAttribute prefer) {
  Maker maker(block, loc);
  Maker::Region from = maker.region(source, "source");
  Maker::Region to = maker.region(target, "target");
  mlir::tile::InstructionAttr wish = maker.instruction(prefer);
  return maker.make<mlir::tile::CopyOp>(
      from.buffer, from.operands, to.buffer, to.operands, from.map, from.sizes,
      to.map, to.sizes, /*is_unsigned=*/false, /*saturate=*/false, wish,
      /*coalesced_width=*/IntegerAttr());
}

MlirOperation mlirTileFillAppend(MlirBlock block, MlirLocation loc,
                                 MlirValue buffer, MlirValue value) {
  Maker maker(block, loc);
  Value to = maker.buffer(buffer, "buffer");
  Value what = maker.value(value, "value");
  return maker.make<mlir::tile::FillOp>(to, what);
}

//===----------------------------------------------------------------------===//
// Computation
//===----------------------------------------------------------------------===//

MlirOperation mlirTileGemmAppend(MlirBlock block, MlirLocation loc, MlirValue a,
                                 MlirValue b, MlirValue c,
                                 const MlirTileGemmOptions *options) {
  static const MlirTileGemmOptions defaults = {};
  const MlirTileGemmOptions &given = options ? *options : defaults;
  Maker maker(block, loc);
  Value left = maker.buffer(a, "a"), right = maker.buffer(b, "b");
  Value sum = maker.buffer(c, "c"), clearIf = unwrap(given.clearIf);
  mlir::tile::InstructionAttr wish = maker.instruction(given.prefer);
  auto policy = mlir::tile::symbolizeWarpPolicy(uint32_t(given.policy));
  auto precision = mlir::tile::symbolizePrecision(uint32_t(given.precision));
  if (!policy)
    maker.fail("expected 'policy' to be a warp policy, got " +
               Twine(unsigned(given.policy)));
  if (!precision)
    maker.fail("expected 'precision' to be a precision, got " +
               Twine(unsigned(given.precision)));
  if (!policy || !precision)
    return {nullptr};
  return maker.make<mlir::tile::GemmOp>(
      left, right, sum, clearIf, given.transposeA, given.transposeB,
      given.clear, given.unsignedA, given.unsignedB, *policy, *precision, wish);
}

MlirOperation mlirTileReduceAppend(MlirBlock block, MlirLocation loc,
                                   MlirTileReduceKind kind, MlirValue source,
                                   MlirValue target, int64_t dim,
                                   const MlirTileReduceOptions *options) {
  static const MlirTileReduceOptions defaults = {};
  const MlirTileReduceOptions &given = options ? *options : defaults;
  Maker maker(block, loc);
  Value from = maker.buffer(source, "source");
  Value to = maker.buffer(target, "target");
  auto known = mlir::tile::symbolizeReduceKind(uint32_t(kind));
  if (!known) {
    maker.fail("expected a kind of reduction, got " + Twine(unsigned(kind)));
    return {nullptr};
  }
  return maker.make<mlir::tile::ReduceOp>(*known, from, to, dim, given.combine,
                                          given.propagateNaN, given.isUnsigned);
}

MlirOperation mlirTileScanAppend(MlirBlock block, MlirLocation loc,
                                 MlirTileScanKind kind, MlirValue source,
                                 MlirValue target, int64_t dim, bool reverse,
                                 bool isUnsigned) {
  Maker maker(block, loc);
  Value from = maker.buffer(source, "source");
  Value to = maker.buffer(target, "target");
  auto known = mlir::tile::symbolizeScanKind(uint32_t(kind));
  if (!known) {
    maker.fail("expected a kind of scan, got " + Twine(unsigned(kind)));
    return {nullptr};
  }
  return maker.make<mlir::tile::ScanOp>(*known, from, to, dim, reverse,
                                        isUnsigned);
}

MlirOperation mlirTileAtomicAppend(MlirBlock block, MlirLocation loc,
                                   MlirTileAtomicKind kind, MlirValue value,
                                   MlirTileRegion target, bool isUnsigned,
                                   bool returnOld) {
  Maker maker(block, loc);
  Value what = maker.value(value, "value");
  Maker::Region to = maker.region(target, "target");
  auto known = mlir::tile::symbolizeAtomicKind(uint32_t(kind));
  if (!known)
    maker.fail("expected a kind of atomic update, got " +
               Twine(unsigned(kind)));
  if (!known || !to.buffer || !isa<MemRefType>(to.buffer.getType()))
    return {nullptr};
  Type old;
  if (returnOld)
    old = cast<MemRefType>(to.buffer.getType()).getElementType();
  return maker.make<mlir::tile::AtomicOp>(
      old, *known, what, to.buffer, to.operands, to.map, to.sizes, isUnsigned);
}
