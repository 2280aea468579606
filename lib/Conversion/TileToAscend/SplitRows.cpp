//===- SplitRows.cpp - the rows of tiles, between two vector cores --------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// All tiles of UB are candidates at first; each op then rejects what it cannot
// do by halves, until nothing changes. The rest is rewritten.
//
//===----------------------------------------------------------------------===//

#include "GlobalRows.h"

#include "Tile/Conversion/TileToAscend/Passes.h"

#include "Tile/Analysis/Accesses.h"
#include "Tile/Dialect/Ascend/IR/Ascend.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::tile {
#define GEN_PASS_DEF_ASCENDSPLITROWSPASS
#include "Tile/Conversion/TileToAscend/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;
using tl::MemorySpace;

namespace {
/// The iteration variable of a loop that goes over rows.
using RowVariable = std::optional<unsigned>;

class RowSplitter {
public:
  explicit RowSplitter(tl::KernelOp kernel)
      : kernel(kernel), b(kernel.getContext()) {}
  LogicalResult run();

private:
  bool isCandidate(Value buffer) const { return dims.contains(buffer); }
  int64_t getRows(Value buffer) const {
    return cast<MemRefType>(buffer.getType()).getDimSize(dims.lookup(buffer));
  }
  void reject(Value buffer, Operation *op, const char *reason);
  void rejectAll(Operation *op, const char *reason);
  void tie(Value a, Value c, Operation *op);

  void check(Operation *op);
  void checkCopy(tl::CopyOp op);
  void checkReduce(tl::ReduceOp op);
  void checkParallel(tl::ParallelOp op);
  RowVariable getRowVariable(tl::ParallelOp op) const;
  void checkRows();
  GlobalUse::Share describeShare(GlobalUse &use) const;
  SmallVector<GlobalUse> getGlobalUses();
  void rejectCollisions();
  LogicalResult verifyGlobals();

  Value getFirst(int64_t rows);
  void rewriteCopy(tl::CopyOp op, ArrayRef<int64_t> sizes, unsigned dim,
                   bool isSource, int64_t rows);
  void rewriteCopies(tl::CopyOp op);
  void rewriteParallel(tl::ParallelOp op);
  Value cutOff(tl::CopyOp op, const tl::BufferRegion &region, unsigned dim,
               int64_t rows);
  void remark(Value buffer);

  tl::KernelOp kernel;
  OpBuilder b;
  llvm::MapVector<Value, unsigned> dims; // of candidates: that of the rows
  llvm::MapVector<Value, std::pair<Operation *, const char *>> rejected;
  DenseMap<int64_t, Value> firsts;
  Value subBlock;
  bool changed = false;
};
} // namespace

static bool isIn(Value buffer, MemorySpace space) {
  return tl::getMemorySpace(buffer) == space;
}

static std::optional<unsigned> getRowDim(ArrayRef<int64_t> shape) {
  auto at = llvm::find_if(shape, [](int64_t extent) { return extent != 1; });
  if (at == shape.end() || *at < 2)
    return std::nullopt;
  return at - shape.begin();
}

void RowSplitter::reject(Value buffer, Operation *op, const char *reason) {
  if (!dims.erase(buffer))
    return;
  rejected[buffer] = {op, reason};
  changed = true;
}

void RowSplitter::rejectAll(Operation *op, const char *reason) {
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (isa<MemRefType>(operand.getType()))
        reject(tl::getBaseBuffer(operand), op, reason);
  });
}

/// Both by halves or none.
void RowSplitter::tie(Value a, Value c, Operation *op) {
  static constexpr char reason[] = "the tile that it is copied from or to, or "
                                   "reduced to, stays whole";
  if (!isCandidate(a) || !isCandidate(c) || getRows(a) != getRows(c)) {
    reject(a, op, reason);
    reject(c, op, reason);
  }
}

//===----------------------------------------------------------------------===//
// What ops do by halves
//===----------------------------------------------------------------------===//

static bool isWhole(const tl::BufferRegion &region) {
  return !region.map && region.sizes == region.getType().getShape();
}

