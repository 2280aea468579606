//===- Copy.cpp - copies and fills by threads -----------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AsyncPipeline.h"
#include "OpaqueThreads.h"
#include "TileCopy.h"

#include "Tile/Layout/Algebra.h"
#include "Tile/Layout/Distribute.h"
#include "Tile/Transforms/AsyncCopy.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Remarks.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::simt;
using ::tile::layout::Axis;
using ::tile::layout::Layout;

static Value extract(OpBuilder &b, Location loc, Value vector, int64_t i) {
  return vector::ExtractOp::create(b, loc, vector, ArrayRef<int64_t>{i});
}

namespace {
/// Emits one copy between two buffers, for any op that is one.
class CopyEmitter {
public:
  CopyEmitter(Operation *op, BufferRegion from, BufferRegion to,
              CastRules rules, const CopyBounds &bounds, KernelLowering &l)
      : op(op), l(l), b(l.builder()), loc(op->getLoc()),
        from(withOffsets(from)), to(withOffsets(to)), rules(rules),
        bounds(bounds), tile(this->from.getMatchedSizes()) {
    if (tile.empty())
      tile.push_back(1);
  }

  LogicalResult emit(Buffer source, Buffer target);

private:
  /// Between fragments: by each thread alone, or through shared memory.
  LogicalResult emitRegisters(const Buffer &source, const Buffer &target);
  LogicalResult emitConversion(const Buffer &source, const Buffer &target,
                               const Layout &in, const Layout &out);
  /// Where at least one side is memory, with the partition among the threads.
  LogicalResult emitTile(CopySide &source, CopySide &target,
                         const Layout &layout);
  /// Under the condition, and goes on where it does not hold; false where there
  /// is none.
  bool emitWhere(Value condition, function_ref<void()> emit);
  /// True where instructions that move matrices did all.
  FailureOr<bool> tryMatrices(const Buffer &source, const Buffer &target,
                              const Layout &layout);
  ::tile::layout::Result<std::string> copyMatrices(const Buffer &source,
                                                   const Buffer &target,
                                                   const Layout &layout);
  /// Where the part of a fragment has no layout of its own.
  LogicalResult emitPart(const Buffer &source, const Buffer &target);
  /// Room for the tile in shared memory.
  Buffer getRoom(const Buffer &source, const Buffer &target);
  BufferRegion getWholeTile();
  CopySide makeSide(const Buffer &buffer, const BufferRegion &region,
                    ArrayRef<bool> inBounds);
  /// A whole fragment's layout over the coordinates of the tile.
  FailureOr<Layout> getTileLayout(const Buffer &buffer);
  /// Of a copy from memory to memory.
  Layout getPartition(const CopySide &source, const CopySide &target);
  bool isAsync();
  /// By lanes that write side by side; none where the tile or its layout is not
  /// made for it.
  FailureOr<bool> tryLinear(const TileCopy &copy, int64_t run);
  int64_t getProvenRun(const TileCopy &copy);
  Value convert(Value value, Type element) {
    return castElement(b, loc, value, element, rules);
  }

  Operation *op;
  KernelLowering &l;
  OpBuilder &b;
  Location loc;
  BufferRegion from, to;
  CastRules rules;
  CopyBounds bounds;
  SmallVector<int64_t> tile;
};
} // namespace

FailureOr<Layout> CopyEmitter::getTileLayout(const Buffer &buffer) {
  auto layout =
      ::tile::layout::reshape(buffer.layout, {tile.begin(), tile.end()});
  if (!layout)
    return op->emitOpError() << "cannot be lowered to threads: "
                            << layout.reason();
  return *layout;
}

