//===- Indexed.cpp - rows by a list ---------------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tile is divided among all threads, as in a copy. An element's place in
// the global buffer is the sum of one that the list does not change, for which
// the buffer is taken to have the stride 0 in the dimension of the list, and
// of the row's.
//
//===----------------------------------------------------------------------===//

#include "AsyncPipeline.h"
#include "TileCopy.h"

#include "Tile/Conversion/Common.h"
#include "Tile/Dialect/Tile/IR/Indexed.h"
#include "Tile/Layout/Algebra.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::simt;
using ::tile::layout::Layout;

// How many vectors of a thread are in flight before the first is used.
static constexpr size_t kMaxInFlight = 16;
// More registers than that are not unrolled where a loop is cheap.
static constexpr int64_t kMaxUnrolledRegisters = 16;

namespace {
/// An entry of the list, and whether there is one; null: yes.
struct Entry {
  Value value, inside;
};

/// The entries that a gather read before its stage was free. Those that follow
/// it by the same list, with the same rows for a thread, need not read again.
struct ReadEntries {
  DenseSet<Operation *> gathers;
  ::tile::layout::Dim dim; // rows of lanes and warps
  /// With the rows of registers.
  SmallVector<std::pair<int64_t, Entry>> entries;
};

class RowCopyEmitter {
public:
  RowCopyEmitter(Operation *op, const RowCopy &rows, KernelLowering &l)
      : op(op), rows(rows), l(l), b(l.builder()), loc(op->getLoc()),
        shape(rows.global.getMatchedSizes()), tileDim(rows.getTileDim()) {
    if (shape.empty())
      shape.push_back(1);
  }
  LogicalResult emit();

private:
  /// A row of the global buffer.
  struct Row {
    Value offset;  ///< of its first element: elements, an index
    Value isNamed; ///< i1: there is such a row
  };
  using Group = std::pair<int64_t, SmallVector<int64_t>>;

  void prepare(const Buffer &global, const Buffer &list);
  FailureOr<Layout> getLayout(const CopySide &memory, const CopySide &tile);
  Value getFastCondition(int64_t run);
  Value getRowNumber(ValueRange coordinates);
  Value getListCondition();
  Entry readEntry(Value number, bool isSafe);
  Row getRow(Entry entry, bool isSafe);
  int64_t getRowPart(const Group &group) {
    return tileDim ? group.second[*tileDim] : 0;
  }
  DenseSet<Operation *> findGathers();
  void readAhead(const Layout &layout, const ThreadMap &map,
                 ArrayRef<Group> groups);
  Entry getEntry(const ThreadMap &map, const Group &group);

  Value getGuard(TileCopy &copy, const ThreadMap &map, const Group &group) {
    return copy.getWriteGuard(map, map.getExistence(b, loc, group.second));
  }
  bool isGuarded(TileCopy &copy, const ThreadMap &map, ArrayRef<Group> groups) {
    return llvm::any_of(groups, [&](const Group &group) {
      return bool(getGuard(copy, map, group));
    });
  }
  void copyVectors(TileCopy &copy, const ThreadMap &map, ArrayRef<Group> groups,
                   int64_t run);
  void gatherGroups(TileCopy &copy, const ThreadMap &map,
                    ArrayRef<Group> groups, int64_t run);
  void scatterGroup(TileCopy &copy, const Group &group, Row row, int64_t run);
  void gatherAsync(TileCopy &copy, ArrayRef<Group> ofRow, Row row, int64_t run);
  bool hasAsyncCopy(const TileCopy &copy, int64_t run);
  size_t countOfRow(ArrayRef<Group> groups);
  Value getPadding(int64_t run);
  Value getGlobalOffset(TileCopy &copy, ArrayRef<int64_t> part, Row row);

  Value readElement(TileCopy &copy, ValueRange at);
  void writeElement(TileCopy &copy, ValueRange at, function_ref<Value()> read);
  void copyElements(TileCopy &copy, const ThreadMap &map);
  void copyStrided(TileCopy &copy);

