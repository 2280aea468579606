//===- Copy.cpp - copies and fills by threads -----------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Models.h"
#include "AsyncPipeline.h"

#include "Tile/Conversion/TileToSIMT/MemoryRegion.h"

#include "Tile/Layout/Algebra.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::simt;
using ::tile::layout::Axis;
using ::tile::layout::Layout;

// How many moves of a thread are under way before the first result is used.
static constexpr int64_t kMaxInFlight = 16;

static int64_t storageBits(Type element) {
  return getStorageType(element).getIntOrFloatBitWidth();
}

static Value extract(OpBuilder &b, Location loc, Value vector, int64_t i) {
  return vector::ExtractOp::create(b, loc, vector, ArrayRef<int64_t>{i});
}

namespace {

/// Emits one copy between two buffers, for any op that is one.
class CopyEmitter {
public:
  CopyEmitter(Operation *op, BufferRegion from, BufferRegion to,
              CastRules rules, KernelLowering &l)
      : op(op), l(l), b(l.builder()), loc(op->getLoc()),
        from(withOffsets(from)), to(withOffsets(to)), rules(rules),
        tile(this->from.getMatchedSizes()) {
    if (tile.empty())
      tile.push_back(1);
  }

  LogicalResult emit(const Buffer &source, const Buffer &target);

private:
  using Parts = SmallVector<std::pair<int64_t, SmallVector<int64_t>>>;

  LogicalResult emitRegisters(const Buffer &source, const Buffer &target);
  LogicalResult emitConversion(const Buffer &source, const Buffer &target);
  ::tile::layout::Result<std::string> tryMatrices(const Buffer &source,
                                                  const Buffer &target,
                                                  const Layout &layout);
  /// A fragment's layout over the coordinates of the tile.
  FailureOr<Layout> getTileLayout(const Buffer &buffer,
                                  const BufferRegion &region);
  int64_t chooseRun(const ThreadMap &map, MemoryRegion *source,
                    MemoryRegion *target);
  void emitFast(ThreadMap &map, MemoryRegion *source, const Buffer *sourceRegs,
                MemoryRegion *target, const Buffer *targetRegs, int64_t run);
  void emitSlow(ThreadMap &map, MemoryRegion *source, const Buffer *sourceRegs,
                MemoryRegion *target, const Buffer *targetRegs);
  void emitSlowMemory(MemoryRegion &source, MemoryRegion &target);
  void loadStaged(const ThreadMap &map, MemoryRegion &source,
                  const Buffer &targetRegs);
  void storeStaged(const ThreadMap &map, const Buffer &sourceRegs,
                   MemoryRegion &target);
  Value readGuarded(MemoryRegion &source, ValueRange coordinates);
  bool isAsync(const MemoryRegion *source, const MemoryRegion *target,
               int64_t run);
  void copyAsync(MemoryRegion &source, MemoryRegion &target,
                 ArrayRef<int64_t> part, int64_t run);
  Value convert(Value value, Type element) {
    return castElement(b, loc, value, element, rules);
  }

  Operation *op;
  KernelLowering &l;
  OpBuilder &b;
  Location loc;
  BufferRegion from, to;
  CastRules rules;
  SmallVector<int64_t> tile;
};
} // namespace

static bool isWhole(const Buffer &buffer, const BufferRegion &region) {
  return region.map.isConstant() &&
         llvm::all_of(region.map.getConstantResults(),
                      [](int64_t v) { return v == 0; }) &&
         ArrayRef<int64_t>(region.sizes) == ArrayRef(buffer.shape);
}

FailureOr<Layout> CopyEmitter::getTileLayout(const Buffer &buffer,
                                             const BufferRegion &region) {
  auto layout =
      isWhole(buffer, region) ? ::tile::layout::reshape(buffer.layout, {tile.begin(), tile.end()})
            : ::tile::layout::Result<Layout>(::tile::layout::fail(
                  "expected a copy of the whole fragment; copy to a shared "
                  "tile first, regions of which have addresses"));
  if (!layout)
    return op->emitOpError() << "cannot be lowered to threads: "
                            << layout.reason();
  return *layout;
}