LogicalResult CopyEmitter::emitRegisters(const Buffer &source,
                                         const Buffer &target) {
  FailureOr<Layout> out = getTileLayout(target);
  FailureOr<Layout> in = getTileLayout(source);
  if (failed(out) || failed(in))
    return failure();
  if (!::tile::layout::containsInRegisters(*in, *out))
    return emitConversion(source, target, *in, *out);
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

/// Rows whose neighbours would meet in the same banks are shifted against each
/// other, in vectors.
static Layout spreadOverBanks(ArrayRef<int64_t> tile, int64_t bits,
                              const ::tile::target::GPUSpec &gpu) {
  Layout plain = *Layout::rowMajor({tile.begin(), tile.end()});
  int64_t vector = 8 * gpu.vectorBytes / bits, row = tile.back();
  int64_t banks = gpu.sharedBanks * gpu.sharedBankBytes / gpu.vectorBytes;
  if (!llvm::isPowerOf2_64(vector) || !llvm::isPowerOf2_64(row) ||
      row < banks * vector)
    return plain;
  int base = llvm::Log2_64(vector);
  auto spread = Layout::get(
      plain.dims(), plain.copies(),
      {int(llvm::Log2_64(banks)), base, int(llvm::Log2_64(row)) - base});
  return spread ? *spread : plain;
}

Buffer CopyEmitter::getRoom(const Buffer &source, const Buffer &target) {
  Buffer room;
  room.space = MemorySpace::Shared;
  // The shorter element travels.
  int64_t targetBits = getElementBits(target.element);
  bool converts = targetBits >= 8 && targetBits < getElementBits(source.element);
  room.element = converts ? target.element : source.element;
  room.shape = tile;
  room.layout =
      spreadOverBanks(tile, getElementBits(room.element), l.getGPU());
  int64_t elements = room.layout.numElements();
  room.base = l.getScratch(
      loc, llvm::divideCeil(elements * getElementBits(room.element), 8));
  return room;
}

BufferRegion CopyEmitter::getWholeTile() {
  BufferRegion region;
  SmallVector<AffineExpr> zeros(tile.size(),
                                getAffineConstantExpr(0, b.getContext()));
  region.map = AffineMap::get(0, 0, zeros, b.getContext());
  region.sizes = tile;
  return region;
}

/// Other threads hold what this one needs: through shared memory.
LogicalResult CopyEmitter::emitConversion(const Buffer &source,
                                          const Buffer &target,
                                          const Layout &in, const Layout &out) {
  Buffer room = getRoom(source, target);
  BufferRegion region = getWholeTile();
  SmallVector<bool> inBounds(tile.size(), true);
  auto move = [&](CopySide &from, CopySide &to, const ThreadMap &map) {
    TileCopy copy{l, loc, rules, from, to};
    copyVectors(copy, map, chooseRun(copy, map));
  };
  l.barrier(loc);
  ThreadMap writer(in, l.threads());
  writer.materialize(b, loc);
  CopySide given(source), written(l, loc, room, region, inBounds);
  move(given, written, writer);
  l.barrier(loc);
  ThreadMap reader(out, l.threads());
  reader.materialize(b, loc);
  CopySide read(l, loc, room, region, inBounds), taken(target);
  move(read, taken, reader);
  return success();
}

/// By instructions for matrices, between a whole fragment and a whole shared
/// tile.
::tile::layout::Result<std::string>
CopyEmitter::copyMatrices(const Buffer &source, const Buffer &target,
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

FailureOr<bool> CopyEmitter::tryMatrices(const Buffer &source,
                                         const Buffer &target,
                                         const Layout &layout) {
  auto copy = dyn_cast<CopyOp>(op);
  std::optional<Instruction> prefer =
      copy ? copy.getPrefer() : std::optional<Instruction>();
  if (prefer == Instruction::Sync)
    return false;
  auto moved = copyMatrices(source, target, layout);
  if (moved) {
    remark::passed(loc, remark::RemarkOpts::name("MatrixCopy")
                            .category("convert-tile-to-simt"))
        << *moved;
    return true;
  }
  if (prefer == Instruction::LdMatrix)
    return op->emitOpError() << "cannot use 'ldmatrix' on "
                             << l.getTarget().name << ": " << moved.reason();
  return false;
}

Layout CopyEmitter::getPartition(const CopySide &source,
                                 const CopySide &target) {
  int64_t bits = std::max(getElementBits(source.buffer.element),
                          getElementBits(target.buffer.element));
  int64_t run = 8 * l.getGPU().vectorBytes / bits;
  while (run > 1 &&
         (tile.back() % run != 0 || !source.memory->isContiguous(run) ||
          !target.memory->isContiguous(run)))
    run /= 2;
  return getCoalescedLayout(tile, run, l.threads());
}

/// Whether threads were asked to copy asynchronously.
bool CopyEmitter::isAsync() {
  auto copy = dyn_cast<CopyOp>(op);
  TransferAttr choice = copy ? copy.getInstructionAttr() : TransferAttr();
  return choice && choice.getFamily() == Instruction::CpAsync;
}

/// How many elements instruction selection has proven to be aligned; 1 where it
/// knows of no more.
int64_t CopyEmitter::getProvenRun(const TileCopy &of) {
  auto copy = dyn_cast<CopyOp>(op);
  TransferAttr choice = copy ? copy.getInstructionAttr() : TransferAttr();
  int64_t bits = 8;
  for (const CopySide *side : {&of.source, &of.target})
    if (side->isMemory())
      bits = std::max(bits, getElementBits(side->buffer.element));
  return choice ? std::max<int64_t>(1, choice.getBytes() * 8 / bits) : 1;
}

/// What must hold at run time for copies in vectors; null: nothing.
/// `isAligned`: their alignment is proven.
static Value getFastCondition(const TileCopy &copy, int64_t run,
                              bool isAligned = false) {
  Value fast;
  for (CopySide *side : {&copy.source, &copy.target}) {
    if (!side->isMemory())
      continue;
    Value inside = side->memory->isInside();
    for (Value condition :
         {inside, isAligned ? Value() : side->memory->getAlignment(run)})
      if (condition)
        fast = fast ? copy.builder().createOrFold<arith::AndIOp>(
                          copy.loc, fast, condition)
                    : condition;
  }
  return fast;
}

FailureOr<bool> CopyEmitter::tryLinear(const TileCopy &copy, int64_t run) {
  if (!copy.isAsync || !llvm::any_of(l.getTarget().copies, isLinearCopy))
    return false;
  auto find = [&](int64_t most) -> ::tile::layout::Result<int64_t> {
    if (!isWhole(copy.target.buffer, to))
      return ::tile::layout::fail("expected a whole shared tile");
    return findLinearRun(copy, most);
  };
  auto widest = find(run);
  auto proven = find(std::min(run, getProvenRun(copy)));
  if (!proven) {
    if (cast<CopyOp>(op).getPrefer() == Instruction::CpAsync)
      return op->emitOpError() << "cannot use 'cp_async' on "
                               << l.getTarget().name << ": " << proven.reason();
    remark::missed(loc, remark::RemarkOpts::name("AsyncCopy").category(
                            "convert-tile-to-simt"))
        << remark::reason("{0}", proven.reason());
    return false;
  }
  OpBuilder::InsertionGuard guard(b);
  auto splitOn = [&](Value condition) {
    auto branch =
        scf::IfOp::create(b, loc, condition, /*withElseRegion=*/true);
    b.setInsertionPointToStart(branch.thenBlock());
    return branch;
  };
  if (*widest > *proven) {
    Value fast = getFastCondition(copy, *widest);
    scf::IfOp branch = fast ? splitOn(fast) : scf::IfOp();
    copyLinear(copy, *widest, /*isInside=*/true);
    if (!fast)
      return true;
    b.setInsertionPointToStart(branch.elseBlock());
  }
  Value inside = copy.source.memory->isInside();
  scf::IfOp branch = inside ? splitOn(inside) : scf::IfOp();
  copyLinear(copy, *proven, /*isInside=*/true);
  if (inside) {
    b.setInsertionPointToStart(branch.elseBlock());
    copyLinear(copy, *proven, /*isInside=*/false);
  }
  return true;
}

bool CopyEmitter::emitWhere(Value condition, function_ref<void()> emit) {
  if (!condition) {
    emit();
    return false;
  }
  auto branch = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/true);
  b.setInsertionPointToStart(branch.thenBlock());
  emit();
  b.setInsertionPointToStart(branch.elseBlock());
  return true;
}

LogicalResult CopyEmitter::emitTile(CopySide &source, CopySide &target,
                                    const Layout &layout) {
  TileCopy copy{
      l, loc, rules, source, target, isAsync(), bounds.mayBeginBefore};
  ThreadMap map(layout, l.threads());
  map.materialize(b, loc);
  if (std::optional<SharedWords> words = findSharedWords(copy, layout)) {
    copySharedWords(copy, map, *words);
    return success();
  }
  int64_t run = chooseRun(copy, map);
  FailureOr<bool> done = tryLinear(copy, run);
  if (failed(done) || *done)
    return failure(failed(done));
  std::optional<StoreTurns> turns =
      target.isMemory() && isWhole(target.buffer, to)
          ? findStoreTurns(copy, map, layout, run)
          : std::nullopt;
  if (turns)
    remark::passed(loc, remark::RemarkOpts::name("StoreTurns")
                            .category("convert-tile-to-simt"))
        << remark::metric("lanes", turns->lane)
        << remark::metric("registers", turns->reg);
  auto copyWide = [&](int64_t width) {
    if (turns && width == run)
      return storeInTurns(copy, map, run, *turns);
    // Between places in memory, neighbours in a warp hold neighbouring vectors,
    // however narrow these are.
    if (width == run || !source.isMemory() || !target.isMemory())
      return copyVectors(copy, map, width);
    ThreadMap own(getCoalescedLayout(tile, width, l.threads()), l.threads());
    own.materialize(b, loc);
    copyVectors(copy, own, width);
  };
  // The widest vectors, those that are proven to be aligned or that are shifted,
  // and elements.
  OpBuilder::InsertionGuard guard(b);
  SmallVector<int64_t> widths{run};
  // Vectors around a row hold elements of its neighbours, which other blocks
  // may be writing.
  bool shifts = !source.buffer.mayBeWritten && canLoadShifted(copy, map, run);
  if (int64_t proven = getProvenRun(copy);
      (proven > 1 || copy.isAsync) && proven < run && !shifts)
    widths.push_back(proven);
  // Rows of sums may begin anywhere, but only the last ones end.
  if (!source.isMemory() && run > 1 && !canStoreShifted(copy, map, run))
    widths.push_back(1);
  std::optional<LaneExchange> exchange = findLaneExchange(copy, layout);
  if (exchange &&
      !emitWhere(getFastCondition(copy, exchange->getWidth()),
                 [&] { copyExchanged(copy, map, *exchange); }))
    return success();
  for (int64_t width : widths)
    if (!emitWhere(getFastCondition(copy, width, /*isAligned=*/width != run),
                   [&] { copyWide(width); }))
      return success();
  // The tiles that reach past a buffer or begin anywhere.
  ThreadMap rare(layout, makeThreadsOpaque(l, loc));
  rare.materialize(b, loc);
  if (canStoreShifted(copy, rare, run)) {
    storeShifted(copy, rare, run);
    return success();
  }
  if (shifts) {
    Value spans = source.memory->spansVectors(
        source.buffer, run * getElementBits(source.buffer.element) / 8);
    auto branch = scf::IfOp::create(b, loc, spans, /*withElseRegion=*/true);
    b.setInsertionPointToStart(branch.thenBlock());
    loadShifted(copy, rare, run);
    b.setInsertionPointToStart(branch.elseBlock());
  }
  // Between places in memory a store of an element would wait for its load, and
  // the next load for the store.
  if (shifts && target.isMemory()) {
    loadShiftedAtEnds(copy, rare, run);
    return success();
  }
  copyElements(copy, rare, tile, run);
  return success();
}

CopySide CopyEmitter::makeSide(const Buffer &buffer, const BufferRegion &region,
                               ArrayRef<bool> inBounds) {
  return buffer.isRegister() ? CopySide(buffer)
                             : CopySide(l, loc, buffer, region, inBounds);
}

LogicalResult CopyEmitter::emitPart(const Buffer &source,
                                    const Buffer &target) {
  CopySide in = makeSide(source, from, bounds.source);
  CopySide out = makeSide(target, to, bounds.target);
  if (in.isMemory() || out.isMemory()) {
    copyPart({l, loc, rules, in, out}, in.isMemory() ? to : from);
    return success();
  }
  // Between two fragments the part goes through shared memory.
  Buffer room = getRoom(source, target);
  SmallVector<bool> inBounds(tile.size(), true);
  CopySide written(l, loc, room, getWholeTile(), inBounds);
  l.barrier(loc);
  copyPart({l, loc, rules, in, written}, from);
  l.barrier(loc);
  CopySide read(l, loc, room, getWholeTile(), inBounds);
  copyPart({l, loc, rules, read, out}, to);
  return success();
}

/// A local buffer as a fragment of which every thread holds all.
static void makeReplicated(Buffer &buffer, const ThreadGroup &threads) {
  if (buffer.space != MemorySpace::Local)
    return;
  size_t rank = buffer.shape.size();
  ::tile::layout::Spread none{1, std::vector<int64_t>(rank, 1),
                              std::vector<int64_t>(rank, 1)};
  auto layout = ::tile::layout::spread(
      {buffer.shape.begin(), buffer.shape.end()}, none,
      {threads.lanes, threads.warps}, /*replicate=*/true);
  assert(layout && "any extent is legal");
  buffer.layout = *layout;
  buffer.space = MemorySpace::Fragment;
}

LogicalResult CopyEmitter::emit(Buffer source, Buffer target) {
  if (llvm::is_contained(tile, 0))
    return success();
  makeReplicated(source, l.threads());
  makeReplicated(target, l.threads());
  narrow(l, loc, source, from);
  narrow(l, loc, target, to);
  bool toRegisters = target.isRegister(), fromRegisters = source.isRegister();
  if ((toRegisters && !isWhole(target, to)) ||
      (fromRegisters && !isWhole(source, from)))
    return emitPart(source, target);
  if (toRegisters && fromRegisters)
    return emitRegisters(source, target);
  CopySide in = makeSide(source, from, bounds.source);
  CopySide out = makeSide(target, to, bounds.target);
  if (!toRegisters && !fromRegisters)
    return emitTile(in, out, getPartition(in, out));
  FailureOr<Layout> layout = getTileLayout(toRegisters ? target : source);
  if (failed(layout))
    return failure();
  FailureOr<bool> done = tryMatrices(source, target, *layout);
  if (failed(done) || *done)
    return failure(failed(done));
  return emitTile(in, out, *layout);
}

/// Whether the copy was given to the tensor copy engine.
static bool isTensorCopy(CopyOp copy) {
  TransferAttr choice = copy.getInstructionAttr();
  if (!choice || !choice.usesTensorMap())
    return false;
  // A load that no pipeline waits for is made by the threads.
  return copy.getSignal() ||
         getMemorySpace(copy.getTarget()) == MemorySpace::Global;
}

/// An error where a thread would have more elements than can be code of its
/// own, as whole buffers in global memory may have.
static LogicalResult checkElements(Operation *op, ArrayRef<int64_t> sizes,
                                   KernelLowering &l) {
  constexpr int64_t kMostElements = 1 << 18;
  int64_t threads = l.threads().size(), elements = 1;
  for (int64_t size : sizes)
    if (llvm::MulOverflow(elements, size, elements))
      elements = std::numeric_limits<int64_t>::max();
  if (elements / kMostElements < threads)
    return success();
  return op->emitOpError() << "expected fewer than " << kMostElements
                           << " elements for each of " << threads
                           << " threads, got " << elements
                           << " in all; divide them among blocks, or write a "
                              "'tile.parallel', which is a loop";
}

namespace {
struct CopyModel : SIMTLoweringOpInterface::ExternalModel<CopyModel, CopyOp> {
  LogicalResult lowerToThreads(Operation *op, KernelLowering &l) const {
    auto copy = cast<CopyOp>(op);
    if (isTensorCopy(copy)) {
      if (!copy.getSignal())
        return l.getSIMT().copyTensor(l, copy, Value(), std::nullopt);
      LogicalResult result = success();
      auto start = [&] {
        Value barrier = getFullBarrier(l, op->getLoc(), copy.getSignal());
        result = l.getSIMT().copyTensor(l, copy, barrier, std::nullopt);
      };
      // One thread of a producer whose others gather.
      if (l.threads().size() == 1)
        start();
      else
        l.inFirstThread(op->getLoc(), start);
      return result;
    }
    BufferRegion from = copy.getSourceRegion(), to = copy.getTargetRegion();
    const Buffer *source = l.getBuffer(op, from.buffer);
    const Buffer *target = l.getBuffer(op, to.buffer);
    if (!source || !target || failed(checkElements(op, to.getMatchedSizes(), l)))
      return failure();
    CastRules rules{copy.getIsUnsigned(), copy.getSaturate()};
    const CopyBounds &bounds = l.getState<ProvenBounds>().copies[op];
    return CopyEmitter(op, from, to, rules, bounds, l).emit(*source, *target);
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
    SmallVector<bool> all(2, true);
    return CopyEmitter(op, to, to, {}, {all, all}, l).emit(swapped, *target);
  }
};

/// Halves of bytes in rows of an odd length: the tile as one row, if it leaves
/// no place out, so that threads have whole bytes.
static void joinOddRows(Buffer &buffer, BufferRegion &region) {
  if (buffer.space != MemorySpace::Shared ||
      getElementBits(buffer.element) != 4 || region.sizes.back() % 2 == 0)
    return;
  auto isDense = buffer.layout.isBijective();
  if (!isDense || !*isDense)
    return;
  int64_t elements = buffer.layout.numElements();
  buffer.shape = region.sizes = {elements};
  buffer.layout = *Layout::rowMajor({elements});
  region.map = AffineMap::getConstantMap(0, region.map.getContext());
}

struct FillModel : SIMTLoweringOpInterface::ExternalModel<FillModel, FillOp> {
  LogicalResult lowerToThreads(Operation *op, KernelLowering &l) const {
    auto fill = cast<FillOp>(op);
    const Buffer *given = l.getBuffer(op, fill.getBuffer());
    if (!given)
      return failure();
    Buffer own = *given, *buffer = &own;
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
    if (!region.sizes.empty())
      joinOddRows(own, region);
    SmallVector<int64_t> tile = region.getMatchedSizes();
    if (llvm::is_contained(tile, 0))
      return success();
    if (failed(checkElements(op, tile, l)))
      return failure();
    if (tile.empty())
      tile.push_back(1);
    SmallVector<bool> inside(region.sizes.size(), true);
    MemoryRegion memory(l, loc, *buffer, region, inside);
    int64_t run = 8 * l.getGPU().vectorBytes / getElementBits(buffer->element);
    while (run > 1 && (tile.back() % run != 0 || !memory.isContiguous(run) ||
                       memory.getAlignment(run)))
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
