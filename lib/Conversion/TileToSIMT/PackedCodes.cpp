//===- PackedCodes.cpp - elements of 4 bits in the order of lanes ---------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackedCodes.h"

#include "Models.h"

#include "Tile/Conversion/Cast.h"
#include "Tile/Conversion/TileToSIMT/ThreadMap.h"
#include "Tile/Dialect/Tile/IR/FourBits.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Remarks.h"

#include <map>

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::simt;
using ::tile::layout::Axis;
using ::tile::layout::Layout;

// Elements of a word.
static constexpr int64_t kWord = 8;
// How many vectors of words a thread holds at a time.
static constexpr int64_t kMaxWide = 8;

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

namespace {
/// target[i, j] = convert(source[f(i), g(j)])
struct Conversion {
  memref::LoadOp load;
  memref::StoreOp store;
  CastRules rules;
};
} // namespace

static bool hasIndices(Operation &op) {
  return op.getNumRegions() == 0 && isMemoryEffectFree(&op) &&
         llvm::all_of(op.getResultTypes(), llvm::IsaPred<IndexType>);
}

static std::optional<Conversion> findConversion(ParallelOp loop) {
  Conversion found;
  for (Operation &op : loop.getBody().front()) {
    if (hasIndices(op) || isa<arith::SIToFPOp, arith::UIToFPOp, arith::ExtFOp,
                              arith::TruncFOp>(op))
      continue;
    auto load = dyn_cast<memref::LoadOp>(op);
    auto store = dyn_cast<memref::StoreOp>(op);
    if (load && !found.load)
      found.load = load;
    else if (store && !found.store)
      found.store = store;
    else
      return std::nullopt;
  }
  if (!found.load || !found.store ||
      getElementBits(found.load.getMemRef()) != 4 ||
      getMemorySpace(found.load.getMemRef()) != MemorySpace::Shared ||
      getMemorySpace(found.store.getMemRef()) != MemorySpace::Fragment ||
      !llvm::equal(found.store.getIndices(),
                   loop.getBody().front().getArguments()))
    return std::nullopt;
  Value value = found.store.getValueToStore();
  bool isWide = value.getType().isF16() || value.getType().isBF16() ||
                value.getType().isF32();
  Operation *conversion = findFourBitConversion(value);
  if (!isWide || !conversion ||
      conversion->getOperand(0) != found.load.getResult())
    return std::nullopt;
  found.rules.isUnsigned = isa<arith::UIToFPOp>(conversion);
  return found;
}

//===----------------------------------------------------------------------===//
// Vectors of a thread
//===----------------------------------------------------------------------===//

namespace {
/// An index of the source, by the coordinate that it depends on.
struct Table {
  size_t dim = 0;
  SmallVector<int64_t> values;
};

/// Where the elements of all threads lie in memory.
class Places {
public:
  Places(const Conversion &conversion, const Buffer &source,
         const ThreadMap &map, KernelLowering &l);

  bool isKnown() const { return tables.size() == source.shape.size(); }
  int64_t get(int64_t lane, int64_t warp, int64_t reg) const;

  /// The registers of each vector of `width`, in the order of memory; none if
  /// they are not the same ones in all threads.
  SmallVector<SmallVector<int64_t>> findVectors(int64_t width) const;
  /// How far the vector lies behind another one, if that is the same for all
  /// threads.
  std::optional<int64_t> getDistance(int64_t reg, int64_t from) const;

private:
  bool forEachThread(function_ref<bool(int64_t, int64_t)> holds) const {
    for (int64_t warp = 0; warp < threads.warps; ++warp)
      for (int64_t lane = 0; lane < threads.lanes; ++lane)
        if (!holds(lane, warp))
          return false;
    return true;
  }

  const Buffer &source;
  const ThreadMap &map;
  const ThreadGroup &threads;
  SmallVector<Table> tables;
};
} // namespace

/// None if the index depends on more than one coordinate, on a value of the run,
/// or leaves the buffer.
static std::optional<Table> tabulate(Value index, int64_t size,
                                     ValueRange coordinates,
                                     ArrayRef<int64_t> extents,
                                     KernelLowering &l) {
  auto &scope = l.getState<ParallelScope>();
  for (auto [dim, coordinate] : llvm::enumerate(coordinates)) {
    Table table{dim, {}};
    for (int64_t i = 0; i < extents[dim]; ++i) {
      scope.registerParts[coordinate] = i;
      std::optional<int64_t> value = scope.evaluate(index);
      if (!value || *value < 0 || *value >= size)
        break;
      table.values.push_back(*value);
    }
    scope.registerParts.erase(coordinate);
    if (int64_t(table.values.size()) == extents[dim])
      return table;
  }
  return std::nullopt;
}