int64_t CopyEmitter::chooseRun(const ThreadMap &map, MemoryRegion *source,
                               MemoryRegion *target) {
  int64_t bits = 0, least = 8;
  for (MemoryRegion *side : {source, target})
    if (side) {
      bits = std::max(bits, storageBits(side->getBuffer().element));
      least = std::min(least, storageBits(side->getBuffer().element));
    }
  auto walksLastDim = [&](int64_t run) {
    if (map.numRegisters() % run != 0 || tile.back() % run != 0)
      return false;
    for (int64_t reg = 0; reg < map.numRegisters(); ++reg) {
      auto part = map.getRegisterPart(reg);
      auto first = map.getRegisterPart(reg - reg % run);
      if (!part || !first)
        return false;
      (*first).back() += reg % run;
      if (*part != *first)
        return false;
    }
    return true;
  };
  for (int64_t run = 8 * l.getGPU().vectorBytes / bits; run > 1; run /= 2)
    if (walksLastDim(run) && (!source || source->isContiguous(run)) &&
        (!target || target->isContiguous(run)))
      return run;
  return 1;
}

bool CopyEmitter::isAsync(const MemoryRegion *source,
                          const MemoryRegion *target, int64_t run) {
  auto copy = dyn_cast<CopyOp>(op);
  TransferAttr choice = copy ? copy.getInstructionAttr() : TransferAttr();
  if (!choice || choice.getFamily() != Instruction::CpAsync || !source ||
      !target)
    return false;
  int64_t bytes = run * storageBits(source->getBuffer().element) / 8;
  return source->getBuffer().space == MemorySpace::Global &&
         target->getBuffer().space == MemorySpace::Shared &&
         source->getBuffer().element == target->getBuffer().element &&
         llvm::any_of(
             ::tile::target::findCopies(l.getTarget(),
                                        ::tile::target::Space::Global,
                                        ::tile::target::Space::Shared, bytes),
             [](const ::tile::target::CopyRow *row) {
               return row->family == ::tile::target::CopyFamily::CpAsync;
             });
}

void CopyEmitter::copyAsync(MemoryRegion &source, MemoryRegion &target,
                            ArrayRef<int64_t> part, int64_t run) {
  int64_t bytes = run * storageBits(source.getBuffer().element) / 8;
  Value to = l.getAddress(loc, target.getBuffer(), target.getOffset(part));
  Value from = l.getAddress(loc, source.getBuffer(), source.getOffset(part));
  l.getSIMT().copyAsync(l, loc, to, from, bytes);
}

