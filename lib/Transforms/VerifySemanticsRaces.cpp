//===- VerifySemanticsRaces.cpp - races between iterations and blocks -----===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two executions race if they differ in their iteration (or block), reach their accesses, and touch the same element. That
// is an integer set. Empty: no race. Not empty, and exact: a race, with an example. Otherwise nothing is proven.
//
//===----------------------------------------------------------------------===//

#include "VerifySemantics.h"

#include "Tile/Analysis/AccessSystem.h"
#include "Tile/Dialect/Tile/IR/KernelAttrs.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
/// What tells two executions apart.
struct Executions {
  Region *scope;
  SmallVector<Value> point;
  /// Whether executions at different points always run at the same time.
  bool areConcurrent = true;
};

enum class Verdict { Free, Possible, Proven };

struct Race {
  Verdict verdict = Verdict::Free;
  SmallVector<int64_t> first, second, element;
};
} // namespace

//===----------------------------------------------------------------------===//
// One pair of accesses
//===----------------------------------------------------------------------===//

static Race decide(const AccessSystem &system, ArrayRef<AffineExpr> first,
                   ArrayRef<AffineExpr> second, ArrayRef<AffineExpr> element) {
  Race race;
  if (system.isEmpty())
    return race;
  race.verdict = Verdict::Possible;
  if (!system.isProvenNonEmpty())
    return race;
  SmallVector<AffineExpr> exprs(first);
  llvm::append_range(exprs, second);
  llvm::append_range(exprs, element);
  std::optional<SmallVector<int64_t>> example = system.getExample(exprs);
  if (!example)
    return race;
  race.verdict = Verdict::Proven;
  ArrayRef<int64_t> values = *example;
  race.first = llvm::to_vector(values.take_front(first.size()));
  race.second = llvm::to_vector(values.slice(first.size(), second.size()));
  race.element = llvm::to_vector(values.take_back(element.size()));
  return race;
}

static Race findRace(const Executions &executions, const PlacedAccess &a,
                     const PlacedAccess &b) {
  SmallVector<AffineExpr> element, first, second;
  AccessSystem conflict = makeConflict(executions.scope, a, b, element);
  if (!executions.areConcurrent)
    conflict.setInexact();
  for (Value value : executions.point) {
    first.push_back(conflict.getExpr(value, 0));
    second.push_back(conflict.getExpr(value, 1));
  }
  Race worst;
  if (conflict.isEmpty())
    return worst;
  // Two points differ if they agree before some dimension and are ordered there. The last dimension comes first, because
  // neighbours make the clearest example. One access with itself is symmetric.
  for (unsigned dim = first.size(); dim-- > 0;) {
    for (int sign : {1, -1}) {
      if (sign < 0 && &a == &b)
        continue;
      AccessSystem ordered = conflict;
      for (unsigned before = 0; before < dim; ++before)
        ordered.addZero(second[before] - first[before]);
      ordered.addNonNegative((second[dim] - first[dim]) * sign - 1);
      Race race = decide(ordered, first, second, element);
      if (race.verdict == Verdict::Proven)
        return race;
      if (race.verdict == Verdict::Possible)
        worst.verdict = Verdict::Possible;
    }
  }
  return worst;
}

static std::string formatList(ArrayRef<int64_t> values, char open, char close) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << open;
  llvm::interleaveComma(values, os);
  os << close;
  return text;
}

static InFlightDiagnostic reportRace(Operation *op, Operation *other,
                                     StringRef what, StringRef points,
                                     const Race &race) {
  InFlightDiagnostic diag = op->emitOpError();
  diag << what << ": " << points << " " << formatList(race.first, '(', ')')
       << " and " << formatList(race.second, '(', ')') << " both touch "
       << formatList(race.element, '[', ']');
  if (op != other)
    diag.attachNote(other->getLoc()) << "the other access is here";
  return diag;
}

//===----------------------------------------------------------------------===//
// Iterations of a tile.parallel
//===----------------------------------------------------------------------===//

static bool mayConflict(AccessKind a, AccessKind b) {
  return a != b || a == AccessKind::Write;
}

static StringRef describe(AccessKind a, AccessKind b) {
  if (a == AccessKind::Write && b == AccessKind::Write)
    return "two iterations write the same element of the buffer";
  bool oneWrites = a == AccessKind::Write || b == AccessKind::Write;
  bool oneReads = a == AccessKind::Read || b == AccessKind::Read;
  if (oneWrites && oneReads)
    return "one iteration writes what another one reads";
  return oneReads ? "one iteration updates atomically what another one reads"
                  : "one iteration updates atomically what another one writes";
}

static void remarkNotProven(Operation *op, StringRef what) {
  remark::analysis(
      op->getLoc(),
      remark::RemarkOpts::name("RaceFreedom").category("tile-verify-semantics"))
      << remark::reason("{0}", what);
}

/// The accesses in the loop by their base buffers; private buffers are left out. `all` tells whether nothing is missing.
static llvm::MapVector<Value, SmallVector<PlacedAccess>>
collectByBase(ParallelOp loop, bool &all) {
  llvm::MapVector<Value, SmallVector<PlacedAccess>> byBase;
  all = true;
  loop.getBody().walk([&](Operation *op) {
    SmallVector<Access> accesses;
    if (failed(collectAccesses(op, accesses)))
      all = false;
    for (const Access &access : accesses) {
      Value base = getBaseBuffer(access.region.buffer);
      bool isPrivate =
          getMemorySpace(access.region.buffer) == MemorySpace::Local ||
          loop.getBody().isAncestor(base.getParentRegion());
      if (!isPrivate)
        byBase[base].push_back({op, access});
    }
  });
  return byBase;
}

