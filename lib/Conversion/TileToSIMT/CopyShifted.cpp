//===- CopyShifted.cpp - copies of rows that no vector begins at ----------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of an odd length begin anywhere. Memory moves in aligned vectors all the
// same: a thread loads the two that hold its elements and shifts them together;
// of a store, it takes the rest of the vector from the next lane.
//
//===----------------------------------------------------------------------===//

#include "TileCopy.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::simt;

// Vectors are moved as words, which can be shifted and shuffled.
static constexpr int64_t kWordBytes = 4;
// How many vectors a thread has in flight: each is two in registers.
static constexpr int64_t kMaxInFlight = 4;

static bool isGlobal(const CopySide &side) {
  return side.isMemory() && side.buffer.space == MemorySpace::Global;
}

namespace {
class ShiftedCopy {
public:
  /// `side` has the rows that begin anywhere.
  ShiftedCopy(const TileCopy &copy, CopySide &side, const ThreadMap &map,
              int64_t run)
      : copy(copy), map(map), run(run), l(copy.l), b(copy.builder()),
        loc(copy.loc), memory(*side.memory),
        bytes(
            getStorageType(memory.getBuffer().element).getIntOrFloatBitWidth() /
            8),
        vectorBytes(run * bytes), numWords(vectorBytes / kWordBytes) {
    memory.bind(map);
  }

  void load();
  /// To memory, where vectors around the rows may reach past the `whole`
  /// buffer.
  void loadAtEnds(const Buffer &whole);
  void store();

private:
  using Words = SmallVector<Value>;
  /// A vector that starts in a register.
  struct Run {
    int64_t reg;
    SmallVector<int64_t> part;
    SmallVector<Value> first; ///< its first element
    Value offset, address;    ///< of that; the address is an i64
    Words words;
  };

  SmallVector<Run> getRuns();
  void locate(Run &of, Value offset);
  /// A loop over the runs of a thread, `together` at a time.
  void forEachRun(int64_t together,
                  function_ref<void(MutableArrayRef<Run>)> emit);
  Value i64(int64_t value) {
    return arith::ConstantIntOp::create(b, loc, value, 64);
  }
  Value isInside(const Run &run, Value element);
  Value isInside(const Run &run, int64_t element) {
    return isInside(run, l.i32(loc, element));
  }
  Value isWhole(const Run &run);
  Value getPointer(Value address);
  /// A vector that begins `shift` bytes, an i32, behind the begin of the
  /// first word.
  Words shiftWords(ArrayRef<Value> words, Value shift);
  Value toElements(ArrayRef<Value> words, Type element);
  Words toWords(Value elements);
  Words shuffle(ArrayRef<Value> words, gpu::ShuffleMode mode);
  Value getMask(const Run &run, int64_t word);
  Value getPadding();
  void padOutside(MutableArrayRef<Run> runs);
  Words loadVectors(const Run &run);
  Words loadInside(const Run &run, Value begin, Value end);
  void loadRuns(MutableArrayRef<Run> runs, Value start);
  Value getElements(const Run &run);
  void write(const Run &run);
  Value readRegisters(const Run &run);
  void storeRun(const Run &run);
  void storeElements(const Run &run, Value begin, Value end);
  uint64_t getLastLanes();

  const TileCopy &copy;
  const ThreadMap &map;
  int64_t run;
  KernelLowering &l;
  OpBuilder &b;
  Location loc;
  MemoryRegion &memory;
  int64_t bytes; // of an element
  int64_t vectorBytes, numWords;
};
} // namespace

//===----------------------------------------------------------------------===//
// Runs of elements
//===----------------------------------------------------------------------===//

SmallVector<ShiftedCopy::Run> ShiftedCopy::getRuns() {
  SmallVector<Run> runs;
  for (int64_t reg = 0; reg < map.numRegisters(); reg += run)
    if (auto part = map.getRegisterPart(reg))
      runs.push_back({reg, *part, {}, {}, {}, {}});
  return runs;
}