void CopyEmitter::emitFast(ThreadMap &map, MemoryRegion *source,
                           const Buffer *sourceRegs, MemoryRegion *target,
                           const Buffer *targetRegs, int64_t run) {
  for (MemoryRegion *side : {source, target})
    if (side)
      side->bind(map);
  Parts groups;
  for (int64_t reg = 0; reg < map.numRegisters(); reg += run)
    if (auto part = map.getRegisterPart(reg))
      groups.push_back({reg, *part});
  bool async = isAsync(source, target, run);
  auto guard = [&](ArrayRef<int64_t> part) {
    Value exists = map.getExistence(b, loc, part);
    Value first = target ? map.getFirstCopy() : Value();
    return exists && first ? b.createOrFold<arith::AndIOp>(loc, exists, first)
           : exists        ? exists
                           : first;
  };
  auto read = [&](int64_t reg, ArrayRef<int64_t> part) -> SmallVector<Value> {
    if (source)
      return {l.load(loc, source->getBuffer(), source->getOffset(part), run)};
    SmallVector<Value> values;
    for (int64_t i = 0; i < run; ++i)
      values.push_back(l.loadRegister(loc, *sourceRegs, reg + i));
    return values;
  };
  auto write = [&](int64_t reg, ArrayRef<int64_t> part,
                   ArrayRef<Value> values) {
    Type element = (target ? target->getBuffer() : *targetRegs).element;
    Value value = values[0];
    if (values.size() > 1)
      value = vector::FromElementsOp::create(
          b, loc, VectorType::get(run, value.getType()), values);
    value = convert(value, element);
    if (target)
      return l.store(loc, value, target->getBuffer(), target->getOffset(part),
                     run);
    for (int64_t i = 0; i < run; ++i)
      l.storeRegister(loc, run == 1 ? value : extract(b, loc, value, i),
                      *targetRegs, reg + i);
  };
  for (size_t begin = 0; begin < groups.size(); begin += kMaxInFlight) {
    auto batch = ArrayRef(groups).slice(begin).take_front(kMaxInFlight);
    bool guarded = llvm::any_of(
        batch, [&](auto &group) { return bool(guard(group.second)); });
    if (async || guarded) {
      for (auto &[reg, part] : batch)
        l.inIf(loc, guard(part), [&, reg = reg, &part = part] {
          if (async)
            copyAsync(*source, *target, part, run);
          else
            write(reg, part, read(reg, part));
        });
      continue;
    }
    SmallVector<SmallVector<Value>> values;
    for (auto &[reg, part] : batch)
      values.push_back(read(reg, part));
    for (auto [group, value] : llvm::zip(batch, values))
      write(group.first, group.second, value);
  }
}

Value CopyEmitter::readGuarded(MemoryRegion &source, ValueRange coordinates) {
  const Buffer &buffer = source.getBuffer();
  auto read = [&] {
    return l.load(loc, buffer, source.getOffset(coordinates));
  };
  Value inside = source.isInside(coordinates);
  if (!inside)
    return read();
  auto branch = scf::IfOp::create(b, loc, buffer.element, inside, true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, loc, read());
  b.setInsertionPointToStart(branch.elseBlock());
  Value safe = buffer.safeValue ? buffer.safeValue
                                : constantZero(b, loc, buffer.element);
  scf::YieldOp::create(b, loc, safe);
  return branch.getResult(0);
}

void CopyEmitter::emitSlow(ThreadMap &map, MemoryRegion *source,
                           const Buffer *sourceRegs, MemoryRegion *target,
                           const Buffer *targetRegs) {
  for (MemoryRegion *side : {source, target})
    if (side)
      side->hideSizes();
  if (source && target)
    return emitSlowMemory(*source, *target);
  if (map.numRegisters() > kMaxInFlight && l.getSIMT().stagesInPrivateMemory())
    return source ? loadStaged(map, *source, *targetRegs)
                  : storeStaged(map, *sourceRegs, *target);
  for (int64_t reg = 0; reg < map.numRegisters(); ++reg) {
    auto part = map.getRegisterPart(reg);
    if (!part)
      continue;
    l.inIf(loc, map.getExistence(b, loc, *part), [&] {
      SmallVector<Value> at = map.getCoordinates(b, loc, *part);
      if (source) {
        Value value = convert(readGuarded(*source, at), targetRegs->element);
        return l.storeRegister(loc, value, *targetRegs, reg);
      }
      Value inside = target->isInside(at);
      if (Value first = map.getFirstCopy())
        inside = inside ? b.createOrFold<arith::AndIOp>(loc, inside, first)
                        : first;
      l.inIf(loc, inside, [&] {
        Value value = l.loadRegister(loc, *sourceRegs, reg);
        l.store(loc, convert(value, target->getBuffer().element),
                target->getBuffer(), target->getOffset(at));
      });
    });
  }
}

