//===- Mma.cpp - matrix instructions and accumulators ---------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Conversion/TileToSIMT/Mma.h"

#include <map>

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::simt;
using ::tile::layout::Axis;
using ::tile::target::ElementType;

LogicalResult simt::verifyAccumulator(Operation *op, Value c) {
  if (getMemorySpace(c) == MemorySpace::Fragment)
    return success();
  return op->emitOpError("expected the accumulator in a fragment on a GPU");
}

static ElementType getOperandType(Type type, bool isUnsigned, bool tf32) {
  ElementType element = *getElementType(type);
  if (tf32 && element == ElementType::F32)
    return ElementType::TF32;
  if (isUnsigned && element == ElementType::I8)
    return ElementType::U8;
  if (isUnsigned && element == ElementType::I4)
    return ElementType::U4;
  return element;
}

std::optional<MmaInstruction>
simt::makeInstruction(const ::tile::target::MmaChoice &choice,
                      const ::tile::target::MmaTypes &types) {
  using ::tile::target::Operand;
  auto c = getFragment(choice, Operand::C);
  if (!c)
    return std::nullopt;
  MmaInstruction mma;
  mma.choice = choice;
  mma.a = types.a;
  mma.b = types.b;
  mma.c = types.c;
  mma.cFragment = *c;
  if (auto a = getFragment(choice, Operand::A))
    mma.aFragment = *a;
  if (auto b = getFragment(choice, Operand::B))
    mma.bFragment = *b;
  return mma;
}

FailureOr<MmaInstruction> simt::findInstruction(GemmOp op, KernelLowering &l) {
  MmaAttr wanted = op.getInstructionAttr();
  auto elementOf = [](Value v) {
    return cast<MemRefType>(v.getType()).getElementType();
  };
  bool tf32 = op.getPrecision() == Precision::TF32;
  ::tile::target::MmaTypes types = {
      getOperandType(elementOf(op.getA()), op.getAUnsigned(), tf32),
      getOperandType(elementOf(op.getB()), op.getBUnsigned(), tf32),
      getOperandType(getAccumulatorType(elementOf(op.getC())), false, false)};
  auto family = getMmaFamily(wanted.getFamily());
  for (const auto &row : l.getTarget().mmas) {
    if (!family || row.family != *family || row.m != wanted.getM() ||
        row.k != wanted.getK() || !row.hasN(wanted.getN()) ||
        !llvm::is_contained(row.a, types.a) ||
        !llvm::is_contained(row.b, types.b) || row.c != types.c ||
        row.scale != ElementType::None)
      continue;
    if (auto mma = makeInstruction({&row, wanted.getN()}, types))
      return *mma;
  }
  return op.emitOpError() << "expected an instruction of " << l.getTarget().name
                          << " for these types, got " << wanted;
}

FailureOr<SmallVector<MmaInstance>>
simt::findInstances(Operation *op, const MmaInstruction &mma, const Buffer &c,
                    const ThreadGroup &threads) {
  std::map<std::pair<int64_t, int64_t>, SmallVector<int64_t>> found;
  ThreadMap map(c.layout, threads);
  int64_t count = mma.cFragment.axisSize(Axis::Reg);
  auto mismatch = [&]() -> LogicalResult {
    return op->emitOpError() << "expected the accumulator to be made of "
                            << mma.choice.row->layout
                            << " fragments, got the layout " << c.layout.str();
  };
  for (int64_t reg = 0; reg < map.numRegisters(); ++reg) {
    auto part = map.getElement(0, 0, reg);
    if (!part)
      continue;
    int64_t m = (*part)[0] / mma.m(), n = (*part)[1] / mma.n();
    auto own = mma.cFragment.sum(
        {(*part)[0] % mma.m(), (*part)[1] % mma.n()});
    if (own[Axis::Lane] != 0 || own[Axis::Warp] != 0)
      return mismatch();
    auto &registers = found[{m, n}];
    registers.resize(count, -1);
    registers[own[Axis::Reg]] = reg;
  }
  SmallVector<MmaInstance> instances;
  for (auto &[at, registers] : found) {
    if (llvm::is_contained(registers, -1))
      return mismatch();
    instances.push_back({at.first * mma.m(), at.second * mma.n(), registers});
  }
  return instances;
}

