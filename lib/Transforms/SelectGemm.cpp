//===- SelectGemm.cpp - the matrix instruction of a gemm ------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MissedRemark.h"
#include "SelectInstructions.h"

#include "Tile/Dialect/Tile/IR/Buffers.h"
#include "Tile/Transforms/GemmLayouts.h"
#include "Tile/Transforms/LayoutState.h"

#include "mlir/IR/Remarks.h"

#include <set>

using namespace mlir;
using namespace mlir::tile;
using namespace ::tile::target;
using ::tile::layout::fail;
using ::tile::layout::Result;
using ::tile::layout::Status;
using ::tile::layout::WarpGrid;

static constexpr llvm::StringLiteral kCategory = "tile-select-instructions";

//===----------------------------------------------------------------------===//
// Warps
//===----------------------------------------------------------------------===//

/// Whether `a` is a better way than `b` to share a tile of m x n.
static bool isBetterGrid(const WarpGrid &a, const WarpGrid &b,
                         WarpPolicy policy, int64_t m, int64_t n) {
  int64_t usesA = a.warpsM * a.warpsN, usesB = b.warpsM * b.warpsN;
  if (usesA != usesB)
    return usesA > usesB;
  if (policy == WarpPolicy::FullRow)
    return a.warpsM > b.warpsM;
  if (policy == WarpPolicy::FullCol)
    return a.warpsN > b.warpsN;
  // A warp reads its rows of A and its columns of B: their sum is the traffic.
  int64_t trafficA = m / a.warpsM + n / a.warpsN;
  int64_t trafficB = m / b.warpsM + n / b.warpsN;
  return trafficA != trafficB ? trafficA < trafficB : a.warpsM > b.warpsM;
}

/// The best grid of at most `warps` warps among those that `isLegal` takes.
static WarpGrid chooseGrid(int64_t warps, int64_t m, int64_t n,
                           WarpPolicy policy,
                           llvm::function_ref<bool(WarpGrid)> isLegal) {
  WarpGrid best{1, 1};
  for (int64_t wm = 1; wm <= warps; ++wm) {
    for (int64_t wn = 1; wm * wn <= warps; ++wn) {
      WarpGrid grid{wm, wn};
      if (isLegal(grid) && isBetterGrid(grid, best, policy, m, n))
        best = grid;
    }
  }
  return best;
}

WarpGrid mlir::tile::chooseWarpGrid(int64_t warps, int64_t m, int64_t n,
                                    int64_t stepM, int64_t stepN,
                                    WarpPolicy policy) {
  return chooseGrid(warps, m, n, policy, [&](WarpGrid grid) {
    return m % (stepM * grid.warpsM) == 0 && n % (stepN * grid.warpsN) == 0;
  });
}

//===----------------------------------------------------------------------===//
// Families
//===----------------------------------------------------------------------===//

namespace {
/// What one family can do for one gemm.
class GemmSelector {
public:
  GemmSelector(GemmOp gemm, const Target &target)
      : gemm(gemm), target(target),
        threads(getThreads(gemm->getParentOfType<KernelOp>(), target)),
        m(gemm.getM()), n(gemm.getN()), k(gemm.getK()) {}

  Result<MmaAttr> select(Instruction family);
  /// The families of the target, the fastest first, and `fma`.
  SmallVector<Instruction> getFamilies();

private:
  MmaAttr build(const MmaChoice &choice, WarpGrid grid);
  MmaAttr selectFma();
  Result<MmaAttr> selectWarp(MmaFamily family);
  Result<MmaAttr> selectWarpgroup(MmaFamily family);
  /// Why no row of the family covers tiles of this size.
  std::string explain(MmaFamily family, const MmaTypes &types);

  GemmOp gemm;
  const Target &target;
  ::tile::layout::Threads threads;
  int64_t m, n, k;
};
} // namespace

/// A row of the family, all of which have their accumulators in one space and
/// are executed by as many threads; null if the target has none.
static const MmaRow *findRow(const Target &target, Instruction family) {
  std::optional<MmaFamily> wanted = getMmaFamily(family);
  auto row = llvm::find_if(
      target.mmas, [&](const MmaRow &row) { return row.family == wanted; });
  return row == target.mmas.end() ? nullptr : &*row;
}