/// Reports the first race among the accesses of one buffer; tells whether there may be others.
static LogicalResult
verifyBuffer(ParallelOp loop, ArrayRef<PlacedAccess> accesses, bool &isProven) {
  Executions executions{&loop.getBody(), llvm::to_vector_of<Value>(
                                             loop.getBody().getArguments())};
  for (unsigned i = 0, e = accesses.size(); i < e; ++i) {
    for (unsigned j = i; j < e; ++j) {
      const PlacedAccess *a = &accesses[i], *b = &accesses[j];
      if (!mayConflict(a->access.kind, b->access.kind))
        continue;
      // The write is the place to complain about.
      if (a->access.kind == AccessKind::Read)
        std::swap(a, b);
      Race race = findRace(executions, *a, *b);
      isProven &= race.verdict == Verdict::Free;
      if (race.verdict != Verdict::Proven)
        continue;
      InFlightDiagnostic diag =
          reportRace(a->op, b->op, describe(a->access.kind, b->access.kind),
                     "iterations", race);
      diag.attachNote(loop.getLoc())
          << "iterations run in any order; combine their values with "
             "'tile.atomic', or with 'tile.reduce' after the loop";
      return diag;
    }
  }
  return success();
}

LogicalResult tile::verifyIterationRaces(Operation *root) {
  bool ok = true;
  root->walk([&](ParallelOp loop) {
    bool isProven = true, failedHere = false;
    auto byBase = collectByBase(loop, isProven);
    for (auto &[base, accesses] : byBase)
      failedHere |= failed(verifyBuffer(loop, accesses, isProven));
    if (!isProven && !failedHere)
      remarkNotProven(loop, "race freedom of the iterations not proven");
    ok &= !failedHere;
  });
  return success(ok);
}

//===----------------------------------------------------------------------===//
// Blocks of a kernel
//===----------------------------------------------------------------------===//

static bool hasOneBlock(KernelOp kernel) {
  return llvm::all_of(kernel.getStaticGrid(),
                      [](int64_t extent) { return extent == 1; });
}

/// The op with `tile.cluster_sum` that an access belongs to, which the blocks
/// of a cluster share out among themselves; null if there is none.
static Operation *getClusterSum(Operation *op) {
  for (; op && !isa<KernelOp>(op); op = op->getParentOp())
    if (op->hasAttr(kClusterSumAttrName))
      return op;
  return nullptr;
}

/// What tells apart the executions of two writes in a kernel. Which block takes a point of `tile.persistent` is not known
/// here, only that a point is taken once.
static Executions getBlockExecutions(KernelOp kernel, const PlacedAccess &a,
                                     const PlacedAccess &b) {
  auto outerA = a.op->getParentOfType<PersistentOp>();
  auto outerB = b.op->getParentOfType<PersistentOp>();
  Region &points =
      outerA && outerA == outerB ? outerA.getBody() : kernel.getBody();
  SmallVector<Value> point(points.getArguments());
  Operation *sum = getClusterSum(a.op);
  if (sum && sum == getClusterSum(b.op) && kernel.getCluster())
    for (auto [blocks, value] :
         llvm::zip(*kernel.getCluster(), kernel.getBody().getArguments()))
      if (blocks > 1)
        llvm::erase(point, value);
  return {&kernel.getBody(), point, !outerA && !outerB};
}

static LogicalResult verifyKernel(KernelOp kernel) {
  llvm::MapVector<Value, SmallVector<PlacedAccess>> writes;
  kernel.getBody().walk([&](Operation *op) {
    SmallVector<Access> accesses;
    if (failed(collectAccesses(op, accesses)))
      return;
    for (const Access &access : accesses) {
      Value base = getBaseBuffer(access.region.buffer);
      // A buffer that is made in the kernel is the block's own.
      if (access.kind == AccessKind::Write &&
          getMemorySpace(access.region.buffer) == MemorySpace::Global &&
          !kernel.getBody().isAncestor(base.getParentRegion()))
        writes[base].push_back({op, access});
    }
  });
  bool ok = true, isProven = true;
  auto check = [&](const PlacedAccess &a, const PlacedAccess &b) {
    Race race = findRace(getBlockExecutions(kernel, a, b), a, b);
    isProven &= race.verdict == Verdict::Free;
    if (race.verdict != Verdict::Proven)
      return true;
    reportRace(a.op, b.op, "two blocks write the same element of the buffer",
               "blocks", race)
            .attachNote(kernel.getLoc())
        << "blocks run in any order; let the offsets depend on the block, let "
           "one block write, or combine the values with 'tile.atomic'";
    return false;
  };
  for (auto &[base, accesses] : writes) {
    bool goesOn = true;
    for (unsigned i = 0, e = accesses.size(); i < e && goesOn; ++i)
      for (unsigned j = i; j < e && goesOn; ++j)
        goesOn = check(accesses[i], accesses[j]);
    ok &= goesOn;
  }
  if (ok && !isProven)
    remarkNotProven(kernel, "race freedom of the blocks not proven");
  return success(ok);
}

LogicalResult tile::verifyBlockRaces(Operation *root) {
  bool ok = true;
  root->walk([&](KernelOp kernel) {
    if (!hasOneBlock(kernel))
      ok &= succeeded(verifyKernel(kernel));
  });
  return success(ok);
}
