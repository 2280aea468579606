//===- CopyExchange.cpp - vectors whose elements lanes swap ---------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Accumulators of matrix instructions give a lane two neighbours of every
// eight: of bf16 that is a store of 4 bytes, and four lanes together write half
// a sector. Before a store, and after a load, lanes that lie side by side swap
// what they hold, so that memory sees whole vectors: a transpose of a square of
// lanes and registers, in log2(lanes) steps.
//
//     lane      0    1    2    3            0    1    2    3
//     reg 0    0:2  2:4  4:6  6:8          0:2  8:..16:..24:..
//     reg 1    8:.. ...               ->   2:4  ...
//
//===----------------------------------------------------------------------===//

#include "TileCopy.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::simt;
using ::tile::layout::Axis;
using ::tile::layout::Digit;
using ::tile::layout::Dim;
using ::tile::layout::Layout;

static constexpr int64_t kWordBits = 32;

using Words = SmallVector<Value>;

/// The layout after `lanes` lanes and as many registers have changed places.
static std::optional<Layout> swapLanes(const Layout &layout,
                                       const LaneExchange &exchange) {
  std::vector<Dim> dims = layout.dims();
  std::vector<Digit> &digits = dims.back().digits;
  Digit own = digits.back(), lanes = digits[digits.size() - 2];
  Digit next = digits[digits.size() - 3];
  int64_t count = exchange.lanes;
  digits.resize(digits.size() - 3);
  digits.push_back({next.extent / count, Axis::Reg, next.stride * count});
  digits.push_back({count, Axis::Lane, lanes.stride});
  digits.push_back({lanes.extent / count, Axis::Lane, lanes.stride * count});
  digits.push_back({count, Axis::Reg, next.stride});
  digits.push_back(own);
  auto swapped = Layout::get(dims, layout.copies());
  return swapped ? std::optional<Layout>(*swapped) : std::nullopt;
}

std::optional<LaneExchange> simt::findLaneExchange(const TileCopy &copy,
                                                   const Layout &layout) {
  const std::vector<Dim> &dims = layout.dims();
  if (copy.source.isMemory() == copy.target.isMemory())
    return std::nullopt;
  const CopySide &side = copy.source.isMemory() ? copy.source : copy.target;
  if (side.buffer.space != MemorySpace::Global || dims.empty() ||
      dims.back().digits.size() < 3 ||
      copy.l.threads().lanes != copy.l.getGPU().warpSize)
    return std::nullopt;
  const std::vector<Digit> &digits = dims.back().digits;
  int64_t covered = 1;
  for (const Digit &digit : digits)
    covered *= digit.extent;
  Digit own = digits.back(), lanes = digits[digits.size() - 2];
  Digit next = digits[digits.size() - 3];
  if (covered != dims.back().extent || own.axis != Axis::Reg ||
      own.stride != 1 || lanes.axis != Axis::Lane || next.axis != Axis::Reg)
    return std::nullopt;
  // Memory is written in sectors of two vectors; whole ones are left alone.
  int64_t bits = getElementBits(side.buffer.element);
  int64_t vectorBits = 8 * copy.l.getGPU().vectorBytes;
  if (bits < 8 || own.extent * lanes.extent * bits >= 2 * vectorBits)
    return std::nullopt;
  LaneExchange exchange{
      {}, own.extent, 1, lanes.stride, own.extent * lanes.extent};
  while (lanes.extent % (2 * exchange.lanes) == 0 &&
         next.extent % (2 * exchange.lanes) == 0 &&
         2 * exchange.getWidth() * bits <= vectorBits)
    exchange.lanes *= 2;
  if (exchange.lanes == 1 || exchange.getWidth() * bits % kWordBits != 0 ||
      !side.memory->isContiguous(exchange.getWidth()))
    return std::nullopt;
  std::optional<Layout> swapped = swapLanes(layout, exchange);
  if (!swapped)
    return std::nullopt;
  exchange.layout = *swapped;
  return exchange;
}