/// Whether several warps execute the instructions of the family together.
static bool isOfWarpgroups(const Target &target, Instruction family) {
  const MmaRow *row = findRow(target, family);
  return row && row->threads > target.getGPU()->warpSize;
}

SmallVector<Instruction> GemmSelector::getFamilies() {
  std::set<MmaFamily> found;
  for (const MmaRow &row : target.mmas)
    found.insert(row.family);
  SmallVector<Instruction> families;
  for (MmaFamily family : llvm::reverse(found))
    families.push_back(getInstruction(family));
  families.push_back(Instruction::FMA);
  return families;
}

std::string GemmSelector::explain(MmaFamily family, const MmaTypes &types) {
  std::string name = stringify(family).str();
  bool hasTypes = false;
  int64_t leastM = 0, leastN = 0, leastK = 0;
  for (const MmaRow &row : target.mmas) {
    if (row.family != family || !llvm::is_contained(row.a, types.a) ||
        !llvm::is_contained(row.b, types.b) || row.c != types.c ||
        row.scale != ElementType::None)
      continue;
    auto least = [&](int64_t old, int64_t value) {
      return hasTypes ? std::min(old, value) : value;
    };
    leastM = least(leastM, row.m);
    leastN = least(leastN, row.nMin);
    leastK = least(leastK, row.k);
    hasTypes = true;
  }
  if (!hasTypes)
    return (target.name + " has no " + name + " for " + stringify(types.a) +
            ", " + stringify(types.b) + " -> " + stringify(types.c))
        .str();
  return "expected M, N and K to be multiples of " + std::to_string(leastM) +
         ", " + std::to_string(leastN) + " and " + std::to_string(leastK) +
         ", got " + std::to_string(m) + ", " + std::to_string(n) + " and " +
         std::to_string(k);
}

MmaAttr GemmSelector::build(const MmaChoice &choice, WarpGrid grid) {
  const MmaRow &row = *choice.row;
  return MmaAttr::get(gemm.getContext(), getInstruction(row.family), row.m,
                      choice.n, row.k, grid.warpsM, grid.warpsN);
}

MmaAttr GemmSelector::selectFma() {
  // Shares may be uneven.
  WarpGrid grid =
      chooseGrid(threads.warps, m, n, gemm.getPolicy(), [&](WarpGrid grid) {
        return grid.warpsM <= m && grid.warpsN <= n &&
               threads.warps % (grid.warpsM * grid.warpsN) == 0;
      });
  return MmaAttr::get(gemm.getContext(), Instruction::FMA, 1, 1, 1, grid.warpsM,
                      grid.warpsN);
}

Result<MmaAttr> GemmSelector::selectWarp(MmaFamily family) {
  Result<MmaTypes> types = getMmaTypes(gemm);
  if (!types)
    return types.failure();
  for (const MmaChoice &choice : findMma(target, *types, m, n, k, family)) {
    const MmaRow &row = *choice.row;
    if (row.layout.empty())
      continue;
    WarpGrid grid =
        chooseWarpGrid(threads.warps, m, n, row.m, choice.n, gemm.getPolicy());
    return build(choice, grid);
  }
  return fail(explain(family, *types));
}

/// An operand that the instruction reads from shared memory itself.
static Status checkSharedOperand(Value operand, StringRef name, bool alongK,
                                 bool mayTranspose) {
  auto type = cast<MemRefType>(operand.getType());
  if (getMemorySpace(operand) != MemorySpace::Shared)
    return fail("expected '", name.str(), "' in shared memory, got it in '",
                stringifyMemorySpace(getMemorySpace(operand)).str(), "'");
  for (Value view = operand;
       auto next = view.getDefiningOp<ViewLikeOpInterface>();
       view = next.getViewSource())
    if (isa<ViewOp>(next))
      return fail("expected '", name.str(),
                  "' to be a tile of its own, got a view of other bits");
  for (Operation *user : getBaseBuffer(operand).getUsers())
    if (isa<ViewOp>(user))
      return fail("expected '", name.str(),
                  "' to have no other view of its bits, got 'tile.view'");
  if (alongK)
    return ::tile::layout::Success{};
  if (!mayTranspose)
    return fail("expected '", name.str(),
                "' to have K contiguous for elements of ",
                type.getElementTypeBitWidth(), " bits");
  int64_t bits = type.getElementTypeBitWidth();
  if (::tile::layout::swizzleSpan(type.getShape().back(), bits) == 0)
    return fail("expected rows of '", name.str(),
                "' of a multiple of 32 bytes, got ",
                type.getShape().back() * bits / 8);
  return ::tile::layout::Success{};
}

