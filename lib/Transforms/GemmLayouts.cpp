//===- GemmLayouts.cpp - the operands of a gemm's instruction -------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Transforms/GemmLayouts.h"

#include "Tile/Layout/Algebra.h"

using namespace mlir;
using namespace mlir::tile;
using namespace ::tile::target;
using namespace ::tile::layout;

/// The type that an operand enters the instruction with.
static std::optional<ElementType> getInputType(GemmOp gemm, Value operand,
                                               bool isUnsigned) {
  std::optional<ElementType> type = mlir::tile::getElementType(
      cast<MemRefType>(operand.getType()).getElementType());
  if (type == ElementType::F32 && gemm.getPrecision() == Precision::TF32)
    return ElementType::TF32;
  if (isUnsigned && type == ElementType::I8)
    return ElementType::U8;
  if (isUnsigned && type == ElementType::I4)
    return ElementType::U4;
  return type;
}

Result<MmaTypes> mlir::tile::getMmaTypes(GemmOp gemm) {
  std::optional<ElementType> a =
      getInputType(gemm, gemm.getA(), gemm.getAUnsigned());
  std::optional<ElementType> b =
      getInputType(gemm, gemm.getB(), gemm.getBUnsigned());
  if (!a || !b)
    return fail("expected element types of the instruction tables");
  auto c = cast<MemRefType>(gemm.getC().getType()).getElementType();
  ElementType sum = c.isInteger() ? ElementType::I32
                    : c.isF64()   ? ElementType::F64
                                  : ElementType::F32;
  return MmaTypes{*a, *b, sum};
}

Result<MmaChoice> mlir::tile::getMmaChoice(GemmOp gemm, const Target &target) {
  MmaAttr attr = gemm.getInstructionAttr();
  if (!attr)
    return fail("expected an instruction; run 'tile-select-instructions'");
  std::optional<MmaFamily> family = getMmaFamily(attr.getFamily());
  if (!family)
    return fail("'", stringifyInstruction(attr.getFamily()).str(),
                "' is no instruction of the tables");
  Result<MmaTypes> types = getMmaTypes(gemm);
  if (!types)
    return types.failure();
  for (const MmaChoice &choice :
       findMma(target, *types, attr.getM(), attr.getN(), attr.getK(), family)) {
    const MmaRow &row = *choice.row;
    if (row.m == attr.getM() && choice.n == attr.getN() && row.k == attr.getK())
      return choice;
  }
  return fail("expected an instruction that ", target.name.str(), " has, got ",
              stringifyInstruction(attr.getFamily()).str(), " m", attr.getM(),
              "n", attr.getN(), "k", attr.getK(), " for ",
              stringify(types->a).str(), " and ", stringify(types->b).str());
}

//===----------------------------------------------------------------------===//
// Several instructions along K
//===----------------------------------------------------------------------===//

/// The dimension of K in the fragment of an operand.
static int getDepth(MatrixOperand operand) {
  return operand == MatrixOperand::A ? 1 : 0;
}

/// The fragment with `steps` times as many neighbours along K in each thread.
/// Fails where other registers stand in the way.
static Result<Layout> widen(const Layout &fragment, int depth, int64_t steps) {
  if (steps == 1)
    return fragment;
  std::vector<Dim> dims = fragment.dims();
  std::vector<Digit> &digits = dims[depth].digits;
  int64_t run = 1;
  if (!digits.empty() && digits.back().axis == Axis::Reg) {
    run = digits.back().extent;
    digits.pop_back();
  }
  if (run != fragment.axisSize(Axis::Reg))
    return fail("expected the registers of a thread to be neighbours along K");
  digits.push_back({run * steps, Axis::Reg, 1});
  dims[depth].extent *= steps;
  return Layout::get(std::move(dims), fragment.copies());
}

int64_t mlir::tile::getStepsOfRead(GemmOp gemm, const Target &target) {
  Result<MmaChoice> choice = getMmaChoice(gemm, target);
  if (!choice || getMemorySpace(gemm.getA()) != MemorySpace::Shared ||
      getMemorySpace(gemm.getB()) != MemorySpace::Shared)
    return 1;
  int64_t best = 1;
  for (int64_t steps = 2; gemm.getK() % (steps * choice->row->k) == 0;
       steps *= 2) {
    for (auto [operand, role, value] :
         {std::tuple(Operand::A, MatrixOperand::A, gemm.getA()),
          std::tuple(Operand::B, MatrixOperand::B, gemm.getB())}) {
      Result<Layout> fragment = getFragment(*choice, operand);
      Result<Layout> wide =
          fragment ? widen(*fragment, getDepth(role), steps) : fragment;
      Type element = cast<MemRefType>(value.getType()).getElementType();
      if (!wide ||
          findCopies(target, Space::Shared, Space::Register,
                     wide->axisSize(Axis::Reg) *
                         element.getIntOrFloatBitWidth() / 8)
              .empty())
        return best;
    }
    best = steps;
  }
  return best;
}

Result<Layout> mlir::tile::getGemmFragment(GemmOp gemm, MatrixOperand operand,
                                           const Target &target, int64_t warps,
                                           int64_t steps) {
  Result<MmaChoice> choice = getMmaChoice(gemm, target);
  if (!choice)
    return choice.failure();
  bool isA = operand == MatrixOperand::A, isB = operand == MatrixOperand::B;
  Result<Layout> fragment = getFragment(*choice, isA   ? Operand::A
                                                 : isB ? Operand::B
                                                       : Operand::C);
  if (fragment && (isA || isB))
    fragment = widen(*fragment, getDepth(operand), steps);
  if (!fragment)
    return fragment;
  std::vector<int64_t> shape = {isB ? gemm.getK() : gemm.getM(),
                                isA ? gemm.getK() : gemm.getN()};
  MmaAttr attr = gemm.getInstructionAttr();
  Result<Layout> tiled = tileFragment(
      *fragment, operand, shape, {attr.getWarpsM(), attr.getWarpsN()}, warps);
  bool transposed =
      (isA && gemm.getTransposeA()) || (isB && gemm.getTransposeB());
  return tiled && transposed ? permute(*tiled, {1, 0}) : tiled;
}
