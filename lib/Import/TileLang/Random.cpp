//===- Random.cpp - random numbers ----------------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Philox4x32-10, as cuRAND has it, is a function of a key and a counter. The
// key is the seed, the upper half of the counter the subsequence, and the lower
// half counts groups of four numbers. What a block keeps is therefore the seed,
// the subsequence, and how many numbers are behind it.
//
// Which thread draws which number of a T.Parallel is up to TileLang's layouts,
// unless there is one thread: it draws them one after the other.
//
//===----------------------------------------------------------------------===//

#include "Random.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::tilelang;

static constexpr StringLiteral kPhilox = "curandStatePhilox4_32_10_t";
enum Field { Seed, Subsequence, Position, NumFields };

/// A word of 64 bits, as C converts it.
static Value getWide(Importer &importer, Node e) {
  OpBuilder &b = importer.builder;
  Location loc = importer.getLoc(e);
  Type i64 = b.getI64Type();
  if (importer.computesIndex(e))
    return arith::IndexCastOp::create(b, loc, i64, importer.getIndex(e));
  Value value = importer.getValue(e);
  auto type = dyn_cast<IntegerType>(value.getType());
  if (!type || type.getWidth() > 64)
    return importer.refuse(e, i64, "a seed that is no integer", "cast it");
  if (type.getWidth() == 64)
    return value;
  if (DataType(e.getString("dtype")).isUnsigned())
    return arith::ExtUIOp::create(b, loc, i64, value);
  return arith::ExtSIOp::create(b, loc, i64, value);
}

void tilelang::beginNumbers(Importer &importer, Node call) {
  SmallVector<Node> args = call.getElementsOf("args");
  StringRef generator = args.size() == 4 ? args[3].asString() : "";
  if (generator != kPhilox)
    return importer.refuse(
        call, "random numbers of the generator '" + generator + "'",
        "use curandStatePhilox4_32_10_t");
  if (!importer.inKernel || importer.inParallel ||
      llvm::any_of(importer.threads.extents, [](int64_t n) { return n != 1; }))
    return importer.refuse(call, "random numbers in a block of several threads",
                           "give the block one thread, or pass them as a "
                           "T.Tensor");
  OpBuilder &b = importer.builder;
  Location loc = importer.getLoc(call);
  Value &state = importer.generator;
  if (!state) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&importer.kernel.getBody().front());
    auto type = MemRefType::get(
        {NumFields}, b.getI64Type(), MemRefLayoutAttrInterface(),
        MemorySpaceAttr::get(importer.context, MemorySpace::Local));
    state = AllocOp::create(b, importer.getNamedLoc(call, "generator"), type,
                            LayoutAttr(), IntegerAttr());
  }
  for (unsigned field = 0; field < NumFields; ++field) {
    Value value = getWide(importer, args[field]);
    memref::StoreOp::create(b, loc, value, state,
                            importer.constantIndex(field));
  }
}

namespace {
/// Arithmetic on words of 32 bits.
struct Words {
  Value constant(uint32_t value) {
    return importer.constant(b.getI32Type(), int64_t(value));
  }
  Value low(Value wide) {
    return arith::TruncIOp::create(b, loc, b.getI32Type(), wide);
  }
  Value high(Value wide) {
    Value by = importer.constant(b.getI64Type(), int64_t(32));
    return low(arith::ShRUIOp::create(b, loc, wide, by));
  }
  Value multiply(Value word, uint32_t factor) {
    Value wide = arith::ExtUIOp::create(b, loc, b.getI64Type(), word);
    return arith::MulIOp::create(
        b, loc, wide, importer.constant(b.getI64Type(), int64_t(factor)));
  }
  Value combine(Value x, Value y, Value z) {
    return arith::XOrIOp::create(b, loc, arith::XOrIOp::create(b, loc, x, y),
                                 z);
  }
  SmallVector<Value, 4> makePhilox(Value counter, Value subsequence,
                                   Value seed);

  Importer &importer;
  OpBuilder &b;
  Location loc;
};
} // namespace

/// Ten rounds on the counter; the key grows by constants.
SmallVector<Value, 4> Words::makePhilox(Value counter, Value subsequence,
                                        Value seed) {
  Value x = low(counter), y = high(counter);
  Value z = low(subsequence), w = high(subsequence);
  Value first = low(seed), second = high(seed);
  for (unsigned round = 0; round < 10; ++round) {
    Value one = multiply(x, 0xD2511F53), two = multiply(z, 0xCD9E8D57);
    x = combine(high(two), y, first);
    z = combine(high(one), w, second);
    y = low(two);
    w = low(one);
    first = arith::AddIOp::create(b, loc, first, constant(0x9E3779B9));
    second = arith::AddIOp::create(b, loc, second, constant(0xBB67AE85));
  }
  return {x, y, z, w};
}

/// The next number, and the place behind it.
static Value drawWord(Importer &importer, Node call) {
  OpBuilder &b = importer.builder;
  Location loc = importer.getLoc(call);
  Type i64 = b.getI64Type();
  auto read = [&](unsigned field) -> Value {
    return memref::LoadOp::create(b, loc, importer.generator,
                                  importer.constantIndex(field));
  };
  auto number = [&](int64_t value) { return importer.constant(i64, value); };
  Value position = read(Position);
  Value group = arith::ShRUIOp::create(b, loc, position, number(2));
  SmallVector<Value, 4> words =
      Words{importer, b, loc}.makePhilox(group, read(Subsequence), read(Seed));
  Value place = arith::AndIOp::create(b, loc, position, number(3));
  Value word = words[3];
  for (unsigned i = 3; i-- > 0;) {
    Value isHere = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                         place, number(i));
    word = arith::SelectOp::create(b, loc, isHere, words[i], word);
  }
  Value next = arith::AddIOp::create(b, loc, position, number(1));
  memref::StoreOp::create(b, loc, next, importer.generator,
                          importer.constantIndex(Position));
  return word;
}

Value tilelang::drawNumber(Importer &importer, Node call) {
  Type type = importer.getType(call);
  SmallVector<Node> args = call.getElementsOf("args");
  bool isFloat = getCallee(call) == "rng_rand_float";
  StringRef distribution = isFloat && !args.empty() ? args[0].asString() : "";
  if (isFloat ? !type.isF32() || distribution != "uniform"
              : !type.isInteger(32))
    return importer.refuse(call, type,
                           "random numbers of " +
                               (isFloat
                                    ? "the distribution '" + distribution + "'"
                                    : Twine("another type")),
                           "draw words or uniform numbers of 32 bits");
  if (!importer.generator || importer.inParallel)
    return importer.refuse(call, type,
                           "random numbers in a block of several threads",
                           "give the block one thread, or pass them as a "
                           "T.Tensor");
  Value word = drawWord(importer, call);
  if (!isFloat)
    return word;
  // From 2^-33 to 1.
  OpBuilder &b = importer.builder;
  Location loc = importer.getLoc(call);
  Value real = arith::UIToFPOp::create(b, loc, type, word);
  Value scaled =
      arith::MulFOp::create(b, loc, real, importer.constant(type, 0x1p-32));
  return arith::AddFOp::create(b, loc, scaled,
                               importer.constant(type, 0x1p-33));
}

bool tilelang::drawsNumbers(Node root) {
  return anyNode(root,
                 [](Node node) { return getCallee(node).starts_with("rng_"); });
}