void ShiftedCopy::locate(Run &of, Value offset) {
  of.offset = offset;
  of.address = LLVM::PtrToIntOp::create(
      b, loc, b.getI64Type(), l.getAddress(loc, memory.getBuffer(), offset));
}

void ShiftedCopy::forEachRun(int64_t together,
                             function_ref<void(MutableArrayRef<Run>)> emit) {
  auto loop =
      scf::ForOp::create(b, loc, l.i32(loc, 0), l.i32(loc, map.numRegisters()),
                         l.i32(loc, run * together));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Run> runs(together);
  for (auto [i, one] : llvm::enumerate(runs)) {
    Value reg = b.createOrFold<arith::AddIOp>(loc, loop.getInductionVar(),
                                              l.i32(loc, run * i));
    one.first = map.getElement(b, loc, reg).coordinates;
    locate(one, memory.getOffset(ValueRange(one.first)));
  }
  emit(runs);
}

Value ShiftedCopy::isInside(const Run &run, Value element) {
  SmallVector<Value> at = run.first;
  at.back() = b.createOrFold<arith::AddIOp>(loc, at.back(), element);
  return memory.isInside(at);
}

/// Whether all of it is in bounds; null: it is known to be.
Value ShiftedCopy::isWhole(const Run &of) {
  Value first = isInside(of, 0);
  return first
             ? b.createOrFold<arith::AndIOp>(loc, first, isInside(of, run - 1))
             : first;
}

Value ShiftedCopy::getPointer(Value address) {
  Value base = memory.getBuffer().base;
  Value start = LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), base);
  Value distance = arith::SubIOp::create(b, loc, address, start);
  return LLVM::GEPOp::create(b, loc, base.getType(), b.getI8Type(), base,
                             ArrayRef<LLVM::GEPArg>{distance});
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

ShiftedCopy::Words ShiftedCopy::shiftWords(ArrayRef<Value> given, Value shift) {
  Words words(given);
  for (int64_t step = numWords / 2; step > 0; step /= 2) {
    Value bit =
        arith::AndIOp::create(b, loc, shift, l.i32(loc, kWordBytes * step));
    Value moves = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, bit,
                                        l.i32(loc, 0));
    for (size_t i = 0; i + step < words.size(); ++i)
      words[i] =
          arith::SelectOp::create(b, loc, moves, words[i + step], words[i]);
  }
  if (bytes < kWordBytes) {
    Value rest = arith::AndIOp::create(b, loc, shift, l.i32(loc, 3));
    Value bits = arith::MulIOp::create(b, loc, rest, l.i32(loc, 8));
    for (int64_t i = 0; i < numWords; ++i)
      words[i] = LLVM::FshrOp::create(b, loc, b.getI32Type(), words[i + 1],
                                      words[i], bits);
  }
  words.resize(numWords);
  return words;
}

Value ShiftedCopy::toElements(ArrayRef<Value> words, Type element) {
  Value vector = vector::FromElementsOp::create(
      b, loc, VectorType::get(numWords, b.getI32Type()), words);
  vector = LLVM::BitcastOp::create(
      b, loc, VectorType::get(run, getStorageType(element)), vector);
  return fromStorage(b, loc, vector, element);
}

ShiftedCopy::Words ShiftedCopy::toWords(Value elements) {
  Value vector =
      LLVM::BitcastOp::create(b, loc, VectorType::get(numWords, b.getI32Type()),
                              toStorage(b, loc, elements));
  Words words;
  for (int64_t i = 0; i < numWords; ++i)
    words.push_back(
        vector::ExtractOp::create(b, loc, vector, ArrayRef<int64_t>{i}));
  return words;
}

