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
using ::tile::layout::fail;
using ::tile::layout::Result;

/// Registers of the fragment as one word of the tile's elements.
static Value packWord(const Buffer &fragment, int64_t first, int64_t count,
                      Type element, CastRules rules, Location loc,
                      KernelLowering &l) {
  OpBuilder &b = l.builder();
  SmallVector<Value> values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(l.loadRegister(loc, fragment, first + i));
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

static void unpackWord(Value word, const Buffer &fragment, int64_t first,
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
                    fragment, first + i);
}

Result<std::string>
NVIDIASIMTTarget::copyMatrices(KernelLowering &l, Location loc,
                           const FragmentCopy &copy) const {
  if (copy.isStore && copy.registers.numCopies() != 1)
    return fail("expected one thread for each element, got ",
                copy.registers.str());
  Type element = copy.shared.element;
  auto tile =
      matchMatrixTile(copy.registers, copy.memory, element, copy.isStore, l);
  if (!tile)
    return tile.failure();
  MatrixMover mover(l, loc, *tile, element, copy.shared.base);
  int64_t count = tile->elementsPerWord;
  SmallVector<Value> words;
  for (int64_t word = 0; word < tile->numWords(); ++word)
    if (copy.isStore)
      words.push_back(packWord(copy.fragment, word * count, count, element,
                               copy.rules, loc, l));
    else
      unpackWord(mover.load(word), copy.fragment, word * count, count, element,
                 copy.rules, loc, l);
  if (!copy.isStore)
    return std::string("ldmatrix");
  mover.store(words);
  return std::string("stmatrix");
}