/// The sizes of a region whose dynamic extents are those of the other side.
static SmallVector<int64_t> getSizes(const tl::BufferRegion &region,
                                     const tl::BufferRegion &other) {
  SmallVector<int64_t> sizes = region.sizes;
  int64_t shift = int64_t(sizes.size()) - int64_t(other.sizes.size());
  for (auto [i, size] : llvm::enumerate(sizes))
    if (ShapedType::isDynamic(size))
      size = int64_t(i) < shift ? 1 : other.sizes[i - shift];
  return sizes;
}

void RowSplitter::checkCopy(tl::CopyOp op) {
  tl::BufferRegion source = op.getSourceRegion(), target = op.getTargetRegion();
  for (auto [tile, other] :
       {std::pair(source, target), std::pair(target, source)}) {
    if (!isCandidate(tile.buffer))
      continue;
    if (!isWhole(tile)) {
      reject(tile.buffer, op, "a part of it is copied");
      continue;
    }
    MemorySpace space = tl::getMemorySpace(other.buffer);
    if (space == MemorySpace::UB) {
      tie(tile.buffer, other.buffer, op);
      continue;
    }
    int64_t rows = getRows(tile.buffer);
    if (space == MemorySpace::Global) {
      auto dim = getRowDim(getSizes(other, tile));
      if (!dim || getSizes(other, tile)[*dim] != rows)
        reject(tile.buffer, op, "its rows are not those of the other side");
    } else if (!isWhole(other) || other.sizes.size() != 2 ||
               other.sizes[0] != rows || rows % 2 != 0) {
      reject(tile.buffer, op,
             "the cube's tile is no matrix of an even number of rows");
    }
  }
}

void RowSplitter::checkReduce(tl::ReduceOp op) {
  Value source = op.getSource(), target = op.getTarget();
  auto to = cast<MemRefType>(target.getType());
  auto from = cast<MemRefType>(source.getType());
  if (!isCandidate(source) || !isCandidate(target))
    return tie(source, target, op);
  unsigned dim = dims[source], reduced = op.getDim();
  unsigned kept = to.getRank() == from.getRank() || reduced > dim ? dim
                                                                  : dim - 1;
  if (reduced == dim || dims[target] != kept)
    return rejectAll(op, "a reduction combines its rows");
  tie(source, target, op);
}

/// The index that goes over the rows of a candidate.
static Value getRowIndex(Operation *access, unsigned dim) {
  if (auto load = dyn_cast<memref::LoadOp>(access))
    return load.getIndices()[dim];
  return cast<memref::StoreOp>(access).getIndices()[dim];
}

static Value getAccessed(Operation *op) {
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return load.getMemRef();
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return store.getMemRef();
  return {};
}

RowVariable RowSplitter::getRowVariable(tl::ParallelOp op) const {
  RowVariable variable;
  op.getBody().walk([&](Operation *access) {
    Value buffer = getAccessed(access);
    if (variable || !buffer || !isCandidate(buffer))
      return;
    auto arg = dyn_cast<BlockArgument>(
        getRowIndex(access, dims.lookup(buffer)));
    if (arg && arg.getOwner() == &op.getBody().front())
      variable = arg.getArgNumber();
  });
  return variable;
}

void RowSplitter::checkParallel(tl::ParallelOp op) {
  RowVariable variable = getRowVariable(op);
  auto result = op.getBody().walk([&](Operation *access) {
    Value buffer = getAccessed(access);
    if (!buffer) {
      if (isPure(access) || access->hasTrait<OpTrait::IsTerminator>())
        return WalkResult::advance();
      rejectAll(op, "not all ops of the loop are known to keep rows apart");
      return WalkResult::interrupt();
    }
    if (isCandidate(buffer)) {
      unsigned dim = dims[buffer];
      Value index = getRowIndex(access, dim);
      if (!variable || index != op.getBody().getArgument(*variable) ||
          op.getStaticExtents()[*variable] != getRows(buffer))
        reject(buffer, access, "the index of its rows is not the variable of "
                               "the loop that goes over them");
      return WalkResult::advance();
    }
    // Rows that the second core has beyond the last one must not be seen.
    bool isOdd = variable && op.getStaticExtents()[*variable] % 2 != 0;
    bool isStore = isa<memref::StoreOp>(access);
    if (isIn(buffer, MemorySpace::Global) ? isStore && isOdd
                                          : isStore || isOdd)
      rejectAll(op, "the loop also works on what cannot be halved");
    return WalkResult::advance();
  });
  (void)result;
}