/// Those of the lane before or behind.
ShiftedCopy::Words ShiftedCopy::shuffle(ArrayRef<Value> words,
                                        gpu::ShuffleMode mode) {
  return llvm::map_to_vector(words, [&](Value word) -> Value {
    return gpu::ShuffleOp::create(b, loc, word, l.i32(loc, 1),
                                  l.i32(loc, l.threads().lanes), mode)
        .getShuffleResult();
  });
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// The bits of a word whose elements have a place in the row; null: all.
Value ShiftedCopy::getMask(const Run &of, int64_t word) {
  int64_t perWord = kWordBytes / bytes, bits = 8 * bytes;
  Value mask;
  for (int64_t i = 0; i < perWord; ++i) {
    SmallVector<Value> at = of.first;
    at.back() = b.createOrFold<arith::AddIOp>(loc, at.back(),
                                              l.i32(loc, word * perWord + i));
    Value inside = memory.isPlaceInside(at);
    if (!inside)
      return {};
    Value own = l.i32(
        loc, int32_t(llvm::maskTrailingOnes<uint32_t>(bits) << (i * bits)));
    own = arith::SelectOp::create(b, loc, inside, own, l.i32(loc, 0));
    mask = mask ? b.createOrFold<arith::OrIOp>(loc, mask, own) : own;
  }
  return mask;
}

/// A word whose elements are all padding; null: of zeros.
Value ShiftedCopy::getPadding() {
  const Buffer &buffer = memory.getBuffer();
  if (!buffer.paddingValue)
    return {};
  Value one = toStorage(b, loc, buffer.paddingValue);
  Value all = vector::BroadcastOp::create(
      b, loc, VectorType::get(kWordBytes / bytes, one.getType()), one);
  Type word = VectorType::get(1, b.getI32Type());
  all = LLVM::BitcastOp::create(b, loc, word, all);
  return vector::ExtractOp::create(b, loc, all, ArrayRef<int64_t>{0});
}

/// The words of runs, of which the elements out of bounds are padding. One
/// branch for all of them: LLVM would move loads of the later ones behind that
/// of the first, where each waits for the one before.
void ShiftedCopy::padOutside(MutableArrayRef<Run> runs) {
  Value whole;
  Words given;
  for (const Run &one : runs) {
    given.append(one.words);
    if (Value own = isWhole(one))
      whole = whole ? b.createOrFold<arith::AndIOp>(loc, whole, own) : own;
  }
  if (!whole)
    return;
  auto branch = scf::IfOp::create(b, loc, TypeRange(given), whole,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, loc, given);
  b.setInsertionPointToStart(branch.elseBlock());
  Value padding = getPadding();
  Words padded;
  for (Run &one : runs) {
    Value row = memory.isRowInside(one.first);
    for (auto [i, word] : llvm::enumerate(one.words)) {
      Value mask = getMask(one, i);
      if (row)
        mask = arith::SelectOp::create(
            b, loc, row, mask ? mask : l.i32(loc, -1), l.i32(loc, 0));
      Value kept = mask ? arith::AndIOp::create(b, loc, word, mask) : word;
      if (mask && padding)
        kept = arith::OrIOp::create(
            b, loc, kept,
            arith::AndIOp::create(
                b, loc, padding,
                arith::XOrIOp::create(b, loc, mask, l.i32(loc, -1))));
      padded.push_back(kept);
    }
  }
  scf::YieldOp::create(b, loc, padded);
  for (auto [i, one] : llvm::enumerate(runs))
    one.words.assign(branch.result_begin() + i * numWords,
                     branch.result_begin() + (i + 1) * numWords);
}

/// The two aligned vectors that hold the run, and how many bytes it begins
/// behind the first one.
ShiftedCopy::Words ShiftedCopy::loadVectors(const Run &of) {
  Type vector = VectorType::get(numWords, b.getI32Type());
  Value low = i64(-vectorBytes);
  Value last = arith::AddIOp::create(b, loc, of.address, i64(vectorBytes - 1));
  Words words;
  for (Value any : {of.address, last}) {
    Value address = arith::AndIOp::create(b, loc, any, low);
    Value loaded = LLVM::LoadOp::create(b, loc, vector, getPointer(address),
                                        unsigned(vectorBytes));
    for (int64_t i = 0; i < numWords; ++i)
      words.push_back(
          vector::ExtractOp::create(b, loc, loaded, ArrayRef<int64_t>{i}));
  }
  Value shift = arith::TruncIOp::create(b, loc, b.getI32Type(), of.address);
  words.push_back(
      arith::AndIOp::create(b, loc, shift, l.i32(loc, vectorBytes - 1)));
  return words;
}

/// The same where these vectors may reach past the buffer: its elements then.
ShiftedCopy::Words ShiftedCopy::loadInside(const Run &of, Value begin,
                                           Value end) {
  using P = arith::CmpIPredicate;
  auto align = [&](Value address) {
    return arith::AndIOp::create(b, loc, address, i64(-vectorBytes));
  };
  Value last =
      arith::AddIOp::create(b, loc, of.address, i64(2 * vectorBytes - 1));
  Value spans = arith::AndIOp::create(
      b, loc, arith::CmpIOp::create(b, loc, P::uge, align(of.address), begin),
      arith::CmpIOp::create(b, loc, P::ule, align(last), end));
  if (Value inside = isInside(of, 0))
    spans = arith::AndIOp::create(b, loc, spans, inside);
  SmallVector<Type> types(2 * numWords + 1, b.getI32Type());
  auto branch =
      scf::IfOp::create(b, loc, types, spans, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, loc, loadVectors(of));
  b.setInsertionPointToStart(branch.elseBlock());
  SmallVector<Value> values;
  for (int64_t i = 0; i < run; ++i) {
    SmallVector<Value> at = of.first;
    at.back() = b.createOrFold<arith::AddIOp>(loc, at.back(), l.i32(loc, i));
    values.push_back(readGuarded(copy, at));
  }
  Words words = toWords(vector::FromElementsOp::create(
      b, loc, VectorType::get(run, values[0].getType()), values));
  words.append(numWords + 1, l.i32(loc, 0));
  scf::YieldOp::create(b, loc, words);
  return {branch.result_begin(), branch.result_end()};
}

void ShiftedCopy::loadAtEnds(const Buffer &whole) {
  memory.hideSizes();
  auto [begin, end] = memory.getBounds(whole);
  forEachRun(1, [&, begin = begin, end = end](MutableArrayRef<Run> runs) {
    Words words = loadInside(runs[0], begin, end);
    Value shift = words.pop_back_val();
    runs[0].words = shiftWords(words, shift);
    padOutside(runs);
    write(runs[0]);
  });
}

Value ShiftedCopy::getElements(const Run &of) {
  return toElements(of.words, memory.getBuffer().element);
}

/// To memory.
void ShiftedCopy::write(const Run &of) {
  MemoryRegion &target = *copy.target.memory;
  l.store(loc, copy.convert(getElements(of)), target.getBuffer(),
          target.getOffset(ValueRange(of.first)), run);
}

/// The words of runs, with all loads under way at once. `start` is the address
/// of the region.
void ShiftedCopy::loadRuns(MutableArrayRef<Run> runs, Value start) {
  for (Run &one : runs) {
    // What is all padding reads where the region begins; nobody writes there.
    if (Value inside =
            memory.isInside(one.first, copy.mayBeginBefore ? run : 1))
      one.address = arith::SelectOp::create(b, loc, inside, one.address, start);
    one.words = loadVectors(one);
  }
  for (Run &one : runs) {
    Value shift = one.words.pop_back_val();
    one.words = shiftWords(one.words, shift);
  }
  padOutside(runs);
}

void ShiftedCopy::load() {
  SmallVector<Run> runs = getRuns();
  Value start =
      LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), memory.getBuffer().base);
  int64_t count = runs.size();
  if (copy.target.isMemory() && count > kMaxInFlight &&
      count % kMaxInFlight == 0) {
    forEachRun(kMaxInFlight, [&](MutableArrayRef<Run> batch) {
      loadRuns(batch, start);
      for (const Run &one : batch)
        write(one);
    });
    return;
  }
  for (int64_t begin = 0; begin < count; begin += kMaxInFlight) {
    auto batch = MutableArrayRef(runs).slice(begin).take_front(kMaxInFlight);
    for (Run &one : batch) {
      one.first = map.getCoordinates(b, loc, one.part);
      locate(one, memory.getOffset(one.part));
    }
    loadRuns(batch, start);
    for (const Run &one : batch)
      writeRun(copy, one.reg, one.part, run, {getElements(one)});
  }
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