/// Guarded elements one by one in a loop, through memory of the thread: all at
/// once would need registers for each one's address and guard.
void CopyEmitter::loadStaged(const ThreadMap &map, MemoryRegion &source,
                             const Buffer &targetRegs) {
  int64_t count = map.numRegisters();
  Buffer staging = l.getStaging(loc, targetRegs.element, count);
  l.forEachRegister(loc, count, [&](Value reg) {
    ThreadMap::Element element = map.getElement(b, loc, reg);
    l.inIf(loc, element.exists, [&] {
      Value value = readGuarded(source, element.coordinates);
      value = toStorage(b, loc, convert(value, targetRegs.element));
      LLVM::StoreOp::create(b, loc, value, l.getStaged(loc, staging, reg));
    });
  });
  for (int64_t reg = 0; reg < count; ++reg)
    if (map.getRegisterPart(reg))
      l.storeRegister(loc, l.loadRegister(loc, staging, reg), targetRegs, reg);
}

void CopyEmitter::storeStaged(const ThreadMap &map, const Buffer &sourceRegs,
                              MemoryRegion &target) {
  int64_t count = map.numRegisters();
  Type from = sourceRegs.element, to = target.getBuffer().element;
  Buffer staging = l.getStaging(loc, from, count);
  for (int64_t reg = 0; reg < count; ++reg)
    if (map.getRegisterPart(reg))
      l.storeRegister(loc, l.loadRegister(loc, sourceRegs, reg), staging, reg);
  l.forEachRegister(loc, count, [&](Value reg) {
    ThreadMap::Element element = map.getElement(b, loc, reg);
    Value writes = target.isInside(element.coordinates);
    for (Value condition : {element.exists, map.getFirstCopy()})
      if (condition)
        writes = writes ? b.createOrFold<arith::AndIOp>(loc, writes, condition)
                        : condition;
    l.inIf(loc, writes, [&] {
      Value value = LLVM::LoadOp::create(b, loc, getStorageType(from),
                                         l.getStaged(loc, staging, reg));
      value = convert(fromStorage(b, loc, value, from), to);
      l.store(loc, value, target.getBuffer(),
              target.getOffset(element.coordinates));
    });
  });
}

void CopyEmitter::emitSlowMemory(MemoryRegion &source, MemoryRegion &target) {
  int64_t total = 1;
  for (int64_t extent : tile)
    total *= extent;
  auto loop = scf::ForOp::create(b, loc, l.toIndex(loc, l.threads().thread),
                                 constantIndex(b, loc, total),
                                 constantIndex(b, loc, l.threads().size()));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> at(tile.size());
  Value rest = loop.getInductionVar();
  for (size_t dim = tile.size(); dim-- > 0;) {
    Value extent = constantIndex(b, loc, tile[dim]);
    at[dim] = dim == 0 ? rest
                       : b.createOrFold<arith::RemUIOp>(loc, rest, extent);
    rest = b.createOrFold<arith::DivUIOp>(loc, rest, extent);
  }
  l.inIf(loc, target.isInside(at), [&] {
    Value value =
        convert(readGuarded(source, at), target.getBuffer().element);
    l.store(loc, value, target.getBuffer(), target.getOffset(at));
  });
}

LogicalResult CopyEmitter::emitRegisters(const Buffer &source,
                                         const Buffer &target) {
  FailureOr<Layout> out = getTileLayout(target, to);
  FailureOr<Layout> in = getTileLayout(source, from);
  if (failed(out) || failed(in))
    return failure();
  auto owner = ::tile::layout::contains(*in, *out,
                                        ::tile::layout::kThreadAxes);
  if (!owner)
    return emitConversion(source, target);
  ThreadMap map(*out, l.threads());
  // All loads come first: the two may be one buffer.
  SmallVector<std::pair<int64_t, Value>> moves;
  for (int64_t reg = 0; reg < map.numRegisters(); ++reg)
    if (auto part = map.getRegisterPart(reg)) {
      int64_t own = in->sum({part->begin(), part->end()})[Axis::Reg];
      moves.push_back({reg, l.loadRegister(loc, source, own)});
    }
  for (size_t i = 0; i < moves.size(); ++i) {
    auto [reg, value] = moves[i];
    // Neighbours are converted together: there are instructions for pairs.
    if (i + 1 < moves.size() && reg % 2 == 0 && moves[i + 1].first == reg + 1 &&
        source.element != target.element) {
      Value pair = vector::FromElementsOp::create(
          b, loc, VectorType::get(2, source.element),
          ValueRange{value, moves[i + 1].second});
      pair = convert(pair, target.element);
      l.storeRegister(loc, extract(b, loc, pair, 0), target, reg);
      l.storeRegister(loc, extract(b, loc, pair, 1), target, reg + 1);
      ++i;
      continue;
    }
    l.storeRegister(loc, convert(value, target.element), target, reg);
  }
  return success();
}

