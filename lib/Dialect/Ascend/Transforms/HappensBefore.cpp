//===- HappensBefore.cpp - what is complete when an instruction begins ----===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HappensBefore.h"

#include "Tile/Analysis/AccessSystem.h"

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;
namespace target = ::tile::target;
using llvm::BitVector;
using tl::MemorySpace;

static target::Engine getEngine(Pipe pipe) {
  return *target::symbolizeEngine(stringifyPipe(pipe));
}

std::optional<Pipe> mlir::tile::ascend::getPipeOf(Operation *op) {
  if (auto instruction = dyn_cast<InstructionOpInterface>(op))
    return instruction.getPipe();
  if (isa<memref::LoadOp, memref::StoreOp>(op))
    return Pipe::S;
  return std::nullopt;
}

std::optional<Core> mlir::tile::ascend::getCoreOf(Operation *op) {
  if (auto instruction = dyn_cast<InstructionOpInterface>(op))
    return instruction.getCore();
  if (auto attr = op->getAttrOfType<CoreAttr>(AscendDialect::kCoreAttr))
    return attr.getValue();
  // The scalar unit of a vector core alone reaches UB.
  for (Value operand : op->getOperands())
    if (isa<memref::LoadOp, memref::StoreOp>(op) &&
        isa<MemRefType>(operand.getType()) &&
        tl::getMemorySpace(operand) == MemorySpace::UB)
      return Core::Vector;
  return std::nullopt;
}

LogicalResult mlir::tile::ascend::forEachCore(
    tl::KernelOp kernel, function_ref<LogicalResult(Region &, Core)> body) {
  auto sections = llvm::to_vector(kernel.getBody().getOps<SectionOp>());
  for (SectionOp section : sections)
    if (mlir::failed(body(section.getBody(), section.getCore())))
      return failure();
  if (!sections.empty())
    return success();
  Core core = Core::Vector;
  kernel.walk([&](InstructionOpInterface op) { core = op.getCore(); });
  return body(kernel.getBody(), core);
}

LogicalResult mlir::tile::ascend::reportHazard(const Hazard &hazard) {
  InFlightDiagnostic diag =
      hazard.second->emitError()
      << "nothing orders this instruction of pipe '"
      << stringifyPipe(hazard.secondPipe) << "' after one of pipe '"
      << stringifyPipe(hazard.firstPipe) << "': " << hazard.kind;
  if (hazard.loop)
    diag << " from one iteration to a later one";
  diag.attachNote(hazard.first->getLoc()) << "the other one is here";
  return diag;
}

HappensBefore::HappensBefore(Region &code, Core core)
    : code(code), core(core), spec(getSpec(code.getParentOp())),
      scalars(code.getContext()) {
  bool has[kCores] = {false, false};
  code.walk(
      [&](InstructionOpInterface op) { has[unsigned(op.getCore())] = true; });
  isJoint = has[0] && has[1];
}

Core HappensBefore::getCore(Operation *op) const {
  return isJoint ? getCoreOf(op).value_or(core) : core;
}

bool HappensBefore::run(Repair how) {
  repair = how;
  state = State();
  executed = 0;
  repetition = Repetition();
  hazard.reset();
  problem.reset();
  runBlock(code.front());
  if (!failed())
    checkEnd();
  return !failed();
}

/// No flag is left raised.
void HappensBefore::checkEnd() {
  Operation *last = nullptr;
  if (!state.raised.empty()) {
    auto [at, src, dst, id] = state.raised.begin()->first;
    code.walk([&, at = at, src = src, dst = dst, id = id](SetFlagOp op) {
      if (getCore(op) == at && op.getSrc() == src && op.getDst() == dst &&
          int64_t(op.getId()) == id && !disabled.contains(op))
        last = op;
    });
  }
  for (auto &[flag, signals] : state.counted)
    if (!signals.empty())
      code.walk([&, id = flag.second](CrossSetOp op) {
        if (int64_t(op.getId()) == id && !disabled.contains(op))
          last = op;
      });
  if (last)
    problem = FlagProblem{last, "the flag is still raised at the end of "
                                "the kernel"};
}