  Value index(int64_t value) { return constantIndex(b, loc, value); }
  Value both(Value x, Value y) {
    return !x ? y : !y ? x : b.createOrFold<arith::AndIOp>(loc, x, y);
  }
  Value isBelow(Value value, OpFoldResult extent) {
    return b.createOrFold<arith::CmpIOp>(
        loc, arith::CmpIPredicate::ult, value,
        getValueOrCreateConstantIndexOp(b, loc, extent));
  }

  Operation *op;
  RowCopy rows;
  KernelLowering &l;
  OpBuilder &b;
  Location loc;
  SmallVector<int64_t> shape;
  std::optional<unsigned> tileDim;
  Buffer global, flat, list;
  BufferRegion region;        // of `flat`: without the list's dimension
  SmallVector<bool> inBounds; // of that, trivially
  Value first;                // offset in the list's dimension
  SmallVector<Value> listAt;  // the first entry
  /// Entries that were read before the stage was free.
  ArrayRef<std::pair<int64_t, Entry>> ahead;
};
} // namespace

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

void RowCopyEmitter::prepare(const Buffer &globalBuffer,
                             const Buffer &listBuffer) {
  global = flat = globalBuffer;
  list = listBuffer;
  flat.strides[rows.dim] = b.getIndexAttr(0);
  region = rows.global;
  first = expandMap(b, loc, region.map.getSubMap({rows.dim}), region.operands)
              .front();
  SmallVector<AffineExpr> offsets(region.map.getResults());
  offsets[rows.dim] = b.getAffineConstantExpr(0);
  region.map =
      AffineMap::get(region.map.getNumDims(), region.map.getNumSymbols(),
                     offsets, b.getContext());
  inBounds.assign(region.sizes.size(), false);
  inBounds[rows.dim] = true;
  listAt = expandMap(b, loc, rows.list.map, rows.list.operands);
}

Value RowCopyEmitter::getRowNumber(ValueRange coordinates) {
  return tileDim ? l.toIndex(loc, coordinates[*tileDim]) : index(0);
}

/// An entry of the list. `isSafe`: an entry behind the end may be read as the
/// first one, and as none anyway.
Entry RowCopyEmitter::readEntry(Value number, bool isSafe) {
  Value inside;
  SmallVector<Value> at(listAt);
  at.back() = b.createOrFold<arith::AddIOp>(loc, at.back(), number);
  auto read = [&] { return l.load(loc, list, l.getOffset(loc, list, at)); };
  if (list.space != MemorySpace::Global)
    return {read(), inside};
  if (isSafe) {
    inside = isBelow(at.back(), list.sizes.back());
    at.back() =
        b.createOrFold<arith::SelectOp>(loc, inside, at.back(), index(0));
    return {read(), inside};
  }
  for (auto [value, extent] : llvm::zip(at, list.sizes))
    inside = both(inside, isBelow(value, extent));
  auto branch = scf::IfOp::create(b, loc, list.element, inside, true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, loc, read());
  b.setInsertionPointToStart(branch.elseBlock());
  Value none = arith::ConstantIntOp::create(b, loc, list.element, -1);
  scf::YieldOp::create(b, loc, none);
  return {branch.getResult(0), inside};
}

RowCopyEmitter::Row RowCopyEmitter::getRow(Entry from, bool isSafe) {
  Value inside = from.inside;
  Value entry =
      arith::IndexCastOp::create(b, loc, b.getIndexType(), from.value);
  Value position = b.createOrFold<arith::AddIOp>(loc, entry, first);
  Row row;
  row.isNamed = both(inside, isBelow(position, global.sizes[rows.dim]));
  // One unsigned comparison is enough where nothing is added.
  if (!isConstantIntValue(first, 0))
    row.isNamed = both(row.isNamed,
                       arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge,
                                             entry, index(0)));
  if (isSafe)
    position = arith::SelectOp::create(b, loc, row.isNamed, position, index(0));
  row.offset = b.createOrFold<arith::MulIOp>(
      loc, position,
      getValueOrCreateConstantIndexOp(b, loc, global.strides[rows.dim]));
  return row;
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