/// Other threads hold what this one needs: through shared memory.
LogicalResult CopyEmitter::emitConversion(const Buffer &source,
                                          const Buffer &target) {
  FailureOr<Layout> out = getTileLayout(target, to);
  FailureOr<Layout> in = getTileLayout(source, from);
  Buffer room;
  room.space = MemorySpace::Shared;
  // The shorter element travels.
  int64_t targetBits = storageBits(target.element);
  bool converts = targetBits >= 8 && targetBits < storageBits(source.element);
  room.element = converts ? target.element : source.element;
  room.shape = tile;
  room.layout = *Layout::rowMajor({tile.begin(), tile.end()});
  int64_t elements = room.layout.numElements();
  if (storageBits(room.element) < 8)
    return op->emitOpError("cannot move elements of less than 8 bits between "
                          "threads; widen them first");
  room.base = l.getScratch(loc, elements * storageBits(room.element) / 8);
  BufferRegion region;
  region.map = AffineMap::getMultiDimIdentityMap(0, b.getContext());
  SmallVector<AffineExpr> zeros(tile.size(),
                                getAffineConstantExpr(0, b.getContext()));
  region.map = AffineMap::get(0, 0, zeros, b.getContext());
  region.sizes = tile;
  SmallVector<bool> inside(tile.size(), true);
  l.barrier(loc);
  ThreadMap writer(*in, l.threads());
  writer.materialize(b, loc);
  MemoryRegion written(l, loc, room, region, inside);
  Buffer plain = source;
  emitFast(writer, nullptr, &plain, &written, nullptr,
           chooseRun(writer, nullptr, &written));
  l.barrier(loc);
  ThreadMap reader(*out, l.threads());
  reader.materialize(b, loc);
  MemoryRegion read(l, loc, room, region, inside);
  emitFast(reader, &read, nullptr, nullptr, &target,
           chooseRun(reader, &read, nullptr));
  return success();
}

/// By instructions for matrices, between a whole fragment and a whole shared
/// tile.
::tile::layout::Result<std::string>
CopyEmitter::tryMatrices(const Buffer &source, const Buffer &target,
                         const Layout &layout) {
  bool isStore = source.isRegister();
  const Buffer &fragment = isStore ? source : target;
  const Buffer &shared = isStore ? target : source;
  const BufferRegion &region = isStore ? to : from;
  if (shared.space != MemorySpace::Shared)
    return ::tile::layout::fail("expected a copy between a fragment and shared "
                                "memory");
  if (!isWhole(shared, region))
    return ::tile::layout::fail("expected a whole shared tile");
  auto memory = ::tile::layout::reshape(shared.layout,
                                        {tile.begin(), tile.end()});
  if (!memory)
    return memory.failure();
  return l.getSIMT().copyMatrices(
      l, loc, {fragment, shared, layout, *memory, isStore, rules});
}