/// The lanes, as bits, behind which the next lane does not go on in every warp
/// and register.
uint64_t ShiftedCopy::getLastLanes() {
  uint64_t last = uint64_t(1) << (l.threads().lanes - 1);
  for (int64_t warp = 0; warp < l.threads().warps; ++warp)
    for (int64_t reg = 0; reg < map.numRegisters(); reg += run)
      for (int64_t lane = 0; lane + 1 < l.threads().lanes; ++lane) {
        auto next = map.getElement(lane, warp, reg);
        if (next)
          next->back() += run;
        if (next != map.getElement(lane + 1, warp, reg))
          last |= uint64_t(1) << lane;
      }
  return last;
}

void ShiftedCopy::storeRun(const Run &of) {
  Value zero = l.i32(loc, 0);
  // The bytes before the next multiple of a vector.
  Value skipped = arith::TruncIOp::create(
      b, loc, b.getI32Type(),
      arith::SubIOp::create(b, loc, i64(0), of.address));
  skipped = arith::AndIOp::create(b, loc, skipped, l.i32(loc, vectorBytes - 1));
  Words both = of.words;
  both.append(shuffle(of.words, gpu::ShuffleMode::DOWN));
  // A lane stores a vector if all of it is its own or the next lane's.
  uint64_t lanes = getLastLanes();
  Value bit = arith::ShRUIOp::create(
      b, loc, i64(int64_t(lanes)),
      arith::ExtUIOp::create(b, loc, b.getI64Type(), l.threads().lane));
  Value goesOn =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                            arith::AndIOp::create(b, loc, bit, i64(1)), i64(0));
  Value isAligned =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, skipped, zero);
  Value whole = arith::OrIOp::create(b, loc, goesOn, isAligned);
  Value elements = arith::DivUIOp::create(b, loc, skipped, l.i32(loc, bytes));
  Value last = arith::AddIOp::create(b, loc, elements, l.i32(loc, run - 1));
  for (Value inside : {isInside(of, 0), isInside(of, last)})
    if (inside)
      whole = arith::AndIOp::create(b, loc, whole, inside);
  Words shifted = shiftWords(both, skipped);
  l.inIf(loc, whole, [&] {
    Value address = arith::AddIOp::create(
        b, loc, of.address,
        arith::ExtUIOp::create(b, loc, b.getI64Type(), skipped));
    Value vector = vector::FromElementsOp::create(
        b, loc, VectorType::get(numWords, b.getI32Type()), shifted);
    LLVM::StoreOp::create(b, loc, vector, getPointer(address),
                          unsigned(vectorBytes));
  });
  // The elements that are in no such vector, of this lane or of the one before.
  Value own = arith::ExtUIOp::create(b, loc, b.getI32Type(), whole);
  Value before = shuffle({own}, gpu::ShuffleMode::UP).front();
  Value follows = arith::CmpIOp::create(
      b, loc, arith::CmpIPredicate::eq,
      arith::AndIOp::create(
          b, loc,
          arith::ShRUIOp::create(
              b, loc, i64(int64_t(lanes << 1 | 1)),
              arith::ExtUIOp::create(b, loc, b.getI64Type(), l.threads().lane)),
          i64(1)),
      i64(0));
  Value isBefore = arith::AndIOp::create(
      b, loc, follows,
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, before, zero));
  // An aligned vector needs nothing of the lane before.
  isBefore = arith::OrIOp::create(b, loc, isBefore, isAligned);
  // The first elements are of a vector that begins before this one, the last
  // ones of one that ends behind it.
  Value begin =
      arith::SelectOp::create(b, loc, isBefore, elements, l.i32(loc, 0));
  Value end = arith::SelectOp::create(b, loc, whole, elements, l.i32(loc, run));
  l.inIf(loc,
         arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, begin, end),
         [&] { storeElements(of, begin, end); });
}