/// Lanes that fill a row of banks share an entry of the list, and move all of
/// its row: one address, to which each vector adds a constant. None where such
/// lanes do not divide the tile.
static std::optional<Layout> getRowLayout(ArrayRef<int64_t> shape, int64_t run,
                                          int64_t lanesOfBanks,
                                          const ThreadGroup &threads) {
  using ::tile::layout::Axis;
  using ::tile::layout::Digit;
  int64_t vectors = shape[1] / run;
  int64_t lanes = std::gcd(vectors, std::gcd(lanesOfBanks, threads.lanes));
  int64_t rowsOfWarp = threads.lanes / lanes;
  int64_t passes = shape[0] / (rowsOfWarp * threads.warps);
  if (passes * rowsOfWarp * threads.warps != shape[0])
    return std::nullopt;
  auto getDigits = [](std::initializer_list<Digit> given) {
    std::vector<Digit> digits;
    llvm::copy_if(given, std::back_inserter(digits),
                  [](const Digit &digit) { return digit.extent > 1; });
    return digits;
  };
  auto layout =
      Layout::get({{shape[0], getDigits({{passes, Axis::Reg, shape[1] / lanes},
                                         {threads.warps, Axis::Warp, 1},
                                         {rowsOfWarp, Axis::Lane, lanes}})},
                   {shape[1], getDigits({{vectors / lanes, Axis::Reg, run},
                                         {lanes, Axis::Lane, 1},
                                         {run, Axis::Reg, 1}})}});
  assert(layout && "digits cover the extents");
  return *layout;
}

FailureOr<Layout> RowCopyEmitter::getLayout(const CopySide &memory,
                                            const CopySide &tile) {
  if (tile.isMemory()) {
    int64_t run = 8 * l.getGPU().vectorBytes / getElementBits(global.element);
    while (run > 1 &&
           (shape.back() % run != 0 || !memory.memory->isContiguous(run) ||
            !tile.memory->isContiguous(run)))
      run /= 2;
    const ::tile::target::GPUSpec &gpu = l.getGPU();
    int64_t bytes = run * getElementBits(global.element) / 8;
    if (shape.size() == 2 && tileDim == 0u && bytes > 0)
      if (auto layout = getRowLayout(
              shape, run, gpu.sharedBanks * gpu.sharedBankBytes / bytes,
              l.threads()))
        return *layout;
    return getCoalescedLayout(shape, run, l.threads());
  }
  auto layout =
      ::tile::layout::reshape(tile.buffer.layout, {shape.begin(), shape.end()});
  // untested: matched shapes have the same elements.
  if (!layout)
    return op->emitOpError()
           << "cannot be lowered to threads: " << layout.reason();
  return *layout;
}

/// What must hold at run time for vectors: rows that begin where vectors may,
/// other dimensions in bounds, and a list and a buffer that have a first entry
/// and row, which stand in for those that are none.
Value RowCopyEmitter::getFastCondition(int64_t run) {
  MemoryRegion all(l, loc, global, region, inBounds);
  Value fast = both(all.isInside(), all.getAlignment(run));
  fast = both(fast, isBelow(index(0), global.sizes[rows.dim]));
  return list.space == MemorySpace::Global ? both(fast, getListCondition())
                                           : fast;
}

/// Whether a global list has a first entry.
Value RowCopyEmitter::getListCondition() {
  Value result = isBelow(index(0), list.sizes.back());
  for (auto [at, extent] : llvm::zip(ArrayRef(listAt).drop_back(), list.sizes))
    result = both(result, isBelow(at, extent));
  return result;
}

bool RowCopyEmitter::hasAsyncCopy(const TileCopy &copy, int64_t run) {
  int64_t bytes = run * getElementBits(global.element) / 8;
  return copy.isAsync &&
         llvm::any_of(
             ::tile::target::findCopies(l.getTarget(),
                                        ::tile::target::Space::Global,
                                        ::tile::target::Space::Shared, bytes),
             [](const ::tile::target::CopyRow *row) {
               return row->family == ::tile::target::CopyFamily::CpAsync;
             });
}

