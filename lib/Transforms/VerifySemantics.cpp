//===- VerifySemantics.cpp - spaces, bounds and the pass ------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VerifySemantics.h"

#include "Tile/Analysis/AccessSystem.h"
#include "Tile/Analysis/Bounds.h"
#include "Tile/Dialect/Tile/IR/Verification.h"
#include "Tile/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IntegerSet.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mlir::tile {
#define GEN_PASS_DEF_VERIFYSEMANTICSPASS
#include "Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

//===----------------------------------------------------------------------===//
// Spaces
//===----------------------------------------------------------------------===//

static StringRef getSpaceName(Value buffer) {
  return stringifyMemorySpace(getMemorySpace(buffer));
}

static bool isTileBuffer(Value value) {
  auto type = dyn_cast<MemRefType>(value.getType());
  return type && getMemorySpace(type) != MemorySpace::Global;
}

/// A tile lives as long as its kernel and belongs to one block.
static LogicalResult verifyCaptures(KernelOp kernel) {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(kernel.getBody(), captured);
  LogicalResult result = success();
  for (Value value : captured) {
    if (!isTileBuffer(value))
      continue;
    InFlightDiagnostic diag = kernel.emitOpError()
                              << "uses a buffer in '" << getSpaceName(value)
                              << "' memory that is not its own; allocate it in "
                                 "the kernel with 'tile.alloc'";
    diag.attachNote(value.getLoc()) << "the buffer is defined here";
    result = diag;
  }
  return result;
}

static LogicalResult verifyAllocation(Operation *op) {
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects || isa<AllocOp>(op))
    return success();
  for (Value result : op->getResults())
    if (isTileBuffer(result) &&
        effects.getEffectOnValue<MemoryEffects::Allocate>(result))
      return op->emitOpError()
             << "cannot allocate a buffer in '" << getSpaceName(result)
             << "' memory; use 'tile.alloc'";
  return success();
}

/// The iteration variable that `value` is computed from; null if there is none.
/// Ops share operands, which are looked at once.
static BlockArgument
findIterationVariable(Value value, DenseMap<Value, BlockArgument> &known) {
  if (auto arg = dyn_cast<BlockArgument>(value))
    return isa<ParallelOp>(arg.getOwner()->getParentOp()) ? arg
                                                          : BlockArgument();
  if (auto it = known.find(value); it != known.end())
    return it->second;
  Operation *op = value.getDefiningOp();
  BlockArgument found;
  if (isMemoryEffectFree(op))
    for (Value operand : op->getOperands())
      if ((found = findIterationVariable(operand, known)))
        break;
  known[value] = found;
  return found;
}

/// Iterations do not see each other's `#tile.local` elements, so an index by the iteration is never what was meant.
static LogicalResult
verifyLocalIndices(Operation *op, DenseMap<Value, BlockArgument> &known) {
  SmallVector<Access> accesses;
  if (failed(collectAccesses(op, accesses)))
    return success();
  for (const Access &access : accesses) {
    if (getMemorySpace(access.region.buffer) != MemorySpace::Local)
      continue;
    for (Value operand : access.region.operands) {
      BlockArgument arg = findIterationVariable(operand, known);
      if (!arg)
        continue;
      InFlightDiagnostic diag =
          op->emitOpError()
          << "indexes a buffer in 'local' memory by iteration variable "
          << arg.getArgNumber()
          << ", but each iteration has a buffer of its own; use a constant "
             "index, an inner 'scf.for', or a buffer in 'fragment' memory";
      diag.attachNote(arg.getOwner()->getParentOp()->getLoc())
          << "the iterations are of this loop";
      return diag;
    }
  }
  return success();
}

