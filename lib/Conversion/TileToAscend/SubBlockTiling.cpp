//===- SubBlockTiling.cpp - rows, between two vector cores ----------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweringInterface.h"

#include "Tile/Conversion/TileToAscend/Passes.h"
#include "Tile/Dialect/Ascend/IR/VectorCores.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::tile {
#define GEN_PASS_DEF_ASCENDTILESUBBLOCKSPASS
#include "Tile/Conversion/TileToAscend/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;
using tl::MemorySpace;

static bool isIn(Value buffer, MemorySpace space) {
  return tl::getMemorySpace(buffer) == space;
}

std::optional<unsigned>
mlir::tile::ascend::findRowDim(ArrayRef<int64_t> shape) {
  auto at = llvm::find_if(shape, [](int64_t extent) { return extent != 1; });
  if (at == shape.end() || *at < 2)
    return std::nullopt;
  return at - shape.begin();
}

//===----------------------------------------------------------------------===//
// Which tiles
//===----------------------------------------------------------------------===//

void SubBlockTiling::reject(Value buffer, Operation *op, const char *reason) {
  if (!dims.erase(buffer))
    return;
  rejected[buffer] = {op, reason};
  changed = true;
}

void SubBlockTiling::rejectOperands(Operation *op, const char *reason) {
  for (Value operand : op->getOperands())
    if (isa<MemRefType>(operand.getType()))
      reject(operand, op, reason);
}

void SubBlockTiling::rejectAll(Operation *op, const char *reason) {
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (isa<MemRefType>(operand.getType()))
        reject(tl::getBaseBuffer(operand), op, reason);
  });
}

void SubBlockTiling::tie(Value a, Value c, Operation *op) {
  static constexpr char reason[] = "the tile that it is copied from or to, or "
                                   "reduced to, stays whole";
  if (!isTiled(a) || !isTiled(c) || getRows(a) != getRows(c)) {
    reject(a, op, reason);
    reject(c, op, reason);
  }
}

void SubBlockTiling::findRejected() {
  do {
    changed = false;
    kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
      auto model = dyn_cast<AscendLoweringOpInterface>(op);
      if (model)
        model.rejectTiles(*this);
      else if (op->getNumRegions() == 0)
        rejectOperands(op, "the op is not known to work row by row");
      return model && model.ownsBody() ? WalkResult::skip()
                                       : WalkResult::advance();
    });
    if (!changed)
      rejectConflicts();
  } while (changed);
}

//===----------------------------------------------------------------------===//
// Buffers in GM
//===----------------------------------------------------------------------===//

/// Asks the ops around, from the access on, how the cores share it; the first
/// core alone stores what none of them decides.
static void findShare(const SubBlockTiling &tiling, tl::KernelOp kernel,
                      SubBlockAccess &access) {
  for (Operation *at = access.op; at != kernel.getOperation();
       at = at->getParentOp()) {
    auto model = dyn_cast<AscendLoweringOpInterface>(at);
    if (!model || !model.shareAccess(tiling, access))
      continue;
    access.owner = at;
    return;
  }
  access.owner = access.op;
  access.share = access.writes ? SubBlockAccess::First : SubBlockAccess::Both;
}

/// What the vector cores do to GM. Copies from and to the cube's memories are
/// not theirs.
SmallVector<SubBlockAccess> SubBlockTiling::getGlobalAccesses() {
  SmallVector<SubBlockAccess> found;
  kernel.getBody().walk([&](Operation *op) {
    bool isOfCube = llvm::any_of(op->getOperands(), [](Value operand) {
      return isa<MemRefType>(operand.getType()) &&
             !isIn(operand, MemorySpace::Global) &&
             !isIn(operand, MemorySpace::UB);
    });
    SmallVector<tl::Access> accesses;
    if (isOfCube || op->getNumRegions() != 0 ||
        failed(tl::collectAccesses(op, accesses)))
      return;
    for (const tl::Access &access : accesses) {
      if (!isIn(access.region.buffer, MemorySpace::Global))
        continue;
      SubBlockAccess use{op, access.region,
                         access.kind != tl::AccessKind::Read};
      findShare(*this, kernel, use);
      found.push_back(use);
    }
  });
  return found;
}

/// Calls `body` for two accesses, or for one twice, that may conflict.
static void forEachConflict(
    ArrayRef<SubBlockAccess> accesses,
    function_ref<void(const SubBlockAccess &, const SubBlockAccess &)> body) {
  for (auto [i, access] : llvm::enumerate(accesses))
    for (const SubBlockAccess &other : accesses.take_front(i + 1))
      if (mayConflict(other, access))
        body(other, access);
}