/// The elements that neighbouring columns of a tile in shared memory have.
static int64_t getColumnExtent(Value operand) {
  auto type = cast<MemRefType>(operand.getType());
  int64_t bits = type.getElementTypeBitWidth();
  return ::tile::layout::swizzleSpan(type.getShape().back(), bits) * 8 / bits;
}

Result<MmaAttr>
mlir::tile::selectWarpgroupMma(const WarpgroupProduct &product,
                               ArrayRef<MmaChoice> whole,
                               const Target &target) {
  int64_t group = target.getGPU()->groupWarps, m = product.m, n = product.n;
  const MmaRow &row = *whole.front().row;
  bool bAlongK = product.transposeB;
  if (Status ok = checkSharedOperand(product.b, "b", bAlongK, row.bTransposed);
      !ok)
    return ok.failure();
  if (getMemorySpace(product.a) != MemorySpace::Fragment)
    if (Status ok = checkSharedOperand(product.a, "a", !product.transposeA,
                                       row.aTransposed);
        !ok)
      return ok.failure();
  // Rows to the groups first: they share B.
  WarpPolicy policy = product.policy == WarpPolicy::FullCol
                          ? WarpPolicy::FullCol
                          : WarpPolicy::FullRow;
  // Instructions begin where columns of B in shared memory do, or stay within
  // one.
  int64_t column = bAlongK ? 1 : getColumnExtent(product.b);
  auto isAligned = [&](int64_t size) {
    return size % column == 0 || column % size == 0;
  };
  // Groups beyond the grid compute the same: an instruction under a condition
  // would wait for each other one.
  int64_t count = product.warps / group;
  WarpGrid groups = chooseGrid(count, m, n, policy, [&](WarpGrid grid) {
    return count % (grid.warpsM * grid.warpsN) == 0 &&
           m % (row.m * grid.warpsM) == 0 &&
           n % (row.nMin * grid.warpsN) == 0 && isAligned(n / grid.warpsN);
  });
  MmaChoice best{&row, 0};
  for (const MmaChoice &choice : whole)
    for (int64_t size = choice.row->nMin; size <= choice.row->nMax;
         size += choice.row->nStep)
      if (n / groups.warpsN % size == 0 && isAligned(size) && size > best.n)
        best = {choice.row, size};
  return MmaAttr::get(product.a.getContext(), getInstruction(best.row->family),
                      best.row->m, best.n, best.row->k, groups.warpsM * group,
                      groups.warpsN);
}

Result<MmaAttr> GemmSelector::selectWarpgroup(MmaFamily family) {
  int64_t group = target.getGPU()->groupWarps;
  Result<MmaTypes> types = getMmaTypes(gemm);
  if (!types)
    return types.failure();
  // It cuts f32 off where the dialect rounds.
  if (types->a == ElementType::TF32)
    return fail("expected operands that need no rounding, got f32 under "
                "precision(tf32)");
  if (threads.warps % group != 0)
    return fail("expected a multiple of ", group, " warps, got ",
                threads.warps);
  SmallVector<MmaChoice> whole = findMma(target, *types, m, n, k, family);
  if (whole.empty())
    return fail(explain(family, *types));
  return selectWarpgroupMma({gemm.getA(), gemm.getB(), gemm.getTransposeA(),
                             gemm.getTransposeB(), gemm.getPolicy(), m, n,
                             threads.warps},
                            whole, target);
}