LogicalResult tile::verifySpaces(Operation *root) {
  bool ok = true;
  DenseMap<Value, BlockArgument> known;
  root->walk([&](Operation *op) {
    ok &= succeeded(verifyAllocation(op)) &&
          succeeded(verifyLocalIndices(op, known));
    if (auto kernel = dyn_cast<KernelOp>(op))
      ok &= succeeded(verifyCaptures(kernel));
  });
  return success(ok);
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

static LogicalResult reportOutOfBounds(Operation *op, unsigned dim,
                                       int64_t offset, int64_t size,
                                       int64_t extent) {
  InFlightDiagnostic diag = op->emitOpError();
  if (size == 1)
    diag << "index " << offset;
  else
    diag << "region of size " << size << " at offset " << offset;
  return diag << (offset < 0 ? " falls below" : " exceeds") << " dimension "
              << dim << " of the buffer (" << extent << ")";
}

/// Checks one dimension; `executions` are those that reach the access.
static LogicalResult verifyDimension(Operation *op, const BufferRegion &region,
                                     unsigned dim,
                                     const AccessSystem &executions) {
  int64_t extent = region.getType().getDimSize(dim), size = region.sizes[dim];
  if (ShapedType::isDynamic(extent) || ShapedType::isDynamic(size))
    return success();
  AccessSystem inside = executions;
  AffineExpr offset =
      inside.getExpr(getOffset(region, dim), region.operands, 0);
  if (!offset)
    return success();
  AccessSystem below = inside, above = inside;
  below.addNonNegative(-offset - 1);
  above.addNonNegative(offset + size - 1 - extent);
  inside.addNonNegative(offset);
  inside.addNonNegative(offset * -1 + (extent - size));
  // Either some execution is proven to leave the buffer, or none stays inside, whatever the guards are.
  bool neverInside = inside.isEmpty();
  for (const AccessSystem *outside : {&above, &below}) {
    if (!outside->isProvenNonEmpty() && !(neverInside && !outside->isEmpty()))
      continue;
    if (auto example = outside->getExample({offset}))
      return reportOutOfBounds(op, dim, example->front(), size, extent);
  }
  return success();
}

static LogicalResult verifyAccessBounds(Operation *op) {
  SmallVector<Access> accesses;
  if (failed(collectAccesses(op, accesses)))
    return success();
  std::optional<AccessSystem> executions;
  for (const Access &access : accesses) {
    if (!isTileBuffer(access.region.buffer) || !access.region.map)
      continue;
    if (!executions) {
      executions.emplace(op->getContext());
      executions->addDomain(op, 0);
    }
    for (unsigned dim = 0, e = access.region.sizes.size(); dim < e; ++dim)
      if (failed(verifyDimension(op, access.region, dim, *executions)))
        return failure();
  }
  return success();
}

LogicalResult tile::verifyBounds(Operation *root) {
  bool ok = true;
  root->walk([&](Operation *op) { ok &= succeeded(verifyAccessBounds(op)); });
  return success(ok);
}

/// Maps and sets that divide by what nothing can be divided by have no meaning,
/// and upstream's analyses and lowerings differ in what they make of them.
static LogicalResult verifyDivisors(Operation *root) {
  bool ok = true;
  root->walk([&](Operation *op) {
    std::optional<int64_t> wrong;
    auto check = [&](AffineExpr expression) {
      if (!wrong)
        wrong = findWrongDivisor(expression);
    };
    op->getAttrDictionary().walk(
        [&](AffineMapAttr map) {
          llvm::for_each(map.getValue().getResults(), check);
        },
        [&](IntegerSetAttr set) {
          llvm::for_each(set.getValue().getConstraints(), check);
        });
    if (!wrong)
      return;
    op->emitOpError() << "expected divisors of at least 1, got " << *wrong;
    ok = false;
  });
  return success(ok);
}

/// Upstream composes the maps of chains of `affine.apply`, of which each term
/// may be used twice by the next one.
static LogicalResult verifyCompositions(Operation *root) {
  constexpr int64_t kMostTerms = 4096;
  DenseMap<Value, int64_t> terms;
  bool ok = true;
  root->walk<WalkOrder::PreOrder>([&](affine::AffineApplyOp apply) {
    AffineMap map = apply.getAffineMap();
    auto count = [&](unsigned operand) {
      return std::max<int64_t>(terms.lookup(apply.getMapOperands()[operand]),
                               1);
    };
    int64_t sum = 0;
    map.getResult(0).walk([&](AffineExpr part) {
      if (auto dim = dyn_cast<AffineDimExpr>(part))
        sum += count(dim.getPosition());
      else if (auto symbol = dyn_cast<AffineSymbolExpr>(part))
        sum += count(map.getNumDims() + symbol.getPosition());
      else
        ++sum;
    });
    terms[apply] = std::min(sum, kMostTerms);
    if (sum <= kMostTerms)
      return;
    apply.emitOpError() << "makes an expression of more than " << kMostTerms
                        << " terms with the maps that it is applied to; "
                           "compute a part of it with 'arith' ops";
    ok = false;
  });
  return success(ok);
}

/// Analyses follow indices and buffers to what they are computed from, and
/// regions inwards, on the stack of the thread that compiles.
static LogicalResult verifyDepths(Operation *root) {
  constexpr int kMostOps = 1024, kMostRegions = 128;
  DenseMap<Value, int> depths;
  SmallVector<Operation *> path;
  auto visit = [&](Operation *op) -> WalkResult {
    while (!path.empty() && path.back() != op->getParentOp())
      path.pop_back();
    path.push_back(op);
    int depth = 0;
    for (Value operand : op->getOperands())
      depth = std::max(depth, depths.lookup(operand));
    bool isDeep = path.size() - 1 > kMostRegions;
    if (isDeep || (depth >= kMostOps && op->getNumResults() != 0))
      return op->emitOpError()
             << (isDeep ? "lies in more than " : "is computed by more than ")
             << (isDeep ? kMostRegions : kMostOps)
             << (isDeep ? " regions; put a part of them into a function"
                        : " ops in a row; write them as a loop");
    for (Value result : op->getResults())
      if (isa<IndexType, IntegerType, MemRefType>(result.getType()))
        depths[result] = depth + 1;
    return WalkResult::advance();
  };
  return failure(root->walk<WalkOrder::PreOrder>(visit).wasInterrupted());
}

/// LLVM writes out operations of integers bit by bit where the machine has none.
static LogicalResult verifyWidths(Operation *root) {
  constexpr unsigned kMostBits = 128;
  bool ok = true;
  auto isWide = [&](Type type) {
    bool found = false;
    type.walk([&](IntegerType integer) {
      found |= integer.getWidth() > kMostBits;
    });
    return found;
  };
  root->walk([&](Operation *op) {
    bool isValueWide = llvm::any_of(op->getResultTypes(), isWide);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        isValueWide |= llvm::any_of(block.getArgumentTypes(), isWide);
    if (!isValueWide)
      return;
    op->emitOpError() << "has integers of more than " << kMostBits
                      << " bits; split them into parts";
    ok = false;
  });
  return success(ok);
}

LogicalResult tile::verifyConstants(Operation *root) {
  if (failed(verifyDepths(root)) || failed(verifyWidths(root)))
    return failure();
  bool ok = succeeded(verifyDivisors(root));
  ok &= succeeded(verifyCompositions(root));
  ok &= succeeded(verifyDimensionNumbers(root));
  return success(ok);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct VerifySemanticsPass
    : tile::impl::VerifySemanticsPassBase<VerifySemanticsPass> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (failed(verifyParametersBound(getOperation())))
      return signalPassFailure();
    // What the other checks compute with.
    bool ok = succeeded(verifyNames(getOperation()));
    ok &= succeeded(verifyConstants(getOperation()));
    if (!ok)
      return signalPassFailure();
    for (auto *check : {verifySpaces, verifyBounds, verifyControlFlow,
                        verifyIterationRaces, verifyBlockRaces})
      ok &= succeeded(check(getOperation()));
    // Where something else is wrong, what it writes is not what was meant.
    ok = ok && succeeded(verifyReads(getOperation()));
    warnOfImpliedRegions(getOperation());
    if (!ok)
      signalPassFailure();
  }
};
} // namespace