/// Tiles stay whole where a core would touch rows of a buffer that are the
/// other one's.
void SubBlockTiling::rejectConflicts() {
  forEachConflict(getGlobalAccesses(), [&](const SubBlockAccess &a,
                                           const SubBlockAccess &c) {
    for (const SubBlockAccess *access : {&a, &c})
      if (access->share == SubBlockAccess::Halves)
        rejectAll(access->owner, "other rows of a global buffer are used, "
                                 "too, where it is stored");
  });
}

/// Nothing orders the vector cores: where both read what one of them writes,
/// the block has one alone.
bool SubBlockTiling::needsOneCore() {
  Operation *reader = nullptr;
  forEachConflict(getGlobalAccesses(),
                  [&](const SubBlockAccess &a, const SubBlockAccess &c) {
                    reader = reader ? reader : (a.writes ? c : a).op;
                  });
  if (!reader)
    return false;
  kernel->setAttr(kVectorCoresAttr, b.getI64IntegerAttr(1));
  remark::missed(reader->getLoc(), remark::RemarkOpts::name("OneVectorCore")
                                       .category("ascend-tile-sub-blocks"))
      << remark::reason("both vector cores would read what one of them writes, "
                        "and nothing orders the two");
  return true;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

Value SubBlockTiling::getFirstRow(int64_t rows) {
  Value &first = firstRows[rows];
  if (first)
    return first;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&kernel.getBody().front());
  Location loc = kernel.getLoc();
  if (!subBlock) {
    subBlock = SubBlockOp::create(b, loc, b.getIndexType());
    Value two = arith::ConstantIndexOp::create(b, loc, 2);
    Value known =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, subBlock, two);
    tl::AssumeOp::create(b, loc, known);
  }
  b.setInsertionPointAfter(subBlock.getDefiningOp());
  AffineExpr half = b.getAffineDimExpr(0) * int64_t(llvm::divideCeil(rows, 2));
  return first = affine::AffineApplyOp::create(
             b, loc, AffineMap::get(1, 0, half), subBlock);
}

void SubBlockTiling::remark(Value buffer) {
  auto [op, reason] = rejected[buffer];
  remark::missed(
      op->getLoc(),
      remark::RemarkOpts::name("WholeRows").category("ascend-tile-sub-blocks"))
      << remark::metric(
             "tile",
             tl::formatShape(cast<MemRefType>(buffer.getType()).getShape()))
      << remark::reason("both vector cores compute it: {0}", reason);
}

void SubBlockTiling::run() {
  bool hasCube = false, hasVector = false;
  kernel.walk([&](tl::AllocOp alloc) {
    Value buffer = alloc.getBuffer();
    hasCube |= isIn(buffer, MemorySpace::L1) || isIn(buffer, MemorySpace::L0C);
    hasVector |= isIn(buffer, MemorySpace::UB);
    auto type = cast<MemRefType>(buffer.getType());
    std::optional<unsigned> dim = findRowDim(type.getShape());
    if (isIn(buffer, MemorySpace::UB) && dim)
      dims[buffer] = *dim;
  });
  bool isWritten = !kernel.getBody().getOps<SectionOp>().empty();
  if (!hasCube || !hasVector || isWritten)
    return;
  findRejected();
  for (auto &entry : rejected)
    remark(entry.first);
  if (needsOneCore() || dims.empty())
    return;
  // Regions are read off the old types.
  SmallVector<AscendLoweringOpInterface> ops;
  kernel.getBody().walk(
      [&](AscendLoweringOpInterface op) { ops.push_back(op); });
  for (AscendLoweringOpInterface op : ops)
    op.tileRows(*this);
  for (auto [buffer, dim] : dims) {
    auto type = cast<MemRefType>(buffer.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[dim] = llvm::divideCeil(shape[dim], 2);
    buffer.setType(MemRefType::get(shape, type.getElementType(),
                                   type.getLayout(), type.getMemorySpace()));
  }
  // From here on both vector cores have to run the kernel.
  kernel->setDiscardableAttr(AscendDialect::kSubBlockTiledAttr,
                             b.getUnitAttr());
  remark::passed(kernel.getLoc(), remark::RemarkOpts::name("SubBlockTiling")
                                      .category("ascend-tile-sub-blocks"))
      << remark::metric("tiles", unsigned(dims.size()))
      << remark::metric("whole", unsigned(rejected.size()));
}

namespace {
struct AscendTileSubBlocks
    : tl::impl::AscendTileSubBlocksPassBase<AscendTileSubBlocks> {
  LogicalResult initialize(MLIRContext *context) override {
    attachModels(context);
    return success();
  }

  void runOnOperation() override {
    if (failed(tl::verifyParametersBound(getOperation())))
      return signalPassFailure();
    getOperation()->walk([](tl::KernelOp kernel) {
      SubBlockTiling(kernel).run();
      return WalkResult::skip();
    });
  }
};
} // namespace