LogicalResult CopyEmitter::emit(const Buffer &source, const Buffer &target) {
  if (llvm::is_contained(tile, 0))
    return success();
  if (source.space == MemorySpace::Local ||
      target.space == MemorySpace::Local)
    return op->emitOpError("cannot copy a buffer of which each thread has one; "
                          "use a fragment");
  bool toRegs = target.isRegister(), fromRegs = source.isRegister();
  if (toRegs && fromRegs)
    return emitRegisters(source, target);
  auto &[sourceInside, targetInside] = l.inside[op];
  std::optional<MemoryRegion> in, out;
  if (!fromRegs)
    in.emplace(l, loc, source, from, sourceInside);
  if (!toRegs)
    out.emplace(l, loc, target, to, targetInside);
  MemoryRegion *sourceMemory = in ? &*in : nullptr;
  MemoryRegion *targetMemory = out ? &*out : nullptr;
  Layout layout;
  if (toRegs || fromRegs) {
    FailureOr<Layout> own = toRegs ? getTileLayout(target, to)
                                   : getTileLayout(source, from);
    if (failed(own))
      return failure();
    layout = *own;
    auto copy = dyn_cast<CopyOp>(op);
    std::optional<Instruction> prefer =
        copy ? copy.getPrefer() : std::optional<Instruction>();
    if (prefer != Instruction::Sync) {
      auto moved = tryMatrices(source, target, layout);
      if (moved) {
        remark::passed(loc, remark::RemarkOpts::name("MatrixCopy")
                                .category("convert-tile-to-gpu"))
            << *moved;
        return success();
      }
      if (prefer == Instruction::LdMatrix)
        return op->emitOpError() << "cannot use 'ldmatrix' on "
                                 << l.getTarget().name << ": "
                                 << moved.reason();
    }
  } else {
    int64_t bits = std::max(storageBits(source.element),
                            storageBits(target.element));
    int64_t run = 8 * l.getGPU().vectorBytes / bits;
    while (run > 1 && (tile.back() % run != 0 || !in->isContiguous(run) ||
                       !out->isContiguous(run)))
      run /= 2;
    layout = getCoalescedLayout(tile, run, l.threads());
  }
  ThreadMap map(layout, l.threads());
  map.materialize(b, loc);
  int64_t run = chooseRun(map, sourceMemory, targetMemory);
  if (targetMemory && run == 1 && storageBits(target.element) < 8)
    return op->emitOpError("cannot store single elements of 4 bits without a "
                          "race for their byte; expected rows of an even "
                          "length");
  Value fast;
  for (MemoryRegion *side : {sourceMemory, targetMemory})
    for (Value condition :
         {side ? side->isInside() : Value(),
          side ? side->getAlignment(run) : Value()})
      if (condition)
        fast = fast ? b.createOrFold<arith::AndIOp>(loc, fast, condition)
                    : condition;
  const Buffer *sourceRegs = fromRegs ? &source : nullptr;
  const Buffer *targetRegs = toRegs ? &target : nullptr;
  if (!fast) {
    emitFast(map, sourceMemory, sourceRegs, targetMemory, targetRegs, run);
    return success();
  }
  auto branch = scf::IfOp::create(b, loc, fast, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  emitFast(map, sourceMemory, sourceRegs, targetMemory, targetRegs, run);
  b.setInsertionPointToStart(branch.elseBlock());
  emitSlow(map, sourceMemory, sourceRegs, targetMemory, targetRegs);
  return success();
}

/// Whether the copy was given to the tensor copy engine.
static bool isTensorCopy(CopyOp copy) {
  TransferAttr choice = copy.getInstructionAttr();
  if (!choice || choice.getFamily() != Instruction::TMA)
    return false;
  // A load that no pipeline waits for is made by the threads.
  return copy.getSignal() ||
         getMemorySpace(copy.getTarget()) == MemorySpace::Global;
}

namespace {
struct CopyModel : SIMTLoweringOpInterface::ExternalModel<CopyModel, CopyOp> {
  LogicalResult lowerToThreads(Operation *op, KernelLowering &l) const {
    auto copy = cast<CopyOp>(op);
    if (isTensorCopy(copy)) {
      Value barrier;
      if (copy.getSignal())
        barrier = getFullBarrier(l, op->getLoc(), copy.getSignal());
      return l.getSIMT().copyTensor(l, copy, barrier);
    }
    BufferRegion from = copy.getSourceRegion(), to = copy.getTargetRegion();
    const Buffer *source = l.getBuffer(op, from.buffer);
    const Buffer *target = l.getBuffer(op, to.buffer);
    if (!source || !target)
      return failure();
    CastRules rules{copy.getIsUnsigned(), copy.getSaturate()};
    return CopyEmitter(op, from, to, rules, l).emit(*source, *target);
  }
};

/// A copy from the same elements under swapped coordinates.
struct TransposeModel
    : SIMTLoweringOpInterface::ExternalModel<TransposeModel, TransposeOp> {
  LogicalResult lowerToThreads(Operation *op, KernelLowering &l) const {
    auto transpose = cast<TransposeOp>(op);
    BufferRegion to = getWholeRegion(transpose.getTarget());
    const Buffer *source = l.getBuffer(op, transpose.getSource());
    const Buffer *target = l.getBuffer(op, to.buffer);
    if (!source || !target)
      return failure();
    Buffer swapped = *source;
    std::swap(swapped.shape[0], swapped.shape[1]);
    if (source->space == MemorySpace::Global) {
      std::swap(swapped.sizes[0], swapped.sizes[1]);
      std::swap(swapped.strides[0], swapped.strides[1]);
    } else if (source->space != MemorySpace::Local) {
      auto layout = ::tile::layout::permute(source->layout, {1, 0});
      if (!layout)
        return op->emitOpError()
               << "cannot be lowered to threads: " << layout.reason();
      swapped.layout = *layout;
    }
    SmallVector<bool> inside(2, true);
    l.inside[op] = {inside, inside};
    return CopyEmitter(op, to, to, {}, l).emit(swapped, *target);
  }
};

struct FillModel : SIMTLoweringOpInterface::ExternalModel<FillModel, FillOp> {
  LogicalResult lowerToThreads(Operation *op, KernelLowering &l) const {
    auto fill = cast<FillOp>(op);
    const Buffer *buffer = l.getBuffer(op, fill.getBuffer());
    if (!buffer)
      return failure();
    OpBuilder &b = l.builder();
    Location loc = op->getLoc();
    if (buffer->isRegister()) {
      int64_t count = buffer->space == MemorySpace::Local
                          ? ShapedType::getNumElements(buffer->shape)
                          : buffer->layout.axisSize(Axis::Reg);
      for (int64_t reg = 0; reg < std::max<int64_t>(1, count); ++reg)
        l.storeRegister(loc, fill.getValue(), *buffer, reg);
      return success();
    }
    BufferRegion region = withOffsets(getWholeRegion(fill.getBuffer()));
    SmallVector<int64_t> tile = region.getMatchedSizes();
    if (llvm::is_contained(tile, 0))
      return success();
    if (tile.empty())
      tile.push_back(1);
    SmallVector<bool> inside(region.sizes.size(), true);
    MemoryRegion memory(l, loc, *buffer, region, inside);
    int64_t run = 8 * l.getGPU().vectorBytes / storageBits(buffer->element);
    while (run > 1 && (tile.back() % run != 0 || !memory.isContiguous(run)))
      run /= 2;
    ThreadMap map(getCoalescedLayout(tile, run, l.threads()), l.threads());
    map.materialize(b, loc);
    memory.bind(map);
    Value value = fill.getValue();
    if (run > 1)
      value = vector::BroadcastOp::create(
          b, loc, VectorType::get(run, buffer->element), value);
    for (int64_t reg = 0; reg < map.numRegisters(); reg += run)
      if (auto part = map.getRegisterPart(reg))
        l.inIf(loc, map.getExistence(b, loc, *part), [&] {
          l.store(loc, value, *buffer, memory.getOffset(*part), run);
        });
    return success();
  }
};
} // namespace

void simt::attachCopyModels(MLIRContext *context) {
  CopyOp::attachInterface<CopyModel>(*context);
  TransposeOp::attachInterface<TransposeModel>(*context);
  FillOp::attachInterface<FillModel>(*context);
}
