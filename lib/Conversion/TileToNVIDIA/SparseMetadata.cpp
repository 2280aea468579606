//===- SparseMetadata.cpp - metadata of mma.sp ----------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SparseMetadata.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvidia;
using namespace mlir::tile::simt;

// Lanes that share the rows of a fragment, and the distance of these rows.
static constexpr int64_t kQuad = 4, kRowDistance = 8;

MetadataReader::MetadataReader(const WarpProduct &product, const Buffer &buffer,
                               bool transposed, int64_t steps, Value warpPart,
                               KernelLowering &l)
    : buffer(buffer), transposed(transposed), steps(steps), l(l),
      loc(product.op->getLoc()) {
  OpBuilder &b = l.builder();
  int64_t elementBits =
      cast<MemRefType>(product.a.getType()).getElementTypeBitWidth();
  bitsPerElement = elementBits == 32 ? 4 : 2;
  chunkBits = elementBits == 8 ? 32 : 16;
  bitsPerWord = buffer.element.getIntOrFloatBitWidth();
  Value quad = l.i32(loc, kQuad);
  lane = arith::RemUIOp::create(b, loc, l.threads().lane, quad);
  firstRow = b.createOrFold<arith::AddIOp>(
      loc, arith::DivUIOp::create(b, loc, l.threads().lane, quad), warpPart);
  if (chunkBits == 32) {
    // Every second lane has the other row.
    Value odd = arith::AndIOp::create(b, loc, lane, l.i32(loc, 1));
    firstRow = arith::AddIOp::create(
        b, loc, firstRow,
        arith::MulIOp::create(b, loc, odd, l.i32(loc, kRowDistance)));
  }
}

void MetadataReader::beginIteration(Value k) {
  known.clear();
  firstWord = {};
  if (!k)
    return;
  // An iteration has whole words: 32 bits or more of each row.
  OpBuilder &b = l.builder();
  Value bits = arith::MulIOp::create(b, loc, l.toI32(loc, k),
                                     l.i32(loc, bitsPerElement));
  firstWord = arith::DivUIOp::create(b, loc, bits, l.i32(loc, bitsPerWord));
}

/// An element of the buffer, as an i32.
Value MetadataReader::readWord(Value row, Value column) {
  OpBuilder &b = l.builder();
  SmallVector<Value> place = {row, column};
  if (transposed)
    std::swap(place[0], place[1]);
  Value word = l.load(loc, buffer, l.getOffset(loc, buffer, place));
  return bitsPerWord == 32
             ? word
             : arith::ExtUIOp::create(b, loc, b.getI32Type(), word).getResult();
}

/// The bits of a row that begin at those of a chunk; beyond the first lane of a
/// quad, those of a later chunk.
Value MetadataReader::readChunk(int64_t row, int64_t chunk) {
  OpBuilder &b = l.builder();
  auto add = [&](Value x, Value y) -> Value {
    return b.createOrFold<arith::AddIOp>(loc, x, y);
  };
  Value rowAt = add(firstRow, l.i32(loc, row));
  // Of 8-bit elements two lanes have the same columns; a last instruction
  // without another one has the columns of two lanes.
  bool isLast = chunkBits == 16 && chunk / 2 == steps - 1;
  Value part = lane;
  if (chunkBits == 32)
    part = arith::ShRUIOp::create(b, loc, lane, l.i32(loc, 1));
  else if (isLast)
    part = arith::AndIOp::create(b, loc, lane, l.i32(loc, 1));
  Value number = add(part, l.i32(loc, chunk));
  auto getColumn = [&](Value inIteration) {
    return firstWord ? add(firstWord, inIteration) : inIteration;
  };
  if (bitsPerWord > chunkBits) {
    Value index = arith::ShRUIOp::create(b, loc, number, l.i32(loc, 1));
    Value half = arith::AndIOp::create(b, loc, number, l.i32(loc, 1));
    Value by = arith::MulIOp::create(b, loc, half, l.i32(loc, chunkBits));
    Value word = readWord(rowAt, getColumn(index));
    return arith::AndIOp::create(b, loc,
                                 arith::ShRUIOp::create(b, loc, word, by),
                                 l.i32(loc, (int64_t(1) << chunkBits) - 1));
  }
  int64_t words = chunkBits / bitsPerWord;
  Value first = arith::MulIOp::create(b, loc, number, l.i32(loc, words));
  Value chunkValue;
  for (int64_t i = 0; i < words; ++i) {
    Value word = readWord(rowAt, getColumn(add(first, l.i32(loc, i))));
    if (i == 0) {
      chunkValue = word;
      continue;
    }
    word = arith::ShLIOp::create(b, loc, word, l.i32(loc, i * bitsPerWord));
    chunkValue = arith::OrIOp::create(b, loc, chunkValue, word);
  }
  return chunkValue;
}

SparsityOperand MetadataReader::read(int64_t m, int64_t step) {
  OpBuilder &b = l.builder();
  if (chunkBits == 32) {
    Value &metadata = known[{m, 2 * step}];
    if (!metadata)
      metadata = readChunk(m, 2 * step);
    return {metadata, 0};
  }
  // Four chunks in the lanes of a quad are those of two instructions.
  int64_t even = step / 2 * 2;
  Value &metadata = known[{m, 2 * even}];
  if (!metadata) {
    Value high = readChunk(m + kRowDistance, 2 * even);
    metadata = arith::OrIOp::create(
        b, loc, readChunk(m, 2 * even),
        arith::ShLIOp::create(b, loc, high, l.i32(loc, chunkBits)));
  }
  return {metadata, step % 2};
}