namespace {
class ExchangedCopy {
public:
  ExchangedCopy(const TileCopy &copy, const LaneExchange &exchange)
      : copy(copy), exchange(exchange), b(copy.builder()), loc(copy.loc),
        memory(copy.source.isMemory() ? *copy.source.memory
                                      : *copy.target.memory),
        element(memory.getBuffer().element), bits(getElementBits(element)),
        wordBits(std::min(exchange.run * bits, kWordBits)) {}

  void emit(const ThreadMap &map);

private:
  /// A run of registers, converted to elements of the memory.
  Value readRun(int64_t reg);
  void writeRun(int64_t reg, Value run);
  /// A vector as integers that lanes can swap, of at most 32 bits, and back.
  Words split(Value vector);
  Value join(ArrayRef<Value> words);
  void transpose(MutableArrayRef<Words> runs);
  /// The same bits; vendors' passes know 8-bit floats by this op.
  Value asType(Value vector, Type type) {
    auto of = cast<VectorType>(vector.getType());
    return of.getElementType() == type
               ? vector
               : arith::BitcastOp::create(b, loc, of.clone(type), vector)
                     .getResult();
  }
  Value getBit(int64_t bit);
  void store(const ThreadMap &swapped, ArrayRef<int64_t> part,
             ArrayRef<int64_t> registers);
  Value load(const ThreadMap &swapped, ArrayRef<int64_t> part);
  void spread(ArrayRef<int64_t> registers, Value vector);

  const TileCopy &copy;
  const LaneExchange &exchange;
  OpBuilder &b;
  Location loc;
  MemoryRegion &memory;
  Type element;
  int64_t bits, wordBits;
  SmallVector<Value> laneBits; // whether the lane's number has them
};
} // namespace

Value ExchangedCopy::readRun(int64_t reg) {
  SmallVector<Value> values;
  for (int64_t i = 0; i < exchange.run; ++i)
    values.push_back(copy.l.loadRegister(loc, copy.source.buffer, reg + i));
  return copy.convert(vector::FromElementsOp::create(
      b, loc, VectorType::get(exchange.run, values[0].getType()), values));
}

void ExchangedCopy::writeRun(int64_t reg, Value run) {
  run = copy.convert(run);
  for (int64_t i = 0; i < exchange.run; ++i)
    copy.l.storeRegister(
        loc, vector::ExtractOp::create(b, loc, run, ArrayRef<int64_t>{i}),
        copy.target.buffer, reg + i);
}

Words ExchangedCopy::split(Value vector) {
  int64_t count = cast<VectorType>(vector.getType()).getNumElements();
  vector = vector::BitCastOp::create(
      b, loc,
      VectorType::get(count * bits / wordBits, b.getIntegerType(wordBits)),
      asType(vector, b.getIntegerType(bits)));
  Words words;
  for (int64_t i = 0; i < count * bits / wordBits; ++i)
    words.push_back(b.createOrFold<arith::ExtUIOp>(
        loc, b.getI32Type(),
        vector::ExtractOp::create(b, loc, vector, ArrayRef<int64_t>{i})));
  return words;
}

Value ExchangedCopy::join(ArrayRef<Value> words) {
  Words parts;
  for (Value word : words)
    parts.push_back(
        b.createOrFold<arith::TruncIOp>(loc, b.getIntegerType(wordBits), word));
  int64_t count = int64_t(words.size()) * wordBits / bits;
  Value all = vector::FromElementsOp::create(
      b, loc, VectorType::get(parts.size(), parts[0].getType()), parts);
  return asType(
      vector::BitCastOp::create(
          b, loc, VectorType::get(count, b.getIntegerType(bits)), all),
      element);
}

Value ExchangedCopy::getBit(int64_t bit) {
  KernelLowering &l = copy.l;
  Value own = arith::AndIOp::create(b, loc, l.threads().lane,
                                    l.i32(loc, bit * exchange.laneStride));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, own,
                               l.i32(loc, 0));
}