Result<MmaAttr> GemmSelector::select(Instruction family) {
  if (family == Instruction::FMA)
    return selectFma();
  const MmaRow *row = findRow(target, family);
  if (!row)
    return fail(target.name.str(), " has no ",
                stringifyInstruction(family).str());
  if (row->cSpace != Space::Register)
    return fail("expected 'c' in tensor memory, got it in '",
                stringifyMemorySpace(getMemorySpace(gemm.getC())).str(), "'");
  return isOfWarpgroups(target, family) ? selectWarpgroup(row->family)
                                        : selectWarp(row->family);
}

//===----------------------------------------------------------------------===//
// Selection
//===----------------------------------------------------------------------===//

/// Fewer columns than this do not pay for the registers of A that a warpgroup
/// converts and then waits for: 0.6 of the speed of `mma` with 16, equal with
/// 64 (4-bit weights, H200).
static constexpr int64_t kLeastColumns = 64;

/// Whether A is made of packed codes by a copy, beside few columns.
static bool isNarrowConversion(GemmOp gemm) {
  return gemm.getN() < kLeastColumns &&
         llvm::any_of(gemm.getA().getUsers(), [&](Operation *user) {
           auto copy = dyn_cast<CopyOp>(user);
           return copy && copy.getTarget() == gemm.getA() &&
                  getElementBits(copy.getSource()) < 8;
         });
}

bool mlir::tile::takesFastestFamily(GemmOp gemm, const Target &target) {
  GemmSelector selector(gemm, target);
  // What has its accumulator in tensor memory is chosen by the program.
  SmallVector<Instruction> families = selector.getFamilies();
  llvm::erase_if(families, [&](Instruction family) {
    const MmaRow *row = findRow(target, family);
    return row && row->cSpace != Space::Register;
  });
  return static_cast<bool>(selector.select(families.front()));
}

static std::string describe(MmaAttr attr) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << stringifyInstruction(attr.getFamily()) << " m" << attr.getM() << "n"
     << attr.getN() << "k" << attr.getK() << " on " << attr.getWarpsM() << "x"
     << attr.getWarpsN() << " warps";
  return text;
}

LogicalResult mlir::tile::selectGemm(GemmOp gemm, const Target &target) {
  GemmSelector selector(gemm, target);
  if (std::optional<Instruction> prefer = gemm.getPrefer()) {
    Result<MmaAttr> attr = selector.select(*prefer);
    if (!attr)
      return gemm.emitOpError()
             << "cannot use '" << stringifyInstruction(*prefer) << "' on "
             << target.name << ": " << attr.reason();
    gemm.setInstructionAttr(*attr);
  }
  std::string slower;
  for (Instruction family : selector.getFamilies()) {
    if (gemm.getInstructionAttr())
      break;
    Result<MmaAttr> attr =
        isOfWarpgroups(target, family) && isNarrowConversion(gemm)
            ? fail("expected at least ", kLeastColumns,
                   " columns beside codes that are converted, got ",
                   gemm.getN())
            : selector.select(family);
    if (attr)
      gemm.setInstructionAttr(*attr);
    else
      slower += (slower.empty() ? "no " : "; no ") +
                stringifyInstruction(family).str() + ": " + attr.reason();
  }
  if (!slower.empty())
    remarkMissed(gemm, remark::RemarkOpts::name(
                           gemm.getInstructionAttr().getFamily() ==
                                   Instruction::FMA
                               ? "MatrixInstruction"
                               : "GemmInstruction")
                           .category(kCategory))
        << remark::reason("{0}", slower);
  remark::passed(
      gemm.getLoc(),
      remark::RemarkOpts::name("GemmInstruction").category(kCategory))
      << describe(gemm.getInstructionAttr());
  return success();
}

bool mlir::tile::selectWarpGemms(KernelOp kernel, const Target &target) {
  bool any = false;
  kernel.walk([&](GemmOp gemm) {
    MmaAttr attr = gemm.getInstructionAttr();
    if (!attr || gemm.getPrefer() || gemm.getAsync() ||
        !isOfWarpgroups(target, attr.getFamily()))
      return;
    GemmSelector selector(gemm, target);
    for (Instruction family : selector.getFamilies())
      if (family != Instruction::FMA && !isOfWarpgroups(target, family))
        if (Result<MmaAttr> slower = selector.select(family)) {
          gemm.setInstructionAttr(*slower);
          any = true;
          return;
        }
  });
  return any;
}