/// One by one, those that are in bounds. In a loop, lanes of which the elements
/// are shifted on take up to 1.3 times as long for rows of 4095.
void ShiftedCopy::storeElements(const Run &of, Value begin, Value end) {
  const Buffer &buffer = memory.getBuffer();
  Value values = toElements(of.words, buffer.element);
  using P = arith::CmpIPredicate;
  for (int64_t i = 0; i < run; ++i) {
    Value at = l.i32(loc, i);
    Value left = arith::AndIOp::create(
        b, loc, arith::CmpIOp::create(b, loc, P::sle, begin, at),
        arith::CmpIOp::create(b, loc, P::slt, at, end));
    if (Value inside = isInside(of, i))
      left = arith::AndIOp::create(b, loc, left, inside);
    l.inIf(loc, left, [&] {
      Value value =
          vector::ExtractOp::create(b, loc, values, ArrayRef<int64_t>{i});
      l.store(
          loc, value, buffer,
          b.createOrFold<arith::AddIOp>(loc, of.offset, l.toIndex(loc, at)));
    });
  }
}

/// The elements of a run of registers.
Value ShiftedCopy::readRegisters(const Run &of) {
  SmallVector<Value> values;
  for (int64_t i = 0; i < run; ++i)
    values.push_back(l.loadRegister(loc, copy.source.buffer, of.reg + i));
  return vector::FromElementsOp::create(
      b, loc, VectorType::get(run, values[0].getType()), values);
}