/// Run `i` of lane `j` becomes run `j` of lane `i`.
void ExchangedCopy::transpose(MutableArrayRef<Words> runs) {
  KernelLowering &l = copy.l;
  for (auto [step, isHigh] : llvm::enumerate(laneBits)) {
    size_t bit = size_t(1) << step;
    for (size_t i = 0; i < runs.size(); ++i) {
      if (i & bit)
        continue;
      for (auto [low, high] : llvm::zip(runs[i], runs[i + bit])) {
        Value sent = arith::SelectOp::create(b, loc, isHigh, low, high);
        Value got =
            gpu::ShuffleOp::create(
                b, loc, sent, l.i32(loc, int64_t(bit) * exchange.laneStride),
                l.i32(loc, l.threads().lanes), gpu::ShuffleMode::XOR)
                .getShuffleResult();
        Value newLow = arith::SelectOp::create(b, loc, isHigh, got, low);
        high = arith::SelectOp::create(b, loc, isHigh, high, got);
        low = newLow;
      }
    }
  }
}

void ExchangedCopy::store(const ThreadMap &swapped, ArrayRef<int64_t> part,
                          ArrayRef<int64_t> registers) {
  SmallVector<Words> runs = llvm::map_to_vector(
      registers, [&](int64_t reg) { return split(readRun(reg)); });
  transpose(runs);
  Words words;
  for (const Words &run : runs)
    words.append(run);
  Value vector = join(words);
  Value guard = copy.getWriteGuard(swapped, swapped.getExistence(b, loc, part));
  copy.l.inIf(loc, guard, [&] {
    copy.l.store(loc, vector, memory.getBuffer(), memory.getOffset(part),
                 exchange.getWidth());
  });
}

/// The vector of a lane; of those without one, zeros, for the lanes that swap.
Value ExchangedCopy::load(const ThreadMap &swapped, ArrayRef<int64_t> part) {
  auto read = [&] {
    return copy.l.load(loc, memory.getBuffer(), memory.getOffset(part),
                       exchange.getWidth());
  };
  Value exists = swapped.getExistence(b, loc, part);
  if (!exists)
    return read();
  auto type = VectorType::get(exchange.getWidth(), element);
  auto branch =
      scf::IfOp::create(b, loc, type, exists, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, loc, read());
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, loc, constantZero(b, loc, type));
  return branch.getResult(0);
}

void ExchangedCopy::spread(ArrayRef<int64_t> registers, Value vector) {
  Words words = split(vector);
  size_t each = words.size() / registers.size();
  SmallVector<Words> runs;
  for (size_t i = 0; i < registers.size(); ++i)
    runs.push_back(Words(ArrayRef(words).slice(i * each, each)));
  transpose(runs);
  for (auto [reg, run] : llvm::zip(registers, runs))
    writeRun(reg, join(run));
}

void ExchangedCopy::emit(const ThreadMap &map) {
  ThreadMap swapped(exchange.layout, copy.l.threads());
  swapped.materialize(b, loc);
  memory.bind(swapped);
  for (int64_t bit = 1; bit < exchange.lanes; bit *= 2)
    laneBits.push_back(getBit(bit));
  // The runs of a lane that it swaps with its neighbours, by where the vector
  // lies that comes of them.
  llvm::MapVector<SmallVector<int64_t>, SmallVector<int64_t>> found;
  for (int64_t reg = 0; reg < map.numRegisters(); reg += exchange.run)
    if (auto part = map.getRegisterPart(reg)) {
      int64_t turn = part->back() / exchange.distance % exchange.lanes;
      part->back() -= turn * exchange.distance;
      SmallVector<int64_t> &registers = found[*part];
      registers.resize(exchange.lanes);
      registers[turn] = reg;
    }
  auto squares = found.takeVector();
  for (size_t begin = 0; begin < squares.size(); begin += kMaxVectorsInFlight) {
    auto batch = ArrayRef(squares).slice(begin).take_front(kMaxVectorsInFlight);
    SmallVector<Value> vectors;
    for (auto &[part, registers] : batch)
      if (copy.source.isMemory())
        vectors.push_back(load(swapped, part));
      else
        store(swapped, part, registers);
    for (auto [square, vector] :
         llvm::zip_first(batch.take_front(vectors.size()), vectors))
      spread(square.second, vector);
  }
}

void simt::copyExchanged(const TileCopy &copy, const ThreadMap &map,
                         const LaneExchange &exchange) {
  ExchangedCopy(copy, exchange).emit(map);
}
