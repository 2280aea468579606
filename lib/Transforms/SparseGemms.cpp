//===- SparseGemms.cpp - instructions of sparse products ------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Transforms/SparseGemms.h"

#include "SelectInstructions.h"

#include "Tile/Dialect/Tile/IR/Buffers.h"
#include "Tile/Transforms/GemmLayouts.h"
#include "Tile/Transforms/LayoutState.h"

using namespace mlir;
using namespace mlir::tile;
using namespace ::tile::target;
using namespace ::tile::layout;

Result<MmaChoice> mlir::tile::getDenseChoice(SparseGemmOp gemm,
                                             const Target &target) {
  MmaAttr attr = gemm.getInstructionAttr();
  if (!attr)
    return fail("expected an instruction; run 'tile-expand-sparse'");
  Result<MmaTypes> types = getMmaTypes(gemm);
  if (!types)
    return types.failure();
  for (const MmaChoice &choice :
       findMma(target, *types, attr.getM(), attr.getN(),
               attr.getK() / kSparseDepth, getMmaFamily(attr.getFamily()))) {
    const MmaRow &row = *choice.row;
    if (row.sparse && row.m == attr.getM() && choice.n == attr.getN() &&
        row.k * kSparseDepth == attr.getK())
      return choice;
  }
  return fail("expected a sparse instruction that ", target.name.str(),
              " has, got ", stringifyInstruction(attr.getFamily()).str(), " m",
              attr.getM(), "n", attr.getN(), "k", attr.getK(), " for ",
              stringify(types->a).str(), " and ", stringify(types->b).str());
}

/// The instruction of warpgroups, which wait for it; null where they cannot, as
/// in selectGemm.
static MmaAttr selectWarpgroup(SparseGemmOp gemm, const MmaTypes &types,
                               const Target &target) {
  int64_t warps = getThreads(gemm->getParentOfType<KernelOp>(), target).warps;
  int64_t m = gemm.getM(), n = gemm.getN(), k = gemm.getK() / kSparseDepth;
  SmallVector<MmaChoice> whole =
      findMma(target, types, m, n, k, MmaFamily::WGMMA);
  if (whole.empty() || types.a == ElementType::TF32 ||
      warps % target.getGPU()->groupWarps != 0 ||
      getMemorySpace(gemm.getA()) != MemorySpace::Shared)
    return {};
  Result<MmaAttr> dense = selectWarpgroupMma(
      {gemm.getA(), gemm.getB(), gemm.getTransposeA(), gemm.getTransposeB(),
       gemm.getPolicy(), m, n, warps},
      whole, target);
  if (!dense)
    return {};
  return MmaAttr::get(gemm.getContext(), dense->getFamily(), dense->getM(),
                      dense->getN(), dense->getK() * kSparseDepth,
                      dense->getWarpsM(), dense->getWarpsN());
}

/// The sparse instruction of the fewest rows; null if there is none.
static const MmaRow *findLeast(const MmaTypes &types, const Target &target) {
  const MmaRow *least = nullptr;
  for (const MmaRow &row : target.mmas)
    if (row.sparse && llvm::is_contained(row.a, types.a) &&
        llvm::is_contained(row.b, types.b) && row.c == types.c &&
        (!least || row.m < least->m))
      least = &row;
  return least;
}

Result<MmaAttr> mlir::tile::selectSparseGemm(SparseGemmOp gemm,
                                             const Target &target) {
  if (!target.getGPU())
    return fail(target.name.str(), " has no sparse instructions");
  Result<MmaTypes> types = getMmaTypes(gemm);
  if (!types)
    return types.failure();
  const MmaRow *least = findLeast(*types, target);
  if (!least)
    return fail(target.name.str(), " has no sparse instruction for ",
                stringify(types->a).str(), ", ", stringify(types->b).str(),
                " -> ", stringify(types->c).str());
  if (MmaAttr attr = selectWarpgroup(gemm, *types, target))
    return attr;
  int64_t m = gemm.getM(), n = gemm.getN(), k = gemm.getK();
  for (const MmaChoice &choice :
       findMma(target, *types, m, n, k / kSparseDepth, MmaFamily::MMA)) {
    const MmaRow &row = *choice.row;
    if (!row.sparse)
      continue;
    WarpGrid grid = chooseWarpGrid(
        getThreads(gemm->getParentOfType<KernelOp>(), target).warps, m, n,
        row.m, choice.n, gemm.getPolicy());
    return MmaAttr::get(gemm.getContext(), Instruction::MMA, row.m, choice.n,
                        row.k * kSparseDepth, grid.warpsM, grid.warpsN);
  }
  return fail("expected M, N and K to be multiples of ", least->m, ", ",
              least->nMin, " and ", least->k * kSparseDepth, ", got ", m, ", ",
              n, " and ", k);
}

Result<Layout> mlir::tile::getSparseAccumulator(SparseGemmOp gemm,
                                                const Target &target,
                                                int64_t warps) {
  Result<MmaChoice> choice = getDenseChoice(gemm, target);
  if (!choice)
    return choice.failure();
  Result<Layout> fragment = getFragment(*choice, Operand::C);
  if (!fragment)
    return fragment;
  MmaAttr attr = gemm.getInstructionAttr();
  return tileFragment(*fragment, MatrixOperand::C, {gemm.getM(), gemm.getN()},
                      {attr.getWarpsM(), attr.getWarpsN()}, warps);
}