Places::Places(const Conversion &conversion, const Buffer &source,
               const ThreadMap &map, KernelLowering &l)
    : source(source), map(map), threads(l.threads()) {
  for (auto [index, size] :
       llvm::zip(memref::LoadOp(conversion.load).getIndices(), source.shape)) {
    std::optional<Table> table =
        tabulate(index, size, memref::StoreOp(conversion.store).getIndices(),
                 map.getShape(), l);
    if (!table)
      return;
    tables.push_back(*table);
  }
}

int64_t Places::get(int64_t lane, int64_t warp, int64_t reg) const {
  SmallVector<int64_t> element = *map.getElement(lane, warp, reg);
  ::tile::layout::Coord coordinates;
  for (const Table &table : tables)
    coordinates.push_back(table.values[element[table.dim]]);
  return source.layout.at(coordinates)[Axis::Offset];
}

SmallVector<SmallVector<int64_t>> Places::findVectors(int64_t width) const {
  std::map<int64_t, SmallVector<int64_t>> found;
  for (int64_t reg = 0; reg < map.numRegisters(); ++reg) {
    int64_t place = get(0, 0, reg);
    SmallVector<int64_t> &registers = found[place / width];
    registers.resize(width, -1);
    registers[place % width] = reg;
  }
  SmallVector<SmallVector<int64_t>> vectors;
  for (auto &[number, registers] : found) {
    if (llvm::is_contained(registers, -1))
      return {};
    vectors.push_back(registers);
  }
  // Two registers may have one element.
  if (int64_t(vectors.size()) * width != map.numRegisters())
    return {};
  bool areSame = forEachThread([&](int64_t lane, int64_t warp) {
    return llvm::all_of(vectors, [&](ArrayRef<int64_t> registers) {
      int64_t first = get(lane, warp, registers[0]);
      return first % width == 0 &&
             llvm::all_of(llvm::enumerate(registers), [&](auto it) {
               return get(lane, warp, it.value()) ==
                      first + int64_t(it.index());
             });
    });
  });
  return areSame ? vectors : SmallVector<SmallVector<int64_t>>();
}

std::optional<int64_t> Places::getDistance(int64_t reg, int64_t from) const {
  int64_t distance = get(0, 0, reg) - get(0, 0, from);
  if (!forEachThread([&](int64_t lane, int64_t warp) {
        return get(lane, warp, reg) - get(lane, warp, from) == distance;
      }))
    return std::nullopt;
  return distance;
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

/// Two elements of a word, half a word apart, as a byte: what instructions that
/// convert the halves of a word take apart again.
static Value joinHalves(OpBuilder &b, Location loc, Value word, int64_t i) {
  auto shift = [&](int64_t bits) {
    return b.createOrFold<arith::ShRUIOp>(
        loc, word, arith::ConstantIntOp::create(b, loc, bits, 32));
  };
  auto mask = [&](Value value, int64_t bits) {
    return arith::AndIOp::create(b, loc, value,
                                 arith::ConstantIntOp::create(b, loc, bits, 32));
  };
  Value byte = arith::OrIOp::create(b, loc, mask(shift(4 * i), 0x0f),
                                    mask(shift(4 * i + 12), 0xf0));
  return arith::TruncIOp::create(b, loc, b.getI8Type(), byte);
}

namespace {
class PackedCodesEmitter {
public:
  PackedCodesEmitter(const Conversion &conversion, const Buffer &source,
                     const Buffer &target, const ThreadMap &map,
                     KernelLowering &l)
      : conversion(conversion), source(source), target(target), map(map), l(l),
        b(l.builder()), loc(memref::LoadOp(conversion.load).getLoc()) {}

  void emit(ArrayRef<SmallVector<int64_t>> vectors, const Places &places);

private:
  /// Of the element in a register.
  Value getOffset(int64_t reg);
  void convertWord(Value word, ArrayRef<int64_t> registers);
  /// Converts `count` codes with these bits to the registers.
  void convert(Value bits, ArrayRef<int64_t> registers);

  const Conversion &conversion;
  const Buffer &source, &target;
  const ThreadMap &map;
  KernelLowering &l;
  OpBuilder &b;
  Location loc;
};
} // namespace

Value PackedCodesEmitter::getOffset(int64_t reg) {
  IRMapping mapping;
  memref::LoadOp load = conversion.load;
  for (auto [coordinate, value] :
       llvm::zip(memref::StoreOp(conversion.store).getIndices(),
                 map.getCoordinates(b, loc, *map.getRegisterPart(reg))))
    mapping.map(coordinate, l.toIndex(loc, value));
  for (Operation &op : *load->getBlock()) {
    if (!hasIndices(op))
      continue;
    if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
      SmallVector<Value> operands =
          llvm::map_to_vector(apply.getOperands(), [&](Value operand) {
            return mapping.lookupOrDefault(operand);
          });
      mapping.map(apply.getResult(),
                  expandMap(b, loc, apply.getAffineMap(), operands).front());
    } else {
      b.clone(op, mapping);
    }
  }
  SmallVector<Value> indices =
      llvm::map_to_vector(load.getIndices(), [&](Value index) {
        return mapping.lookupOrDefault(index);
      });
  return l.getOffset(loc, source, indices);
}

