//===- MatrixCopy.cpp - fragments to and from shared tiles ----------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixAccess.h"
#include "NVIDIASIMTTarget.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvidia;
using namespace mlir::tile::simt;
using ::tile::layout::Axis;
using ::tile::layout::Digit;
using ::tile::layout::Dim;
using ::tile::layout::fail;
using ::tile::layout::Layout;
using ::tile::layout::Result;

namespace {
/// A layout without the registers that hold nothing of a part of a fragment, and
/// the numbers of the others.
struct DenseRegisters {
  explicit DenseRegisters(const Layout &part);
  int64_t getNumber(int64_t dense) const;

  Layout layout;
  /// From the fastest one.
  std::vector<Digit> digits;
};

} // namespace

DenseRegisters::DenseRegisters(const Layout &part) {
  std::vector<Dim> dims = part.dims();
  std::vector<Digit> copies = part.copies();
  SmallVector<Digit *> ofRegisters;
  auto collect = [&](std::vector<Digit> &from) {
    for (Digit &digit : from)
      if (digit.axis == Axis::Reg && digit.extent > 1)
        ofRegisters.push_back(&digit);
  };
  for (Dim &dim : dims)
    collect(dim.digits);
  collect(copies);
  llvm::sort(ofRegisters,
             [](Digit *a, Digit *b) { return a->stride < b->stride; });
  int64_t stride = 1;
  for (Digit *digit : ofRegisters) {
    digits.push_back(*digit);
    digit->stride = stride;
    stride *= digit->extent;
  }
  auto dense = Layout::get(dims, copies, part.swizzle());
  layout = dense ? *dense : part;
  if (!dense)
    digits = {{part.axisSize(Axis::Reg), Axis::Reg, 1}};
}

int64_t DenseRegisters::getNumber(int64_t dense) const {
  int64_t number = 0;
  for (const Digit &digit : digits) {
    number += dense % digit.extent * digit.stride;
    dense /= digit.extent;
  }
  return number;
}

/// Registers of the fragment as one word of the tile's elements.
static Value packWord(const Buffer &fragment, const DenseRegisters &registers,
                      int64_t first, int64_t count, Type element,
                      CastRules rules, Location loc, KernelLowering &l) {
  OpBuilder &b = l.builder();
  SmallVector<Value> values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(
        l.loadRegister(loc, fragment, registers.getNumber(first + i)));
  Value value = values.front();
  if (count > 1)
    value = vector::FromElementsOp::create(
        b, loc, VectorType::get(count, fragment.element), values);
  value = toStorage(b, loc, castElement(b, loc, value, element, rules));
  return value.getType() == b.getI32Type()
             ? value
             : LLVM::BitcastOp::create(b, loc, b.getI32Type(), value)
                   .getResult();
}

static void unpackWord(Value word, const Buffer &fragment,
                       const DenseRegisters &registers, int64_t first,
                       int64_t count, Type element, CastRules rules,
                       Location loc, KernelLowering &l) {
  OpBuilder &b = l.builder();
  Type storage = getStorageType(element);
  Type type = count > 1 ? Type(VectorType::get(count, storage)) : storage;
  Value value = type == word.getType()
                    ? word
                    : LLVM::BitcastOp::create(b, loc, type, word).getResult();
  value = castElement(b, loc, fromStorage(b, loc, value, element),
                      fragment.element, rules);
  for (int64_t i = 0; i < count; ++i)
    l.storeRegister(loc,
                    count > 1 ? Value(vector::ExtractOp::create(
                                    b, loc, value, ArrayRef<int64_t>{i}))
                              : value,
                    fragment, registers.getNumber(first + i));
}

Result<std::string>
NVIDIASIMTTarget::copyMatrices(KernelLowering &l, Location loc,
                           const FragmentCopy &copy) const {
  if (copy.isStore && copy.registers.numCopies() != 1)
    return fail("expected one thread for each element, got ",
                copy.registers.str());
  Type element = copy.shared.element;
  DenseRegisters registers(copy.registers);
  auto tile =
      matchMatrixTile(registers.layout, copy.memory, element, copy.isStore, l);
  if (!tile)
    return tile.failure();
  MatrixMover mover(l, loc, *tile, element, copy.shared.base);
  int64_t count = tile->elementsPerWord;
  SmallVector<Value> words;
  for (int64_t word = 0; word < tile->numWords(); ++word)
    if (copy.isStore)
      words.push_back(packWord(copy.fragment, registers, word * count, count,
                               element, copy.rules, loc, l));
    else
      unpackWord(mover.load(word), copy.fragment, registers, word * count,
                 count, element, copy.rules, loc, l);
  if (!copy.isStore)
    return std::string("ldmatrix");
  mover.store(words);
  return std::string("stmatrix");
}
