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
class OpCreator {
public:
  OpCreator(MlirBlock block, MlirLocation loc)
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

  /// Attributes that are not set have their defaults.
  template <typename Op>
  MlirOperation make(ValueRange operands,
                     const typename Op::Properties &properties,
                     TypeRange results = {}) {
    if (failure)
      return {nullptr};
    return check(Op::create(builder, loc, results, operands, properties));
  }

  /// The same for an op with a body, which gets `rank` index arguments.
  template <typename Op>
  MlirOperation makeLoop(intptr_t rank, ValueRange operands,
                         const typename Op::Properties &properties) {
    if (failure)
      return {nullptr};
    Op op = Op::create(builder, loc, TypeRange(), operands, properties);
    Block &body = op.getBody().emplaceBlock();
    for (intptr_t i = 0; i < rank; ++i)
      body.addArgument(builder.getIndexType(), loc);
    return check(op);
  }

  /// 0 stands for the default.
  IntegerAttr number(int64_t given) {
    return given ? builder.getI64IntegerAttr(given) : IntegerAttr();
  }

  IntegerAttr exactNumber(int64_t given) {
    return builder.getI64IntegerAttr(given);
  }

  UnitAttr flag(bool set) { return set ? builder.getUnitAttr() : UnitAttr(); }

  DenseI64ArrayAttr numbers(ArrayRef<int64_t> given) {
    return builder.getDenseI64ArrayAttr(given);
  }