void RowSplitter::check(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case<tl::CopyOp>([&](auto copy) { checkCopy(copy); })
      .Case<tl::ReduceOp>([&](auto reduce) { checkReduce(reduce); })
      .Case<tl::ParallelOp>([&](auto loop) { checkParallel(loop); })
      .Case<tl::FillOp, tl::AnnotateLayoutOp, tl::AllocOp>([](auto) {})
      .Default([&](Operation *other) {
        if (other->getNumRegions() != 0)
          return;
        for (Value operand : other->getOperands())
          if (isa<MemRefType>(operand.getType()))
            reject(operand, other, "the op is not known to keep rows apart");
      });
}

//===----------------------------------------------------------------------===//
// Buffers in GM
//===----------------------------------------------------------------------===//

/// What the two cores share of a use, as things stand; sets the rows of halves.
GlobalUse::Share RowSplitter::describeShare(GlobalUse &use) const {
  if (auto copy = dyn_cast<tl::CopyOp>(use.op)) {
    tl::BufferRegion source = copy.getSourceRegion(),
                     target = copy.getTargetRegion();
    const tl::BufferRegion &tile = use.writes ? source : target;
    use.region.sizes = getSizes(use.region, tile);
    if (isCandidate(tile.buffer)) {
      use.rows = getRows(tile.buffer);
      use.dim = *getRowDim(use.region.sizes);
      return GlobalUse::Halves;
    }
  }
  if (auto loop = use.op->getParentOfType<tl::ParallelOp>())
    if (RowVariable variable = getRowVariable(loop)) {
      use.rows = loop.getStaticExtents()[*variable];
      use.variable = loop.getBody().getArgument(*variable);
      return GlobalUse::Halves;
    }
  return use.writes ? GlobalUse::First : GlobalUse::Both;
}

/// What the vector cores do to GM. Copies from and to the cube's memories are
/// not theirs.
SmallVector<GlobalUse> RowSplitter::getGlobalUses() {
  SmallVector<GlobalUse> uses;
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
      GlobalUse use{op, access.region, access.kind != tl::AccessKind::Read};
      use.share = describeShare(use);
      uses.push_back(use);
    }
  });
  return uses;
}

/// Calls `body` for two uses, or for one twice, which may collide.
static void forEachCollision(
    ArrayRef<GlobalUse> uses,
    function_ref<void(const GlobalUse &, const GlobalUse &)> body) {
  for (auto [i, use] : llvm::enumerate(uses))
    for (const GlobalUse &other : uses.take_front(i + 1))
      if (mayCollide(other, use))
        body(other, use);
}

/// Tiles stay whole where a core would touch rows of a buffer that are the other
/// one's.
void RowSplitter::rejectCollisions() {
  forEachCollision(getGlobalUses(), [&](const GlobalUse &a,
                                        const GlobalUse &c) {
    static constexpr char reason[] = "other rows of a global buffer are used, "
                                     "too, where it is stored";
    for (const GlobalUse *use : {&a, &c}) {
      if (use->share != GlobalUse::Halves)
        continue;
      if (auto loop = use->op->getParentOfType<tl::ParallelOp>())
        rejectAll(loop, reason);
      else
        rejectAll(use->op, reason);
    }
  });
}

