//===- GemmLayouts.cpp - the operands of a gemm's instruction -------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Transforms/GemmLayouts.h"

#include "Tile/Dialect/Tile/IR/Buffers.h"
#include "Tile/Dialect/Tile/IR/Sparse.h"
#include "Tile/Layout/Algebra.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::tile;
using namespace ::tile::target;
using namespace ::tile::layout;

/// The type that an operand enters the instruction with.
template <typename OpType>
static std::optional<ElementType> getInputType(OpType gemm, Value operand,
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

template <typename OpType>
static Result<MmaTypes> getTypes(OpType gemm) {
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

Result<MmaTypes> mlir::tile::getMmaTypes(GemmOp gemm) { return getTypes(gemm); }
Result<MmaTypes> mlir::tile::getMmaTypes(SparseGemmOp gemm) {
  return getTypes(gemm);
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

Result<Layout> mlir::tile::widenFragment(const Layout &fragment,
                                         MatrixOperand operand,
                                         int64_t steps) {
  if (steps == 1)
    return fragment;
  int depth = getDepth(operand);
  std::vector<Dim> dims = fragment.dims();
  std::vector<Digit> others;
  int64_t run = 1;
  for (const Digit &digit : dims[depth].digits) {
    if (digit.axis == Axis::Reg)
      run *= digit.extent;
    else
      others.push_back(digit);
  }
  std::vector<Digit *> outer;
  for (Digit &digit : dims[1 - depth].digits)
    if (digit.axis == Axis::Reg)
      outer.push_back(&digit);
  llvm::sort(outer, [](const Digit *x, const Digit *y) {
    return x->stride < y->stride;
  });
  int64_t stride = run * steps;
  for (Digit *digit : outer) {
    digit->stride = stride;
    stride *= digit->extent;
  }
  if (stride != fragment.axisSize(Axis::Reg) * steps)
    return fail("expected each register of a thread to hold an element");
  others.push_back({run * steps, Axis::Reg, 1});
  dims[depth].digits = std::move(others);
  dims[depth].extent *= steps;
  return Layout::get(std::move(dims), fragment.copies());
}

/// Whether the registers of a thread are neighbours along K already.
static bool isRun(const Layout &fragment, int depth) {
  const std::vector<Digit> &digits = fragment.dims()[depth].digits;
  return !digits.empty() && digits.back().axis == Axis::Reg &&
         digits.back().extent == fragment.axisSize(Axis::Reg);
}

/// Whether reads of so many elements at once exist.
static bool hasRead(const Target &target, int64_t elements, int64_t bits) {
  return elements * bits % 8 == 0 &&
         !findCopies(target, Space::Shared, Space::Register,
                     elements * bits / 8)
              .empty();
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
      if (!fragment || (fragment->axisSize(Axis::Reg) > 1 &&
                        !isRun(*fragment, getDepth(role))))
        return best;
      Result<Layout> wide = widenFragment(*fragment, role, steps);
      if (!wide || !hasRead(target, wide->axisSize(Axis::Reg),
                            getElementBits(value)))
        return best;
    }
    best = steps;
  }
  return best;
}

/// Whether nothing but copies from memory and loops fill a fragment, and no
/// other gemm reads it: its order is that of this gemm.
static bool isFilledFor(GemmOp gemm, Value tile) {
  return llvm::all_of(tile.getUsers(), [&](Operation *user) {
    auto copy = dyn_cast<CopyOp>(user);
    if (!copy || copy.getTarget() != tile || copy.getSource() == tile)
      return user == gemm || isa<memref::LoadOp, memref::StoreOp>(user);
    MemorySpace space = getMemorySpace(copy.getSource());
    return space == MemorySpace::Shared || space == MemorySpace::Global;
  });
}

/// The bits of the elements in memory that copies convert to those of a tile,
/// if that is all that writes it, and no other gemm reads it; else 0.
static int64_t getBitsBeforeConversion(GemmOp gemm, Value tile) {
  if (!isFilledFor(gemm, tile))
    return 0;
  int64_t bits = 0;
  for (Operation *user : tile.getUsers())
    if (auto copy = dyn_cast<CopyOp>(user))
      bits = std::max(bits, getElementBits(copy.getSource()));
  return bits < getElementBits(tile) ? bits : 0;
}

int64_t mlir::tile::getStepsOfConversion(GemmOp gemm, const Target &target) {
  MmaAttr attr = gemm.getInstructionAttr();
  Result<MmaChoice> choice = getMmaChoice(gemm, target);
  if (!choice || attr.getFamily() != Instruction::MMA)
    return 1;
  bool isA = getMemorySpace(gemm.getA()) == MemorySpace::Fragment;
  Value tile = isA ? gemm.getA() : gemm.getB();
  Value other = isA ? gemm.getB() : gemm.getA();
  bool alongK = isA ? gemm.getTransposeB() && !gemm.getTransposeA()
                    : gemm.getTransposeB() && !gemm.getTransposeA();
  if (getMemorySpace(tile) != MemorySpace::Fragment || !alongK ||
      (getMemorySpace(other) == MemorySpace::Fragment
           ? !isFilledFor(gemm, other)
           : getMemorySpace(other) != MemorySpace::Shared))
    return 1;
  int64_t bits = getBitsBeforeConversion(gemm, tile);
  Result<Layout> fragment =
      getFragment(*choice, isA ? Operand::A : Operand::B);
  if (bits == 0 || !fragment)
    return 1;
  // What a thread has of one instruction along K, and how many lanes share K.
  int64_t run = 1, lanes = 1, depth = isA ? 1 : 0;
  for (const Digit &digit : fragment->dims()[depth].digits)
    (digit.axis == Axis::Reg ? run : lanes) *= digit.extent;
  // Of the other operand the lanes read one row of all banks at most.
  const GPUSpec &gpu = *target.getGPU();
  int64_t most = gpu.sharedBanks * gpu.sharedBankBytes * 8 /
                 (lanes * getElementBits(other));
  int64_t steps = 1;
  while (gemm.getK() % (2 * steps * choice->row->k) == 0 &&
         2 * steps * run <= most && hasRead(target, 2 * steps * run, bits))
    steps *= 2;
  return steps;
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
    fragment = widenFragment(*fragment, operand, steps);
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

int64_t mlir::tile::getStepsOfLayout(GemmOp gemm, MatrixOperand operand,
                                     const Layout &layout,
                                     const Target &target, int64_t warps) {
  int64_t most = gemm.getK() / gemm.getInstructionAttr().getK();
  for (int64_t steps = 1; steps <= most && most % steps == 0; steps *= 2) {
    Result<Layout> own = getGemmFragment(gemm, operand, target, warps, steps);
    Result<bool> same = own ? equivalent(*own, layout) : Result<bool>(own.failure());
    if (same && *same)
      return steps;
  }
  return 1;
}