void PackedCodesEmitter::convert(Value bits, ArrayRef<int64_t> registers) {
  auto type = VectorType::get(registers.size(), b.getIntegerType(4));
  Value codes = LLVM::BitcastOp::create(b, loc, type, bits);
  if (!source.element.isInteger(4))
    codes = arith::BitcastOp::create(b, loc, type.clone(source.element), codes);
  Value values =
      castElement(b, loc, codes, target.element, conversion.rules);
  for (auto [i, reg] : llvm::enumerate(registers))
    l.storeRegister(
        loc,
        vector::ExtractOp::create(b, loc, values, ArrayRef<int64_t>{int64_t(i)}),
        target, reg);
}

void PackedCodesEmitter::convertWord(Value word, ArrayRef<int64_t> registers) {
  constexpr int64_t half = kWord / 2;
  bool areHalves = llvm::all_of(llvm::seq<int64_t>(half), [&](int64_t i) {
    return registers[i + half] == registers[i] + 1;
  });
  if (!areHalves)
    return convert(word, registers);
  for (int64_t i = 0; i < half; ++i)
    convert(joinHalves(b, loc, word, i), {registers[i], registers[i + half]});
}

void PackedCodesEmitter::emit(ArrayRef<SmallVector<int64_t>> vectors,
                              const Places &places) {
  Buffer bits = source;
  bits.element = b.getIntegerType(4);
  int64_t width = vectors.front().size(), origin = vectors.front().front();
  auto words = VectorType::get(width / kWord, b.getI32Type());
  Value first = getOffset(origin);
  for (size_t begin = 0; begin < vectors.size(); begin += kMaxWide) {
    auto batch = vectors.slice(begin).take_front(kMaxWide);
    SmallVector<Value> loaded;
    for (ArrayRef<int64_t> registers : batch) {
      std::optional<int64_t> distance =
          places.getDistance(registers[0], origin);
      Value offset = distance ? b.createOrFold<arith::AddIOp>(
                                    loc, first, l.i32(loc, *distance))
                              : getOffset(registers[0]);
      loaded.push_back(LLVM::BitcastOp::create(
          b, loc, words, l.load(loc, bits, offset, width)));
    }
    for (auto [registers, vector] : llvm::zip(batch, loaded))
      for (int64_t i = 0; i < width / kWord; ++i)
        convertWord(
            vector::ExtractOp::create(b, loc, vector, ArrayRef<int64_t>{i}),
            ArrayRef(registers).slice(i * kWord, kWord));
  }
}

bool simt::emitPackedCodes(ParallelOp loop, const Layout &layout,
                           KernelLowering &l) {
  std::optional<Conversion> conversion = findConversion(loop);
  if (!conversion)
    return false;
  const Buffer *source = l.getBuffer(loop, conversion->load.getMemRef());
  const Buffer *target = l.getBuffer(loop, conversion->store.getMemRef());
  if (!source || !target || target->layout != layout)
    return false;
  ThreadMap map(layout, l.threads());
  if (!map.isExact() || map.numRegisters() % kWord != 0)
    return false;
  Places places(*conversion, *source, map, l);
  if (!places.isKnown())
    return false;
  for (int64_t width = l.getGPU().vectorBytes * 8 / 4; width >= kWord;
       width /= 2) {
    SmallVector<SmallVector<int64_t>> vectors = places.findVectors(width);
    if (vectors.empty())
      continue;
    map.materialize(l.builder(), loop.getLoc());
    PackedCodesEmitter(*conversion, *source, *target, map, l)
        .emit(vectors, places);
    remark::passed(loop.getLoc(), remark::RemarkOpts::name("PackedCodes")
                                      .category("convert-tile-to-simt"))
        << remark::metric("vectors", vectors.size())
        << remark::metric("elements", width);
    return true;
  }
  return false;
}