LogicalResult RowSplitter::verifyGlobals() {
  LogicalResult result = success();
  forEachCollision(getGlobalUses(), [&](const GlobalUse &a,
                                        const GlobalUse &c) {
    if (failed(result))
      return;
    const GlobalUse &reader = a.writes ? c : a, &writer = a.writes ? a : c;
    InFlightDiagnostic diag =
        reader.op->emitError()
        << "both vector cores of a block read here what one of them writes, and "
           "nothing orders the two; keep it in a tile, or store it in one "
           "kernel and read it in the next one";
    diag.attachNote(writer.op->getLoc()) << "it is written here";
    result = diag;
  });
  return result;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// The first row of this core, of a tile of so many rows.
Value RowSplitter::getFirst(int64_t rows) {
  Value &first = firsts[rows];
  if (first)
    return first;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&kernel.getBody().front());
  Location loc = kernel.getLoc();
  if (!subBlock) {
    subBlock = SubBlockOp::create(b, loc, b.getIndexType());
    Value two = arith::ConstantIndexOp::create(b, loc, 2);
    Value known = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                        subBlock, two);
    tl::AssumeOp::create(b, loc, known);
  }
  b.setInsertionPointAfter(subBlock.getDefiningOp());
  AffineExpr half =
      b.getAffineDimExpr(0) * int64_t(llvm::divideCeil(rows, 2));
  return first = affine::AffineApplyOp::create(
             b, loc, AffineMap::get(1, 0, half), subBlock);
}

/// The buffer up to the last row that the tile has there.
Value RowSplitter::cutOff(tl::CopyOp op, const tl::BufferRegion &region,
                          unsigned dim, int64_t rows) {
  Location loc = op.getLoc();
  Value buffer = region.buffer;
  SmallVector<OpFoldResult> sizes =
      memref::getMixedSizes(b, loc, buffer);
  unsigned rank = sizes.size();
  Value offset = affine::AffineApplyOp::create(
      b, loc, tl::getOffset(region, dim), region.operands);
  Value end = arith::AddIOp::create(
      b, loc, offset, arith::ConstantIndexOp::create(b, loc, rows));
  Value extent = memref::DimOp::create(b, loc, buffer, dim);
  sizes[dim] = arith::MinSIOp::create(b, loc, extent, end).getResult();
  return memref::SubViewOp::create(
      b, loc, buffer, SmallVector<OpFoldResult>(rank, b.getIndexAttr(0)), sizes,
      SmallVector<OpFoldResult>(rank, b.getIndexAttr(1)));
}

/// The side that is not split: half of its region.
void RowSplitter::rewriteCopy(tl::CopyOp op, ArrayRef<int64_t> sizes,
                              unsigned dim, bool isSource, int64_t rows) {
  tl::BufferRegion region =
      isSource ? op.getSourceRegion() : op.getTargetRegion();
  b.setInsertionPoint(op);
  Value first = getFirst(rows);
  if (!isSource && rows % 2 != 0)
    op.getTargetMutable().set(cutOff(op, region, dim, rows));
  unsigned rank = sizes.size(), inputs = region.operands.size();
  SmallVector<AffineExpr> offsets(rank, b.getAffineConstantExpr(0));
  if (region.map)
    offsets.assign(region.map.getResults().begin(),
                   region.map.getResults().end());
  offsets[dim] = offsets[dim] + b.getAffineDimExpr(inputs);
  auto map = AffineMapAttr::get(
      AffineMap::get(inputs + 1, 0, offsets, b.getContext()));
  SmallVector<int64_t> half(sizes);
  half[dim] = llvm::divideCeil(rows, 2);
  SmallVector<Value> operands = region.operands;
  operands.push_back(first);
  auto extents = b.getDenseI64ArrayAttr(half);
  if (isSource) {
    op.getSourceIndicesMutable().assign(operands);
    op.setSourceMapAttr(map);
    op.setSourceSizesAttr(extents);
  } else {
    op.getTargetIndicesMutable().assign(operands);
    op.setTargetMapAttr(map);
    op.setTargetSizesAttr(extents);
  }
}

void RowSplitter::rewriteCopies(tl::CopyOp op) {
  tl::BufferRegion source = op.getSourceRegion(), target = op.getTargetRegion();
  bool from = isCandidate(source.buffer), to = isCandidate(target.buffer);
  if (!from && !to)
    return;
  op->setAttr(AscendDialect::kSplitRowsAttr, b.getUnitAttr());
  if (from && to)
    return;
  const tl::BufferRegion &whole = from ? target : source;
  const tl::BufferRegion &tile = from ? source : target;
  SmallVector<int64_t> sizes = getSizes(whole, tile);
  rewriteCopy(op, sizes, *getRowDim(sizes), /*isSource=*/to,
              getRows(tile.buffer));
}