void ShiftedCopy::store() {
  if (copy.source.isMemory()) {
    MemoryRegion &source = *copy.source.memory;
    source.bind(map);
    forEachRun(1, [&](MutableArrayRef<Run> runs) {
      Run &one = runs[0];
      one.words = toWords(
          copy.convert(l.load(loc, source.getBuffer(),
                              source.getOffset(ValueRange(one.first)), run)));
      storeRun(one);
    });
    return;
  }
  for (Run &one : getRuns()) {
    one.first = map.getCoordinates(b, loc, one.part);
    locate(one, memory.getOffset(one.part));
    one.words = toWords(copy.convert(readRegisters(one)));
    storeRun(one);
  }
}

//===----------------------------------------------------------------------===//
// What is copied so
//===----------------------------------------------------------------------===//

/// Whether every lane has whole vectors of a buffer in global memory whose rows
/// begin or end anywhere.
static bool hasVectors(CopySide &side, const ThreadMap &map, int64_t run) {
  if (!isGlobal(side))
    return false;
  int64_t bits = getStorageType(side.buffer.element).getIntOrFloatBitWidth();
  return bits >= 8 && bits <= 32 && (run * bits == 128 || run * bits == 64) &&
         map.isExact() && !map.getFirstCopy() &&
         (side.memory->mayEndRows() || side.memory->getAlignment(run));
}

bool simt::canLoadShifted(const TileCopy &copy, const ThreadMap &map,
                          int64_t run) {
  // The vectors that it loads are what it stores.
  bool stores =
      !isGlobal(copy.target) || (!copy.target.memory->isInside() &&
                                 !copy.target.memory->getAlignment(run));
  return !copy.isAsync && stores && hasVectors(copy.source, map, run);
}

void simt::loadShifted(const TileCopy &copy, const ThreadMap &map,
                       int64_t run) {
  if (copy.target.isMemory())
    copy.target.memory->bind(map);
  ShiftedCopy(copy, copy.source, map, run).load();
}

void simt::loadShiftedAtEnds(const TileCopy &copy, const ThreadMap &map,
                             int64_t run) {
  ShiftedCopy(copy, copy.source, map, run).loadAtEnds(copy.source.buffer);
}

bool simt::canStoreShifted(const TileCopy &copy, const ThreadMap &map,
                           int64_t run) {
  return !isGlobal(copy.source) && hasVectors(copy.target, map, run);
}

void simt::storeShifted(const TileCopy &copy, const ThreadMap &map,
                        int64_t run) {
  ShiftedCopy(copy, copy.target, map, run).store();
}