void HappensBefore::add(BitVector &to, const BitVector &from) {
  if (to.size() < from.size())
    to.resize(from.size());
  to |= from;
}

//===----------------------------------------------------------------------===//
// Paths
//===----------------------------------------------------------------------===//

void HappensBefore::runBlock(Block &block) {
  for (Operation &op : block) {
    if (failed())
      return;
    if (auto loop = dyn_cast<scf::ForOp>(op))
      runLoop(loop);
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      runBranch(branch);
    else
      runOp(&op);
  }
}

HappensBefore::State HappensBefore::meet(State a, State c, unsigned begin,
                                         unsigned middle, unsigned end,
                                         Operation *at) {
  State result;
  auto intersect = [&](BitVector x, BitVector y) {
    x.resize(end);
    y.resize(end);
    // What a path does not execute is not in its way.
    x.set(middle, end);
    y.set(begin, middle);
    return x &= y;
  };
  for (unsigned of = 0; of < kCores; ++of)
    for (unsigned pipe = 0; pipe < kPipes; ++pipe) {
      result.done[of][pipe] =
          intersect(a.done[of][pipe], c.done[of][pipe]);
      add(result.issued[of][pipe], a.issued[of][pipe]);
      add(result.issued[of][pipe], c.issued[of][pipe]);
    }
  meetSignals(a, c, result, intersect, at);
  for (auto &[flag, known] : a.raised) {
    auto other = c.raised.find(flag);
    if (other == c.raised.end()) {
      problem = FlagProblem{at, "a flag is raised or taken on one path alone"};
      return result;
    }
    result.raised[flag] = intersect(known, other->second);
  }
  if (a.raised.size() != c.raised.size())
    problem = FlagProblem{at, "a flag is raised or taken on one path alone"};
  return result;
}

void HappensBefore::meetSignals(
    State &a, State &c, State &result,
    function_ref<BitVector(BitVector, BitVector)> intersect, Operation *at) {
  for (auto &[flag, known] : a.counted)
    c.counted.try_emplace(flag);
  for (auto &[flag, known] : c.counted) {
    Signals &other = a.counted[flag];
    if (other.size() != known.size())
      problem = FlagProblem{at, "a flag is raised or taken on one path alone"};
    Signals &merged = result.counted[flag];
    for (auto [x, y] : llvm::zip(other, known))
      merged.push_back(intersect(x, y));
  }
}

void HappensBefore::runLoop(scf::ForOp loop) {
  auto lower = getConstantIntValue(loop.getLowerBound()),
       upper = getConstantIntValue(loop.getUpperBound()),
       step = getConstantIntValue(loop.getStep());
  bool runs = lower && upper && *lower < *upper;
  bool repeats = !runs || !step || *lower + *step < *upper;
  State before = state;
  unsigned begin = executed;
  runBlock(*loop.getBody());
  if (repeats && !repetition.loop && !failed()) {
    State once = state;
    repetition = {loop, begin, executed};
    runBlock(*loop.getBody());
    repetition = Repetition();
    // Flags must be as they were.
    if (!failed())
      meet(once, state, executed, executed, executed, loop);
    state = std::move(once);
  }
  if (!runs && !failed())
    state = meet(before, state, begin, begin, executed, loop);
}