void RowSplitter::rewriteParallel(tl::ParallelOp op) {
  RowVariable variable = getRowVariable(op);
  if (!variable)
    return;
  SmallVector<int64_t> extents(op.getStaticExtents());
  int64_t rows = extents[*variable];
  extents[*variable] = llvm::divideCeil(rows, 2);
  Value first = getFirst(rows);
  BlockArgument own = op.getBody().getArgument(*variable);
  b.setInsertionPointToStart(&op.getBody().front());
  auto row = arith::AddIOp::create(b, op.getLoc(), own, first);
  own.replaceUsesWithIf(row, [&](OpOperand &use) {
    if (use.getOwner() == row)
      return false;
    Value buffer = getAccessed(use.getOwner());
    if (!buffer || !isCandidate(buffer))
      return true;
    unsigned firstIndex = isa<memref::StoreOp>(use.getOwner()) ? 2 : 1;
    return use.getOperandNumber() != firstIndex + dims[buffer];
  });
  if (row->use_empty())
    row.erase();
  op.setStaticExtents(extents);
  op.removeLayoutAttr();
  op.removeCoalescedWidthAttr();
  op->setAttr(AscendDialect::kSplitRowsAttr, b.getUnitAttr());
}

void RowSplitter::remark(Value buffer) {
  auto [op, reason] = rejected[buffer];
  remark::missed(op->getLoc(), remark::RemarkOpts::name("WholeRows")
                                   .category("ascend-split-rows"))
      << remark::metric("tile", tl::formatShape(
                                    cast<MemRefType>(buffer.getType())
                                        .getShape()))
      << remark::reason("both vector cores compute it: {0}", reason);
}

void RowSplitter::checkRows() {
  do {
    changed = false;
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
      check(op);
      return isa<tl::ParallelOp>(op) ? WalkResult::skip()
                                     : WalkResult::advance();
    });
    if (!changed)
      rejectCollisions();
  } while (changed);
}

LogicalResult RowSplitter::run() {
  bool hasCube = false, hasVector = false;
  kernel.walk([&](tl::AllocOp alloc) {
    Value buffer = alloc.getBuffer();
    hasCube |= isIn(buffer, MemorySpace::L1) || isIn(buffer, MemorySpace::L0C);
    hasVector |= isIn(buffer, MemorySpace::UB);
    auto type = cast<MemRefType>(buffer.getType());
    std::optional<unsigned> dim = getRowDim(type.getShape());
    if (isIn(buffer, MemorySpace::UB) && dim)
      dims[buffer] = *dim;
  });
  bool isWritten = !kernel.getBody().getOps<SectionOp>().empty();
  if (!hasCube || !hasVector || isWritten)
    return success();
  checkRows();
  for (auto &entry : rejected)
    remark(entry.first);
  if (failed(verifyGlobals()))
    return failure();
  if (dims.empty())
    return success();
  // Regions are read off the old types.
  kernel.walk([&](tl::ParallelOp op) { rewriteParallel(op); });
  kernel.walk([&](tl::CopyOp op) { rewriteCopies(op); });
  for (auto [buffer, dim] : dims) {
    for (Operation *user : llvm::make_early_inc_range(buffer.getUsers()))
      if (isa<tl::AnnotateLayoutOp>(user))
        user->erase();
    auto type = cast<MemRefType>(buffer.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[dim] = llvm::divideCeil(shape[dim], 2);
    buffer.setType(MemRefType::get(shape, type.getElementType(),
                                   type.getLayout(), type.getMemorySpace()));
  }
  remark::passed(kernel.getLoc(), remark::RemarkOpts::name("SplitRows")
                                      .category("ascend-split-rows"))
      << remark::metric("tiles", unsigned(dims.size()))
      << remark::metric("whole", unsigned(rejected.size()));
  return success();
}

namespace {
struct AscendSplitRows
    : tl::impl::AscendSplitRowsPassBase<AscendSplitRows> {
  void runOnOperation() override {
    auto result = getOperation()->walk([](tl::KernelOp kernel) {
      return failed(RowSplitter(kernel).run()) ? WalkResult::interrupt()
                                               : WalkResult::skip();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