  /// An attribute of an enumeration.
  template <typename Attr, typename Value>
  Attr keyword(std::optional<Value> known, unsigned given, StringRef what) {
    if (known)
      return Attr::get(builder.getContext(), *known);
    fail("expected a " + what + ", got " + Twine(given));
    return Attr();
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
  OpCreator creator(block, loc);
  OpCreator::Sizes sizes = creator.sizes(rank, grid, "grid");
  mlir::tile::KernelOp::Properties p;
  p.staticGrid = creator.numbers(sizes.fixed);
  p.threads = creator.number(threads);
  return creator.makeLoop<mlir::tile::KernelOp>(rank, sizes.dynamic, p);
}

MlirOperation mlirTileParallelAppend(MlirBlock block, MlirLocation loc,
                                     intptr_t rank,
                                     const MlirTileSize *extents) {
  OpCreator creator(block, loc);
  OpCreator::Sizes sizes = creator.sizes(rank, extents, "extents");
  mlir::tile::ParallelOp::Properties p;
  p.staticExtents = creator.numbers(sizes.fixed);
  return creator.makeLoop<mlir::tile::ParallelOp>(rank, sizes.dynamic, p);
}

MlirOperation mlirTilePipelinedAppend(MlirBlock block, MlirLocation loc,
                                      MlirTileSize lower, MlirTileSize upper,
                                      MlirTileSize step, int64_t stages) {
  OpCreator creator(block, loc);
  MlirTileSize bounds[] = {lower, upper, step};
  OpCreator::Sizes sizes = creator.sizes(3, bounds, "bounds");
  mlir::tile::PipelinedOp::Properties p;
  p.staticBounds = creator.numbers(sizes.fixed);
  p.stages = creator.number(stages);
  return creator.makeLoop<mlir::tile::PipelinedOp>(1, sizes.dynamic, p);
}

MlirOperation mlirTilePersistentAppend(MlirBlock block, MlirLocation loc,
                                       intptr_t rank,
                                       const MlirTileSize *domain,
                                       int64_t group) {
  OpCreator creator(block, loc);
  OpCreator::Sizes sizes = creator.sizes(rank, domain, "domain");
  mlir::tile::PersistentOp::Properties p;
  p.staticDomain = creator.numbers(sizes.fixed);
  p.group = creator.number(group);
  return creator.makeLoop<mlir::tile::PersistentOp>(rank, sizes.dynamic, p);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

MlirOperation mlirTileAllocAppend(MlirBlock block, MlirLocation loc,
                                  MlirType type) {
  OpCreator creator(block, loc);
  auto memref = dyn_cast_if_present<MemRefType>(unwrap(type));
  if (!memref)
    creator.fail("expected a memref type");
  return creator.make<mlir::tile::AllocOp>({}, {}, memref);
}

MlirOperation mlirTileCopyAppend(MlirBlock block, MlirLocation loc,
                                 MlirTileRegion source, MlirTileRegion target,
                                 MlirAttribute prefer) {
  OpCreator creator(block, loc);
  OpCreator::Region from = creator.region(source, "source");
  OpCreator::Region to = creator.region(target, "target");
  mlir::tile::CopyOp::Properties p;
  p.sourceMap = from.map;
  p.sourceSizes = from.sizes;
  p.targetMap = to.map;
  p.targetSizes = to.sizes;
  p.prefer = creator.instruction(prefer);
  p.operandSegmentSizes = {1, int32_t(from.operands.size()), 1,
                           int32_t(to.operands.size())};
  SmallVector<Value> operands{from.buffer};
  operands.append(from.operands);
  operands.push_back(to.buffer);
  operands.append(to.operands);
  return creator.make<mlir::tile::CopyOp>(operands, p);
}

MlirOperation mlirTileFillAppend(MlirBlock block, MlirLocation loc,
                                 MlirValue buffer, MlirValue value) {
  OpCreator creator(block, loc);
  Value to = creator.buffer(buffer, "buffer");
  Value what = creator.value(value, "value");
  return creator.make<mlir::tile::FillOp>({to, what}, {});
}

//===----------------------------------------------------------------------===//
// Computation
//===----------------------------------------------------------------------===//

MlirOperation mlirTileGemmAppend(MlirBlock block, MlirLocation loc, MlirValue a,
                                 MlirValue b, MlirValue c,
                                 const MlirTileGemmOptions *options) {
  static const MlirTileGemmOptions defaults = {};
  const MlirTileGemmOptions &given = options ? *options : defaults;
  OpCreator creator(block, loc);
  SmallVector<Value> operands{creator.buffer(a, "a"), creator.buffer(b, "b"),
                              creator.buffer(c, "c")};
  if (given.clearIf.ptr)
    operands.push_back(creator.value(given.clearIf, "clearIf"));
  mlir::tile::GemmOp::Properties p;
  p.transpose_a = creator.flag(given.transposeA);
  p.transpose_b = creator.flag(given.transposeB);
  p.clear = creator.flag(given.clear);
  p.a_unsigned = creator.flag(given.unsignedA);
  p.b_unsigned = creator.flag(given.unsignedB);
  p.policy = creator.keyword<mlir::tile::WarpPolicyAttr>(
      mlir::tile::symbolizeWarpPolicy(uint32_t(given.policy)),
      unsigned(given.policy), "warp policy");
  p.precision = creator.keyword<mlir::tile::PrecisionAttr>(
      mlir::tile::symbolizePrecision(uint32_t(given.precision)),
      unsigned(given.precision), "precision");
  p.prefer = creator.instruction(given.prefer);
  return creator.make<mlir::tile::GemmOp>(operands, p);
}

MlirOperation mlirTileReduceAppend(MlirBlock block, MlirLocation loc,
                                   MlirTileReduceKind kind, MlirValue source,
                                   MlirValue target, int64_t dim,
                                   const MlirTileReduceOptions *options) {
  static const MlirTileReduceOptions defaults = {};
  const MlirTileReduceOptions &given = options ? *options : defaults;
  OpCreator creator(block, loc);
  Value from = creator.buffer(source, "source");
  Value to = creator.buffer(target, "target");
  mlir::tile::ReduceOp::Properties p;
  p.kind = creator.keyword<mlir::tile::ReduceKindAttr>(
      mlir::tile::symbolizeReduceKind(uint32_t(kind)), unsigned(kind),
      "kind of reduction");
  p.dim = creator.exactNumber(dim);
  p.combine = creator.flag(given.combine);
  p.propagate_nan = creator.flag(given.propagateNaN);
  p.is_unsigned = creator.flag(given.isUnsigned);
  return creator.make<mlir::tile::ReduceOp>({from, to}, p);
}

MlirOperation mlirTileScanAppend(MlirBlock block, MlirLocation loc,
                                 MlirTileScanKind kind, MlirValue source,
                                 MlirValue target, int64_t dim, bool reverse,
                                 bool isUnsigned) {
  OpCreator creator(block, loc);
  Value from = creator.buffer(source, "source");
  Value to = creator.buffer(target, "target");
  mlir::tile::ScanOp::Properties p;
  p.kind = creator.keyword<mlir::tile::ScanKindAttr>(
      mlir::tile::symbolizeScanKind(uint32_t(kind)), unsigned(kind),
      "kind of scan");
  p.dim = creator.exactNumber(dim);
  p.reverse = creator.flag(reverse);
  p.is_unsigned = creator.flag(isUnsigned);
  return creator.make<mlir::tile::ScanOp>({from, to}, p);
}

MlirOperation mlirTileTopKAppend(MlirBlock block, MlirLocation loc,
                                 MlirValue source, MlirValue values,
                                 MlirValue indices, MlirValue base,
                                 bool combine) {
  OpCreator creator(block, loc);
  SmallVector<Value> operands{creator.buffer(source, "source"),
                              creator.buffer(values, "values"),
                              creator.buffer(indices, "indices")};
  if (base.ptr)
    operands.push_back(creator.value(base, "base"));
  mlir::tile::TopKOp::Properties p;
  p.combine = creator.flag(combine);
  return creator.make<mlir::tile::TopKOp>(operands, p);
}

MlirOperation mlirTileAtomicAppend(MlirBlock block, MlirLocation loc,
                                   MlirTileAtomicKind kind, MlirValue value,
                                   MlirTileRegion target, bool isUnsigned,
                                   bool returnOld) {
  OpCreator creator(block, loc);
  SmallVector<Value> operands{creator.value(value, "value")};
  OpCreator::Region to = creator.region(target, "target");
  operands.push_back(to.buffer);
  operands.append(to.operands);
  mlir::tile::AtomicOp::Properties p;
  p.kind = creator.keyword<mlir::tile::AtomicKindAttr>(
      mlir::tile::symbolizeAtomicKind(uint32_t(kind)), unsigned(kind),
      "kind of atomic update");
  p.targetMap = to.map;
  p.targetSizes = to.sizes;
  p.is_unsigned = creator.flag(isUnsigned);
  SmallVector<Type> results;
  if (auto type = returnOld && to.buffer
                      ? dyn_cast<MemRefType>(to.buffer.getType())
                      : MemRefType())
    results.push_back(type.getElementType());
  return creator.make<mlir::tile::AtomicOp>(operands, p, results);
}