void HappensBefore::runBranch(scf::IfOp branch) {
  State before = state;
  unsigned begin = executed;
  runBlock(*branch.thenBlock());
  if (failed())
    return;
  State taken = state;
  unsigned middle = executed;
  state = before;
  // What the other path executes is not in the way of this one.
  for (auto &pipes : state.done)
    for (BitVector &done : pipes) {
      done.resize(std::max<unsigned>(done.size(), middle));
      done.set(begin, middle);
    }
  if (branch.elseBlock())
    runBlock(*branch.elseBlock());
  if (!failed())
    state = meet(taken, state, begin, middle, executed, branch);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

void HappensBefore::runOp(Operation *op) {
  if (disabled.contains(op))
    return;
  if (auto set = dyn_cast<SetFlagOp>(op))
    return setFlag(set);
  if (auto wait = dyn_cast<WaitFlagOp>(op))
    return waitFlag(wait);
  if (auto all = dyn_cast<PipeBarrierOp>(op))
    return barrier(all);
  if (auto raise = dyn_cast<CrossSetOp>(op))
    return signal(raise);
  if (auto take = dyn_cast<CrossWaitOp>(op))
    return hear(take);
  std::optional<Pipe> pipe = getPipeOf(op);
  if (!pipe)
    return;
  // Scalar code of both.
  if (isJoint && !getCoreOf(op)) {
    execute(op, Core::Cube, *pipe);
    if (!failed())
      execute(op, Core::Vector, *pipe);
    return;
  }
  execute(op, getCore(op), *pipe);
}

void HappensBefore::setFlag(SetFlagOp op) {
  auto of = unsigned(getCore(op)), src = unsigned(op.getSrc());
  BitVector known = state.done[of][src];
  add(known, state.issued[of][src]);
  auto [at, isNew] = state.raised.try_emplace(
      Flag(getCore(op), op.getSrc(), op.getDst(), op.getId()), known);
  if (!isNew)
    problem = FlagProblem{op, "the flag is raised already"};
}

void HappensBefore::waitFlag(WaitFlagOp op) {
  auto at = state.raised.find(
      Flag(getCore(op), op.getSrc(), op.getDst(), op.getId()));
  if (at == state.raised.end()) {
    problem = FlagProblem{op, "the flag is not raised before"};
    return;
  }
  // The scalar unit issues everything.
  for (unsigned pipe = 0; pipe < kPipes; ++pipe)
    if (Pipe(pipe) == op.getDst() || op.getDst() == Pipe::S)
      add(state.done[unsigned(getCore(op))][pipe], at->second);
  state.raised.erase(at);
}

void HappensBefore::barrier(PipeBarrierOp op) {
  auto of = unsigned(getCore(op));
  if (op.getPipe() != Pipe::All) {
    auto pipe = unsigned(op.getPipe());
    return add(state.done[of][pipe], state.issued[of][pipe]);
  }
  BitVector all;
  for (const BitVector &issued : state.issued[of])
    add(all, issued);
  for (BitVector &done : state.done[of])
    add(done, all);
}

/// Between the sections of a kernel that is divided, see BothCores.
void HappensBefore::signal(CrossSetOp op) {
  if (!isJoint)
    return;
  auto of = unsigned(getCore(op)), pipe = unsigned(op.getPipe());
  BitVector known = state.done[of][pipe];
  add(known, state.issued[of][pipe]);
  Signals &open = state.counted[{Core(1 - of), op.getId()}];
  open.push_back(std::move(known));
  if (open.size() > size_t(spec.crossCounterMax))
    problem = FlagProblem{op, "the flag of the other core may be raised more "
                              "often than it can count"};
}

/// A flag carries what the other core knows; to one pipe, where it is named.
void HappensBefore::hear(CrossWaitOp op) {
  if (!isJoint)
    return;
  Signals &open = state.counted[{getCore(op), op.getId()}];
  if (open.empty()) {
    problem = FlagProblem{op, "the flag is not raised before"};
    return;
  }
  for (unsigned pipe = 0; pipe < kPipes; ++pipe)
    if (Pipe(pipe) == op.getPipe().value_or(Pipe(pipe)))
      add(state.done[unsigned(getCore(op))][pipe], open.front());
  open.pop_front();
}

std::optional<unsigned> HappensBefore::getNumber(Operation *op, Core at,
                                                 Pipe pipe) {
  auto [number, isNew] = numbers.try_emplace({op, at}, executions.size());
  if (!isNew)
    return number->second;
  SmallVector<tl::Access> accesses;
  if (mlir::failed(tl::collectAccesses(op, accesses))) {
    numbers.erase(number);
    return std::nullopt;
  }
  Execution execution{op, at, pipe, {}};
  for (const tl::Access &access : accesses)
    execution.touches.push_back({getByteRange(access.region.buffer),
                                 access.region.buffer,
                                 access.kind != tl::AccessKind::Read});
  executions.push_back(std::move(execution));
  return executions.size() - 1;
}

void HappensBefore::execute(Operation *op, Core at, Pipe pipe) {
  std::optional<unsigned> number = getNumber(op, at, pipe);
  if (!number)
    return;
  check(*number);
  // Nothing is held against a second iteration.
  if (repetition.loop)
    return;
  BitVector &issued = state.issued[unsigned(at)][unsigned(pipe)];
  issued.resize(std::max(issued.size(), *number + 1));
  issued.set(*number);
  executed = *number + 1;
  if (!repair)
    return;
  carried.resize(executions.size());
  carried[*number] = issued;
  add(carried[*number], state.done[unsigned(at)][unsigned(pipe)]);
}

/// A product that adds to what the one before wrote is ordered by hardware when
/// the tile is large.
static bool isOrderedProduct(Operation *a, Operation *c,
                             const target::AscendSpec &spec) {
  auto first = dyn_cast<MmadOp>(a), second = dyn_cast<MmadOp>(c);
  if (!first || !second || first.getTarget() != second.getTarget())
    return false;
  auto type = cast<MemRefType>(first.getTarget().getType());
  int64_t side = spec.accumulatorFractal;
  return llvm::divideCeil(type.getDimSize(0), side) *
             llvm::divideCeil(type.getDimSize(1), side) >=
         uint64_t(spec.mmadOrderedTiles);
}

/// Fixpipe to UB of two different vector cores.
static bool writeOtherCores(Operation *a, Operation *c) {
  auto first = dyn_cast<FixpipeOp>(a), second = dyn_cast<FixpipeOp>(c);
  return first && second && first.getSubBlock() && second.getSubBlock() &&
         *first.getSubBlock() != *second.getSubBlock();
}

bool mlir::tile::ascend::isOrderedByPipe(Operation *a, Operation *c, Pipe pipe,
                                         const target::AscendSpec &spec) {
  return spec.isOrdered(getEngine(pipe)) || isOrderedProduct(a, c, spec) ||
         writeOtherCores(a, c);
}

const char *mlir::tile::ascend::getHazardKind(bool firstWrites,
                                              bool secondWrites) {
  if (!firstWrites)
    return "write after read";
  return secondWrites ? "write after write" : "read after write";
}

Operation *mlir::tile::ascend::getLoopApart(const Iterations &a,
                                            const Iterations &c) {
  for (auto [x, y] : llvm::zip(a, c)) {
    if (x.first != y.first)
      return nullptr;
    if (x.second != y.second)
      return x.first;
  }
  return nullptr;
}

bool HappensBefore::mayMeet(const Touch &a, const Touch &c) const {
  return (a.writes || c.writes) && mayOverlap(a.range, c.range);
}

BitVector &HappensBefore::getCandidates(unsigned number) {
  auto [at, isNew] = candidates.try_emplace({number, repetition.loop});
  if (!isNew)
    return at->second;
  const Execution &later = executions[number];
  unsigned begin = repetition.loop ? repetition.begin : 0,
           end = repetition.loop ? repetition.end : number;
  BitVector &found = at->second;
  found.resize(end);
  for (unsigned i = begin; i < end; ++i) {
    const Execution &earlier = executions[i];
    bool isOrdered =
        earlier.core == later.core && earlier.pipe == later.pipe &&
        isOrderedByPipe(earlier.op, later.op, later.pipe, spec);
    found[i] = !isOrdered && llvm::any_of(earlier.touches, [&](auto &a) {
      return llvm::any_of(later.touches,
                          [&](auto &c) { return mayMeet(a, c); });
    });
  }
  return found;
}

std::optional<Hazard> HappensBefore::findHazard(const Execution &earlier,
                                                const Execution &later) {
  for (const Touch &a : earlier.touches)
    for (const Touch &c : later.touches) {
      if (!mayMeet(a, c) || isApart(earlier, a, later, c))
        continue;
      // Of other buffers in GM, ascend-split-cores says what is wrong.
      if (earlier.core != later.core &&
          c.range.space == MemorySpace::Global &&
          !c.range.base.getDefiningOp<memref::AllocOp>())
        continue;
      return Hazard{earlier.op,
                    later.op,
                    earlier.pipe,
                    later.pipe,
                    earlier.core,
                    later.core,
                    repetition.loop,
                    getHazardKind(a.writes, c.writes),
                    c.buffer};
    }
  return std::nullopt;
}

/// The latest one that is not ordered before: what orders it may order the
/// earlier ones too.
std::optional<unsigned> HappensBefore::findFirst(unsigned number) {
  const Execution &later = executions[number];
  BitVector &possible = getCandidates(number);
  BitVector open = possible;
  open.reset(state.done[unsigned(later.core)][unsigned(later.pipe)]);
  for (int i = open.find_last(); i >= 0; i = open.find_prev(i)) {
    hazard = findHazard(executions[i], later);
    if (hazard)
      return i;
    possible.reset(i);
  }
  return std::nullopt;
}

void HappensBefore::check(unsigned number) {
  while (std::optional<unsigned> first = findFirst(number)) {
    if (!repair || !goOn(*first))
      return;
    hazard.reset();
  }
}

/// Adds what orders the hazard, and has its effect here if it is all directly
/// before the second instruction, or a flag raised directly behind the first.
bool HappensBefore::goOn(unsigned first) {
  SmallVector<Operation *> added = repair(*hazard);
  Block *block = hazard->second->getBlock();
  auto isBehindFirst = [&](Operation *op) {
    return isa<SetFlagOp>(op) && op->getPrevNode() == hazard->first;
  };
  auto isHere = [&](Operation *op) {
    Operation *next = op->getNextNode();
    return op->getBlock() == block &&
           (next == hazard->second || llvm::is_contained(added, next) ||
            isBehindFirst(op));
  };
  if (added.empty() || repetition.loop || !llvm::all_of(added, isHere))
    return false;
  for (Operation *op : added) {
    if (auto set = dyn_cast<SetFlagOp>(op); set && isBehindFirst(op))
      state.raised[Flag(hazard->firstCore, set.getSrc(), set.getDst(),
                        set.getId())] = carried[first];
    else
      runOp(op);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Regions of GM
//===----------------------------------------------------------------------===//

/// The region of a buffer in GM that an instruction may touch: as much as the
/// local side holds.
static std::optional<tl::BufferRegion> getGlobalRegion(Operation *op,
                                                       Value view) {
  while (auto cast = view.getDefiningOp<memref::CastOp>())
    view = cast.getSource();
  auto part = view.getDefiningOp<memref::SubViewOp>();
  if (!part || isa<memref::LoadOp, memref::StoreOp>(op))
    return std::nullopt;
  // A view in a memory of the core says itself how large it is.
  MemRefType local;
  if (tl::getMemorySpace(view) != MemorySpace::Global)
    local = part.getType();
  else
    for (Value operand : op->getOperands())
      if (auto type = dyn_cast<MemRefType>(operand.getType()))
        if (tl::getMemorySpace(type) != MemorySpace::Global)
          local = type;
  if (!local || !local.hasStaticShape() ||
      local.getRank() != cast<MemRefType>(view.getType()).getRank())
    return std::nullopt;
  MLIRContext *context = op->getContext();
  tl::BufferRegion region;
  region.buffer = part.getSource();
  SmallVector<AffineExpr> offsets;
  llvm::SmallBitVector dropped = part.getDroppedDims();
  unsigned next = 0;
  for (auto [dim, offset] : llvm::enumerate(part.getMixedOffsets())) {
    if (auto constant = getConstantIntValue(offset)) {
      offsets.push_back(getAffineConstantExpr(*constant, context));
    } else {
      offsets.push_back(
          getAffineDimExpr(region.operands.size(), context));
      region.operands.push_back(cast<Value>(offset));
    }
    region.sizes.push_back(dropped.test(dim) ? 1 : local.getDimSize(next++));
  }
  region.map = AffineMap::get(region.operands.size(), 0, offsets, context);
  return region;
}

bool mlir::tile::ascend::isRowMove(Operation *op, Value buffer) {
  auto isTile = [](Value operand) {
    return isa<MemRefType>(operand.getType()) &&
           tl::getMemorySpace(operand) == MemorySpace::UB;
  };
  return isTile(buffer) && llvm::count_if(op->getOperands(), isTile) == 1;
}

bool mlir::tile::ascend::isMatrixPart(Value buffer) {
  MemorySpace space = tl::getMemorySpace(buffer);
  return (space == MemorySpace::UB || space == MemorySpace::L1) &&
         buffer.getDefiningOp<memref::SubViewOp>();
}

bool mlir::tile::ascend::areRegionsApart(Operation *a, Value x, Operation *c,
                                         Value y, Operation *loop) {
  auto first = getGlobalRegion(a, x), second = getGlobalRegion(c, y);
  if (!first || !second)
    return false;
  // In one iteration, what is computed outside of both is the same for both.
  tl::AccessSystem system(a->getContext(),
                          loop ? &loop->getRegion(0) : nullptr);
  system.addDomain(a, 0);
  system.addDomain(c, 1);
  if (auto scf = dyn_cast_or_null<scf::ForOp>(loop)) {
    AffineExpr i = system.getExpr(scf.getInductionVar(), 0),
               j = system.getExpr(scf.getInductionVar(), 1);
    if (!i || !j)
      return false;
    system.addNonNegative(j - i - 1);
  }
  SmallVector<AffineExpr> at = system.addElement(*first, 0),
                          to = system.addElement(*second, 1);
  tl::ElementAddress p = system.getAddress(first->buffer, at, 0),
                     q = system.getAddress(second->buffer, to, 1);
  if (p.base != q.base)
    return false;
  system.addSameElement(p, q);
  return system.isEmpty();
}

/// Whether two executions touch different elements of a buffer in GM, or parts of
/// a tile.
bool HappensBefore::isApart(const Execution &a, const Touch &ta,
                            const Execution &c, const Touch &tc) {
  Operation *loop = repetition.loop;
  if (ta.range.space != MemorySpace::Global) {
    bool areParts = isMatrixPart(ta.buffer) && isMatrixPart(tc.buffer) &&
                    tl::getBaseBuffer(ta.buffer) == tl::getBaseBuffer(tc.buffer);
    bool areRows = loop && isRowMove(a.op, ta.buffer) &&
                   isRowMove(c.op, tc.buffer);
    if (!areParts && !areRows)
      return false;
  }
  if (!loop && a.op == c.op)
    return false;
  auto key = std::make_tuple(a.op, c.op, loop, ta.buffer, tc.buffer);
  auto [at, isNew] = apart.try_emplace(key, false);
  if (!isNew)
    return at->second;
  if (!loop && mlir::tile::ascend::isApart(
                   getGlobalPart(a.op, ta.buffer, scalars),
                   getGlobalPart(c.op, tc.buffer, scalars), scalars))
    return at->second = true;
  return apart[key] = areRegionsApart(a.op, ta.buffer, c.op, tc.buffer, loop);
}
