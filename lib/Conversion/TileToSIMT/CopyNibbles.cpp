//===- CopyNibbles.cpp - words of elements of 4 bits that lanes share -----===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fragments of tensor instructions give neighbours to neighbouring lanes:
// of elements of 4 bits each lane has a byte of a word. Shared memory would be
// read byte by byte. Instead, the lanes that share a word read it together with
// as many words behind it as an instruction brings, which costs no more than
// one lane would, and each takes its byte out of every word.
//
//===----------------------------------------------------------------------===//

#include "TileCopy.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::simt;
using ::tile::layout::Layout;

static constexpr int64_t kWordBits = 32;
// How many vectors of words a thread holds at a time.
static constexpr int64_t kMaxWide = 8;

std::optional<SharedWords> simt::findSharedWords(const TileCopy &copy,
                                                 const Layout &layout) {
  CopySide &source = copy.source;
  if (!source.isMemory() || source.buffer.space != MemorySpace::Shared ||
      copy.target.isMemory() || getElementBits(source.buffer.element) != 4)
    return std::nullopt;
  std::optional<SharedWords> words = ::tile::layout::findSharedWords(
      layout, kWordBits / 4, copy.l.getGPU().vectorBytes * 8 / 4);
  if (!words || !source.memory->isContiguous(words->width) ||
      source.memory->isInside() || source.memory->getAlignment(words->width))
    return std::nullopt;
  return words;
}

/// The `run` elements of this lane, of each word.
static SmallVector<Value> pickElements(const TileCopy &copy,
                                       const SharedWords &words, Value vector,
                                       Value shift) {
  OpBuilder &b = copy.builder();
  Location loc = copy.loc;
  auto wordType = VectorType::get(words.width * 4 / kWordBits, b.getI32Type());
  // Vendors convert whole bytes.
  int64_t count = std::max<int64_t>(words.run, 2);
  auto own = VectorType::get(count, b.getIntegerType(4));
  Value all = LLVM::BitcastOp::create(b, loc, wordType, vector);
  SmallVector<Value> parts;
  for (int64_t i = 0; i < wordType.getNumElements(); ++i) {
    Value word = vector::ExtractOp::create(b, loc, all, ArrayRef<int64_t>{i});
    word = arith::ShRUIOp::create(b, loc, word, shift);
    word = arith::TruncIOp::create(b, loc, b.getIntegerType(4 * count), word);
    Value elements = LLVM::BitcastOp::create(b, loc, own, word);
    Type element = copy.source.buffer.element;
    if (!element.isInteger(4))
      elements = arith::BitcastOp::create(
          b, loc, VectorType::get(count, element), elements);
    parts.push_back(elements);
  }
  return parts;
}

void simt::copySharedWords(const TileCopy &copy, const ThreadMap &map,
                           const SharedWords &words) {
  OpBuilder &b = copy.builder();
  Location loc = copy.loc;
  ThreadMap wide(words.layout, copy.l.threads());
  wide.materialize(b, loc);
  MemoryRegion &memory = *copy.source.memory;
  memory.bind(wide);
  Buffer bits = memory.getBuffer();
  bits.element = b.getIntegerType(4);
  Value lane = arith::DivUIOp::create(b, loc, copy.l.threads().lane,
                                      copy.l.i32(loc, words.laneStride));
  lane = arith::RemUIOp::create(b, loc, lane, copy.l.i32(loc, words.lanes));
  Value shift =
      arith::MulIOp::create(b, loc, lane, copy.l.i32(loc, 4 * words.run));
  // Registers by the vector that they come from.
  using Places = SmallVector<std::pair<int64_t, int64_t>>; // register, word
  llvm::MapVector<SmallVector<int64_t>, Places> vectors;
  for (int64_t reg = 0; reg < map.numRegisters(); reg += words.run) {
    SmallVector<int64_t> part = *map.getRegisterPart(reg);
    int64_t within = part.back() % words.width;
    part.back() -= within;
    vectors[part].push_back({reg, within / words.getWord()});
  }
  auto groups = vectors.takeVector();
  for (size_t begin = 0; begin < groups.size(); begin += kMaxWide) {
    auto batch = ArrayRef(groups).slice(begin).take_front(kMaxWide);
    SmallVector<Value> values;
    for (auto &[part, registers] : batch)
      values.push_back(
          copy.l.load(loc, bits, memory.getOffset(part), words.width));
    for (auto [group, value] : llvm::zip(batch, values)) {
      SmallVector<Value> parts = pickElements(copy, words, value, shift);
      for (auto [reg, word] : group.second) {
        Value converted = copy.convert(parts[word]);
        for (int64_t i = 0; i < words.run; ++i)
          copy.l.storeRegister(loc,
                               vector::ExtractOp::create(b, loc, converted,
                                                         ArrayRef<int64_t>{i}),
                               copy.target.buffer, reg + i);
      }
    }
  }
}