Value RowCopyEmitter::getPadding(int64_t run) {
  Value padding = global.paddingValue ? global.paddingValue
                                      : constantZero(b, loc, global.element);
  if (run == 1)
    return padding;
  return vector::BroadcastOp::create(
      b, loc, VectorType::get(run, global.element), padding);
}

Value RowCopyEmitter::getGlobalOffset(TileCopy &copy, ArrayRef<int64_t> part,
                                      Row row) {
  CopySide &side = rows.isGather ? copy.source : copy.target;
  return b.createOrFold<arith::AddIOp>(loc, side.memory->getOffset(part),
                                       row.offset);
}

void RowCopyEmitter::gatherAsync(TileCopy &copy, ArrayRef<Group> ofRow, Row row,
                                 int64_t run) {
  MemoryRegion &source = *copy.source.memory, &target = *copy.target.memory;
  auto branch = scf::IfOp::create(b, loc, row.isNamed, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  for (const auto &[reg, part] : ofRow) {
    b.setInsertionPoint(branch.thenYield());
    l.getSIMT().copyAsync(
        l, loc, l.getAddress(loc, target.getBuffer(), target.getOffset(part)),
        l.getAddress(loc, source.getBuffer(), getGlobalOffset(copy, part, row)),
        run * getElementBits(global.element) / 8);
    b.setInsertionPoint(branch.elseYield());
    l.store(loc, getPadding(run), target.getBuffer(), target.getOffset(part),
            run);
  }
}

/// How many groups, from the first one, are of one row.
size_t RowCopyEmitter::countOfRow(ArrayRef<Group> groups) {
  return groups
      .take_while([&](const Group &group) {
        return getRowPart(group) == getRowPart(groups.front());
      })
      .size();
}

/// Rows first, then all loads, then what depends on them.
void RowCopyEmitter::gatherGroups(TileCopy &copy, const ThreadMap &map,
                                  ArrayRef<Group> groups, int64_t run) {
  SmallVector<Row> found;
  for (ArrayRef<Group> rest = groups; !rest.empty();) {
    Row row = getRow(getEntry(map, rest.front()), true);
    size_t count = countOfRow(rest);
    found.append(count, row);
    rest = rest.drop_front(count);
  }
  if (hasAsyncCopy(copy, run)) {
    for (ArrayRef<Group> rest = groups; !rest.empty();) {
      size_t count = countOfRow(rest);
      gatherAsync(copy, rest.take_front(count),
                  found[groups.size() - rest.size()], run);
      rest = rest.drop_front(count);
    }
    return;
  }
  SmallVector<Value> values;
  for (auto [group, row] : llvm::zip(groups, found))
    values.push_back(l.load(loc, copy.source.memory->getBuffer(),
                            getGlobalOffset(copy, group.second, row), run));
  for (auto [group, row, value] : llvm::zip(groups, found, values)) {
    value =
        arith::SelectOp::create(b, loc, row.isNamed, value, getPadding(run));
    if (copy.target.isMemory()) {
      MemoryRegion &target = *copy.target.memory;
      l.store(loc, value, target.getBuffer(), target.getOffset(group.second),
              run);
      continue;
    }
    for (int64_t i = 0; i < run; ++i)
      l.storeRegister(loc,
                      run == 1 ? value
                               : vector::ExtractOp::create(b, loc, value,
                                                           ArrayRef<int64_t>{i})
                                     .getResult(),
                      copy.target.buffer, group.first + i);
  }
}

void RowCopyEmitter::scatterGroup(TileCopy &copy, const Group &group, Row row,
                                  int64_t run) {
  l.inIf(loc, row.isNamed, [&] {
    Value value;
    if (copy.source.isMemory()) {
      MemoryRegion &source = *copy.source.memory;
      value =
          l.load(loc, source.getBuffer(), source.getOffset(group.second), run);
    } else {
      SmallVector<Value> values;
      for (int64_t i = 0; i < run; ++i)
        values.push_back(
            l.loadRegister(loc, copy.source.buffer, group.first + i));
      value = run == 1
                  ? values.front()
                  : vector::FromElementsOp::create(
                        b, loc, VectorType::get(run, global.element), values)
                        .getResult();
    }
    l.store(loc, value, copy.target.memory->getBuffer(),
            getGlobalOffset(copy, group.second, row), run);
  });
}

/// This gather and those by the same list with nothing but other copies between
/// them.
DenseSet<Operation *> RowCopyEmitter::findGathers() {
  DenseSet<Operation *> gathers;
  for (Operation *next = op; next; next = next->getNextNode()) {
    if (auto gather = dyn_cast<GatherOp>(next)) {
      BufferRegion region = gather.getListRegion();
      if (region.buffer == rows.list.buffer && region.map == rows.list.map &&
          region.operands == rows.list.operands)
        gathers.insert(next);
    } else if (!isa<CopyOp, ProducerAcquireOp, ProducerCommitOp,
                    ViewLikeOpInterface>(next) &&
               !isMemoryEffectFree(next)) {
      break;
    }
  }
  return gathers;
}

/// The consumer still reads the stage while entries of the list come: those of
/// the first rows, as many as are read at a time.
void RowCopyEmitter::readAhead(const Layout &layout, const ThreadMap &map,
                               ArrayRef<Group> groups) {
  if (list.space != MemorySpace::Global || list.mayBeWritten)
    return;
  SmallVector<Group> ofRows;
  for (; !groups.empty() && ofRows.size() < kMaxInFlight;
       groups = groups.drop_front(countOfRow(groups)))
    ofRows.push_back(groups.front());
  ::tile::layout::Dim dim{1, {}};
  if (tileDim)
    dim = layout.dims()[*tileDim];
  // Numbers of registers depend on how many columns a thread has.
  for (::tile::layout::Digit &digit : dim.digits)
    if (digit.axis == ::tile::layout::Axis::Reg)
      digit.stride = 0;
  auto &known = l.getState<ReadEntries>();
  bool isKnown = known.gathers.contains(op) && known.dim == dim &&
                 llvm::equal(known.entries, ofRows,
                             [&](const auto &entry, const Group &group) {
                               return entry.first == getRowPart(group);
                             });
  if (!isKnown) {
    SmallVector<Type> types(ofRows.size(), list.element);
    auto branch = scf::IfOp::create(b, loc, types, getListCondition(),
                                    /*withElseRegion=*/true);
    known = {findGathers(), dim, {}};
    SmallVector<Value> values;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    for (const Group &group : ofRows)
      values.push_back(getEntry(map, group).value);
    scf::YieldOp::create(b, loc, values);
    b.setInsertionPointToStart(branch.elseBlock());
    Value none = arith::ConstantIntOp::create(b, loc, list.element, -1);
    scf::YieldOp::create(b, loc, SmallVector<Value>(ofRows.size(), none));
    b.setInsertionPointAfter(branch);
    for (auto [group, value] : llvm::zip(ofRows, branch.getResults())) {
      Value number = getRowNumber(map.getCoordinates(b, loc, group.second));
      Value at = b.createOrFold<arith::AddIOp>(loc, listAt.back(), number);
      known.entries.push_back(
          {getRowPart(group), {value, isBelow(at, list.sizes.back())}});
    }
  }
  ahead = known.entries;
  // Another op may come to the place of one that is lowered.
  known.gathers.erase(op);
}

Entry RowCopyEmitter::getEntry(const ThreadMap &map, const Group &group) {
  for (const auto &[part, entry] : ahead)
    if (part == getRowPart(group))
      return entry;
  return readEntry(getRowNumber(map.getCoordinates(b, loc, group.second)),
                   /*isSafe=*/true);
}

void RowCopyEmitter::copyVectors(TileCopy &copy, const ThreadMap &map,
                                 ArrayRef<Group> groups, int64_t run) {
  for (CopySide *side : {&copy.source, &copy.target})
    if (side->isMemory())
      side->memory->bind(map);
  if (rows.isGather && !isGuarded(copy, map, groups)) {
    // What is copied asynchronously is in no register: rows count.
    size_t batch = kMaxInFlight;
    if (hasAsyncCopy(copy, run))
      batch *= countOfRow(groups);
    for (size_t begin = 0; begin < groups.size(); begin += batch)
      gatherGroups(copy, map, ArrayRef(groups).slice(begin).take_front(batch),
                   run);
    return;
  }
  for (const Group &group : groups)
    l.inIf(loc, getGuard(copy, map, group), [&] {
      if (rows.isGather)
        return gatherGroups(copy, map, group, run);
      Value number = getRowNumber(map.getCoordinates(b, loc, group.second));
      scatterGroup(copy, group, getRow(readEntry(number, true), true), run);
    });
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// Of the global buffer, or its padding value.
Value RowCopyEmitter::readElement(TileCopy &copy, ValueRange at) {
  MemoryRegion &source = *copy.source.memory;
  Row row = getRow(readEntry(getRowNumber(at), false), false);
  Value inside = both(row.isNamed, source.isInside(at));
  auto branch = scf::IfOp::create(b, loc, global.element, inside, true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Value offset =
      b.createOrFold<arith::AddIOp>(loc, source.getOffset(at), row.offset);
  scf::YieldOp::create(b, loc, l.load(loc, source.getBuffer(), offset));
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, loc, getPadding(1));
  return branch.getResult(0);
}

/// To the global buffer, if it has such an element.
void RowCopyEmitter::writeElement(TileCopy &copy, ValueRange at,
                                  function_ref<Value()> read) {
  MemoryRegion &target = *copy.target.memory;
  Row row = getRow(readEntry(getRowNumber(at), false), false);
  l.inIf(loc, both(row.isNamed, target.isInside(at)), [&] {
    Value offset =
        b.createOrFold<arith::AddIOp>(loc, target.getOffset(at), row.offset);
    l.store(loc, read(), target.getBuffer(), offset);
  });
}

/// Between two memories: a loop of the threads over the elements.
void RowCopyEmitter::copyStrided(TileCopy &copy) {
  auto loop = scf::ForOp::create(b, loc, l.toIndex(loc, l.threads().thread),
                                 index(ShapedType::getNumElements(shape)),
                                 index(l.threads().size()));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> at(shape.size());
  Value rest = loop.getInductionVar();
  for (size_t dim = shape.size(); dim-- > 0;) {
    Value extent = index(shape[dim]);
    at[dim] =
        dim == 0 ? rest : b.createOrFold<arith::RemUIOp>(loc, rest, extent);
    rest = b.createOrFold<arith::DivUIOp>(loc, rest, extent);
  }
  CopySide &side = rows.isGather ? copy.target : copy.source;
  MemoryRegion &tile = *side.memory;
  if (rows.isGather)
    return l.store(loc, readElement(copy, at), tile.getBuffer(),
                   tile.getOffset(at));
  writeElement(copy, at, [&] {
    return l.load(loc, tile.getBuffer(), tile.getOffset(at));
  });
}

/// Registers by code of their own, or, if they are many, in a loop through
/// memory of the thread.
void RowCopyEmitter::copyElements(TileCopy &copy, const ThreadMap &map) {
  CopySide &memory = rows.isGather ? copy.source : copy.target;
  CopySide &tile = rows.isGather ? copy.target : copy.source;
  memory.memory->hideSizes();
  if (tile.isMemory())
    return copyStrided(copy);
  auto guard = [&](Value exists) { return copy.getWriteGuard(map, exists); };
  int64_t count = map.numRegisters();
  if (count <= kMaxUnrolledRegisters || !l.getSIMT().stagesInPrivateMemory()) {
    for (int64_t reg = 0; reg < count; ++reg)
      if (auto part = map.getRegisterPart(reg))
        l.inIf(loc, guard(map.getExistence(b, loc, *part)), [&] {
          SmallVector<Value> at = map.getCoordinates(b, loc, *part);
          if (rows.isGather)
            return l.storeRegister(loc, readElement(copy, at), tile.buffer,
                                   reg);
          writeElement(copy, at,
                       [&] { return l.loadRegister(loc, tile.buffer, reg); });
        });
    return;
  }
  Buffer staging = l.getStaging(loc, global.element, count);
  if (!rows.isGather)
    for (int64_t reg = 0; reg < count; ++reg)
      if (map.getRegisterPart(reg))
        l.storeRegister(loc, l.loadRegister(loc, tile.buffer, reg), staging,
                        reg);
  l.forEachRegister(loc, count, [&](Value reg) {
    ThreadMap::Element element = map.getElement(b, loc, reg);
    l.inIf(loc, guard(element.exists), [&] {
      Value address = l.getStaged(loc, staging, reg);
      if (rows.isGather) {
        Value value = readElement(copy, element.coordinates);
        LLVM::StoreOp::create(b, loc, toStorage(b, loc, value), address);
        return;
      }
      writeElement(copy, element.coordinates, [&] {
        Value value = LLVM::LoadOp::create(
            b, loc, getStorageType(global.element), address);
        return fromStorage(b, loc, value, global.element);
      });
    });
  });
  if (rows.isGather)
    for (int64_t reg = 0; reg < count; ++reg)
      if (map.getRegisterPart(reg))
        l.storeRegister(loc, l.loadRegister(loc, staging, reg), tile.buffer,
                        reg);
}

//===----------------------------------------------------------------------===//
// All of it
//===----------------------------------------------------------------------===//

LogicalResult RowCopyEmitter::emit() {
  const Buffer *globalBuffer = l.getBuffer(op, rows.global.buffer);
  const Buffer *listBuffer = l.getBuffer(op, rows.list.buffer);
  const Buffer *tile = l.getBuffer(op, rows.tile);
  if (!globalBuffer || !listBuffer || !tile)
    return failure();
  if (tile->space != MemorySpace::Shared &&
      tile->space != MemorySpace::Fragment)
    return op->emitOpError()
           << "expected a tile in shared memory or a fragment on "
           << l.getTarget().name << ", got '"
           << stringifyMemorySpace(tile->space) << "'";
  prepare(*globalBuffer, *listBuffer);
  Buffer own = *tile;
  CopySide memory(l, loc, flat, region, inBounds);
  CopySide side =
      own.isRegister()
          ? CopySide(own)
          : CopySide(l, loc, own, withOffsets(getWholeRegion(rows.tile)),
                     SmallVector<bool>(own.shape.size(), true));
  FailureOr<Layout> layout = getLayout(memory, side);
  if (failed(layout))
    return failure();
  auto choice = op->getAttrOfType<TransferAttr>("instruction");
  TileCopy copy{l,
                loc,
                {},
                rows.isGather ? memory : side,
                rows.isGather ? side : memory,
                choice && choice.getFamily() == Instruction::CpAsync};
  ThreadMap map(*layout, l.threads());
  map.materialize(b, loc);
  int64_t run = chooseRun(copy, map);
  Value fast = getFastCondition(run);
  SmallVector<Group> groups;
  for (int64_t reg = 0; reg < map.numRegisters(); reg += run)
    if (auto part = map.getRegisterPart(reg))
      groups.push_back({reg, *part});
  if (Value pipeline = getSignal(op)) {
    if (!isGuarded(copy, map, groups))
      readAhead(*layout, map, groups);
    waitForFreeStage(l, loc, pipeline);
  }
  OpBuilder::InsertionGuard guard(b);
  auto branch = scf::IfOp::create(b, loc, fast, /*withElseRegion=*/true);
  b.setInsertionPointToStart(branch.thenBlock());
  copyVectors(copy, map, groups, run);
  b.setInsertionPointToStart(branch.elseBlock());
  copyElements(copy, map);
  return success();
}

namespace {
template <typename OpTy>
struct RowCopyModel
    : SIMTLoweringOpInterface::ExternalModel<RowCopyModel<OpTy>, OpTy> {
  LogicalResult lowerToThreads(Operation *op, KernelLowering &l) const {
    return RowCopyEmitter(op, RowCopy::get(cast<OpTy>(op)), l).emit();
  }
};
} // namespace

void simt::attachIndexedModels(MLIRContext *context) {
  GatherOp::attachInterface<RowCopyModel<GatherOp>>(*context);
  ScatterOp::attachInterface<RowCopyModel<ScatterOp>>(*context);
}
