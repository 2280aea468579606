//===- ExpandSparse.cpp - sparse products as dense ones -------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SelectInstructions.h"

#include "Tile/Dialect/Tile/IR/Buffers.h"
#include "Tile/Dialect/Tile/IR/TileTarget.h"
#include "Tile/Transforms/IndexedPasses.h"
#include "Tile/Transforms/LayoutState.h"
#include "Tile/Transforms/Passes.h"
#include "Tile/Transforms/SparseGemms.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Remarks.h"

namespace mlir::tile {
#define GEN_PASS_DEF_EXPANDSPARSEPASS
#include "Tile/Transforms/IndexedPasses.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;
using ::tile::layout::fail;
using ::tile::layout::Result;
using ::tile::target::Target;

static constexpr llvm::StringLiteral kCategory = "tile-expand-sparse";

namespace {
/// Writes all elements of the sparse operand to a tile.
class Expander {
public:
  explicit Expander(SparseGemmOp gemm)
      : gemm(gemm), b(gemm), loc(gemm.getLoc()), group(gemm.getGroup()) {}
  void run();

private:
  Value createShared(ArrayRef<int64_t> shape, Type element);
  Value getShared(Value tile);
  Value load(Value tile, bool transposed, Value row, Value column);
  Value makeIndex(AffineExpr expression, Value column) {
    return affine::AffineApplyOp::create(b, loc, expression, column);
  }
  Value makeElement(Value row, Value column);

  SparseGemmOp gemm;
  OpBuilder b;
  Location loc;
  int64_t group;
  Value stored, metadata;
};
} // namespace

Value Expander::createShared(ArrayRef<int64_t> shape, Type element) {
  auto space = MemorySpaceAttr::get(b.getContext(), MemorySpace::Shared);
  return AllocOp::create(
      b, loc,
      MemRefType::get(shape, element, MemRefLayoutAttrInterface(), space),
      LayoutAttr(), IntegerAttr());
}

/// The tile where any thread can read any element.
Value Expander::getShared(Value tile) {
  if (getMemorySpace(tile) == MemorySpace::Shared)
    return tile;
  auto type = cast<MemRefType>(tile.getType());
  Value shared = createShared(type.getShape(), type.getElementType());
  createWholeCopy(b, loc, tile, shared);
  return shared;
}

Value Expander::load(Value tile, bool transposed, Value row, Value column) {
  SmallVector<Value> place = {row, column};
  if (transposed)
    std::swap(place[0], place[1]);
  return memref::LoadOp::create(b, loc, tile, place);
}

Value Expander::makeElement(Value row, Value column) {
  Type i32 = b.getI32Type();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, loc, i32, value);
  };
  AffineExpr k = b.getAffineDimExpr(0);
  unsigned bits = cast<MemRefType>(metadata.getType()).getElementTypeBitWidth();
  int64_t groupsPerWord = bits / 4;
  Value word = load(metadata, gemm.getTransposeMetadata(), row,
                    makeIndex(k.floorDiv(group * groupsPerWord), column));
  if (bits < 32)
    word = arith::ExtUIOp::create(b, loc, i32, word);
  Value shift = arith::IndexCastOp::create(
      b, loc, i32, makeIndex((k.floorDiv(group) % groupsPerWord) * 4, column));
  Value place =
      arith::IndexCastOp::create(b, loc, i32, makeIndex(k % group, column));
  Value element = arith::ConstantOp::create(
      b, loc,
      b.getZeroAttr(cast<MemRefType>(stored.getType()).getElementType()));
  int64_t count = group / 2;
  for (int64_t i = count; i-- > 0;) {
    Value by = arith::AddIOp::create(b, loc, shift, constant(2 * i));
    Value code = arith::ShRUIOp::create(b, loc, word, by);
    code = arith::AndIOp::create(b, loc, code, constant(3));
    // Of 32-bit elements the places are those of their halves.
    if (count == 1)
      code = arith::ShRUIOp::create(b, loc, code, constant(1));
    Value isHere =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, code, place);
    Value value = load(stored, gemm.getTransposeA(), row,
                       makeIndex(k.floorDiv(group) * count + i, column));
    element = arith::SelectOp::create(b, loc, isHere, value, element);
  }
  return element;
}

void Expander::run() {
  stored = getShared(gemm.getA());
  metadata = getShared(gemm.getMetadata());
  SmallVector<int64_t> shape = {gemm.getM(), gemm.getK()};
  Value dense =
      createShared(shape, cast<MemRefType>(stored.getType()).getElementType());
  auto loop = ParallelOp::create(b, loc, ValueRange(), shape, IntegerAttr(),
                                 LayoutAttr());
  {
    OpBuilder::InsertionGuard guard(b);
    Block *block = b.createBlock(
        &loop.getBody(), {}, {b.getIndexType(), b.getIndexType()}, {loc, loc});
    SmallVector<Value> place(block->getArguments());
    Value element = makeElement(place[0], place[1]);
    memref::StoreOp::create(b, loc, element, dense, place);
  }
  GemmOp::create(b, loc, dense, gemm.getB(), gemm.getC(), Value(),
                 /*transpose_a=*/false, gemm.getTransposeB(), gemm.getClear(),
                 gemm.getAUnsigned(), gemm.getBUnsigned(), /*async=*/false,
                 gemm.getPolicy(), gemm.getPrecision(), InstructionAttr(),
                 MmaAttr());
  gemm.erase();
}

namespace {
struct ExpandSparsePass
    : mlir::tile::impl::ExpandSparsePassBase<ExpandSparsePass> {
  using ExpandSparsePassBase::ExpandSparsePassBase;

  void runOnOperation() override {
    if (failed(verifyParametersBound(getOperation())))
      return signalPassFailure();
    SmallVector<SparseGemmOp> gemms;
    getOperation()->walk([&](KernelOp kernel) {
      kernel.walk([&](SparseGemmOp gemm) { gemms.push_back(gemm); });
    });
    for (SparseGemmOp gemm : gemms) {
      if (!gemm.getInstructionAttr())
        select(gemm);
      else if (failed(verify(gemm)))
        return signalPassFailure();
    }
  }

  /// Whether the target has the instruction that the program asks for.
  static LogicalResult verify(SparseGemmOp gemm) {
    const Target *target = lookupTarget(gemm);
    if (!target)
      return success();
    auto kernel = gemm->getParentOfType<KernelOp>();
    Result<::tile::layout::Layout> layout =
        target->getGPU() ? getSparseAccumulator(
                               gemm, *target, getThreads(kernel, *target).warps)
                         : fail(target->name.str(), " has no instructions of "
                                                    "warps");
    return layout ? success() : gemm.emitOpError() << layout.reason();
  }

  static void select(SparseGemmOp gemm) {
    const Target *target = lookupTarget(gemm);
    Result<MmaAttr> attr = target ? selectSparseGemm(gemm, *target)
                                  : Result<MmaAttr>(fail("no target"));
    auto opts =
        remark::RemarkOpts::name("SparseInstruction").category(kCategory);
    if (attr) {
      gemm.setInstructionAttr(*attr);
      remark::passed(gemm.getLoc(), opts) << remark::reason(
          "sparse {0} m{1}n{2}k{3}", stringifyInstruction(attr->getFamily()),
          attr->getM(), attr->getN(), attr->getK());
      return;
    }
    remark::missed(gemm.getLoc(), opts)
        << remark::reason("the sparse operand is expanded: {0}", attr.reason());
    Expander(gemm).run();
  }
};
} // namespace
