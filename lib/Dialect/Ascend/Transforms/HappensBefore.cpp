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

HappensBefore::HappensBefore(Region &code, Core core)
    : code(code), core(core), spec(getSpec(code.getParentOp())),
      scalars(code.getContext()) {}

bool HappensBefore::run() {
  state = State();
  executions.clear();
  iterations.clear();
  hazard.reset();
  problem.reset();
  runBlock(code.front());
  if (!failed() && !state.raised.empty()) {
    Flag flag = state.raised.begin()->first;
    Operation *last = nullptr;
    code.walk([&](SetFlagOp op) {
      if (Flag(op.getSrc(), op.getDst(), op.getId()) == flag &&
          !disabled.contains(op))
        last = op;
    });
    problem = FlagProblem{last, "the flag is still raised at the end of "
                                "the kernel"};
  }
  return !failed();
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
  for (unsigned pipe = 0; pipe < kPipes; ++pipe) {
    result.done[pipe] = intersect(a.done[pipe], c.done[pipe]);
    add(result.issued[pipe], a.issued[pipe]);
    add(result.issued[pipe], c.issued[pipe]);
  }
  for (auto &[ring, known] : a.passed)
    result.passed[ring] = intersect(known, c.passed[ring]);
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

void HappensBefore::runLoop(scf::ForOp loop) {
  auto lower = getConstantIntValue(loop.getLowerBound()),
       upper = getConstantIntValue(loop.getUpperBound()),
       step = getConstantIntValue(loop.getStep());
  bool runs = lower && upper && *lower < *upper;
  bool repeats = !runs || !step || *lower + *step < *upper;
  State before = state;
  unsigned begin = executions.size();
  auto runOnce = [&](unsigned iteration) {
    iterations.emplace_back(loop, iteration);
    runBlock(*loop.getBody());
    iterations.pop_back();
  };
  runOnce(0);
  if (repeats && !failed()) {
    State once = state;
    unsigned middle = executions.size();
    runOnce(1);
    if (!failed())
      state = meet(once, state, middle, middle, executions.size(), loop);
  }
  if (!runs && !failed())
    state = meet(before, state, begin, begin, executions.size(), loop);
}

void HappensBefore::runBranch(scf::IfOp branch) {
  State before = state;
  unsigned begin = executions.size();
  runBlock(*branch.thenBlock());
  if (failed())
    return;
  State taken = state;
  unsigned middle = executions.size();
  state = before;
  if (branch.elseBlock())
    runBlock(*branch.elseBlock());
  if (!failed())
    state = meet(taken, state, begin, middle, executions.size(), branch);
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
  if (std::optional<Pipe> pipe = getPipeOf(op))
    execute(op, *pipe);
}

void HappensBefore::setFlag(SetFlagOp op) {
  auto src = unsigned(op.getSrc());
  BitVector known = state.done[src];
  add(known, state.issued[src]);
  auto [at, isNew] = state.raised.try_emplace(
      Flag(op.getSrc(), op.getDst(), op.getId()), known);
  if (!isNew)
    problem = FlagProblem{op, "the flag is raised already"};
}

void HappensBefore::waitFlag(WaitFlagOp op) {
  auto at = state.raised.find(Flag(op.getSrc(), op.getDst(), op.getId()));
  if (at == state.raised.end()) {
    problem = FlagProblem{op, "the flag is not raised before"};
    return;
  }
  // The scalar unit issues everything.
  for (unsigned pipe = 0; pipe < kPipes; ++pipe)
    if (Pipe(pipe) == op.getDst() || op.getDst() == Pipe::S)
      add(state.done[pipe], at->second);
  state.raised.erase(at);
}

void HappensBefore::barrier(PipeBarrierOp op) {
  if (op.getPipe() != Pipe::All) {
    auto pipe = unsigned(op.getPipe());
    return add(state.done[pipe], state.issued[pipe]);
  }
  BitVector all;
  for (const BitVector &issued : state.issued)
    add(all, issued);
  for (BitVector &done : state.done)
    add(done, all);
}

static constexpr StringLiteral kRingAttr = "ascend.ring";

void HappensBefore::signal(CrossSetOp op) {
  auto ring = op->getAttrOfType<IntegerAttr>(kRingAttr);
  if (!ring)
    return;
  auto pipe = unsigned(op.getPipe());
  BitVector known = state.done[pipe];
  add(known, state.issued[pipe]);
  state.passed[ring.getInt()] = known;
}

/// The other core answers what this one said: in an exchange of tiles, the two
/// speak in turns.
void HappensBefore::hear(CrossWaitOp op) {
  auto ring = op->getAttrOfType<IntegerAttr>(kRingAttr);
  auto at = ring ? state.passed.find(ring.getInt()) : state.passed.end();
  if (at != state.passed.end())
    for (BitVector &done : state.done)
      add(done, at->second);
}

void HappensBefore::execute(Operation *op, Pipe pipe) {
  Execution execution{op, pipe, {}, iterations};
  SmallVector<tl::Access> accesses;
  if (mlir::failed(tl::collectAccesses(op, accesses)))
    return;
  for (const tl::Access &access : accesses)
    execution.touches.push_back({getByteRange(access.region.buffer),
                                 access.region.buffer,
                                 access.kind != tl::AccessKind::Read});
  check(execution);
  state.issued[unsigned(pipe)].resize(executions.size() + 1);
  state.issued[unsigned(pipe)].set(executions.size());
  executions.push_back(std::move(execution));
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

bool mlir::tile::ascend::isOrderedByPipe(Operation *a, Operation *c, Pipe pipe,
                                         const target::AscendSpec &spec) {
  return spec.isOrdered(getEngine(pipe)) || isOrderedProduct(a, c, spec);
}

const char *mlir::tile::ascend::getHazardKind(bool firstWrites,
                                              bool secondWrites) {
  if (!firstWrites)
    return "write after read";
  return secondWrites ? "write after write" : "read after write";
}

void HappensBefore::check(const Execution &later) {
  const BitVector &done = state.done[unsigned(later.pipe)];
  // The latest first: what orders it may order the earlier ones too.
  for (size_t i = executions.size(); i-- > 0;) {
    const Execution &earlier = executions[i];
    bool known = i < done.size() && done.test(i);
    bool ordered = earlier.pipe == later.pipe &&
                   isOrderedByPipe(earlier.op, later.op, later.pipe, spec);
    if (known || ordered)
      continue;
    for (const Touch &a : earlier.touches)
      for (const Touch &c : later.touches) {
        if ((!a.writes && !c.writes) || !mayOverlap(a.range, c.range) ||
            isApart(earlier, a, later, c))
          continue;
        Operation *loop = nullptr;
        for (auto [x, y] : llvm::zip(earlier.iterations, later.iterations)) {
          if (x.first != y.first)
            break;
          if (x.second != y.second) {
            loop = x.first;
            break;
          }
        }
        hazard = Hazard{earlier.op,
                        later.op,
                        earlier.pipe,
                        later.pipe,
                        loop,
                        getHazardKind(a.writes, c.writes),
                        c.buffer};
        return;
      }
  }
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
  MemRefType local;
  for (Value operand : op->getOperands())
    if (auto type = dyn_cast<MemRefType>(operand.getType()))
      if (tl::getMemorySpace(type) != MemorySpace::Global)
        local = type;
  if (!local || local.getRank() != cast<MemRefType>(view.getType()).getRank())
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

/// Whether two executions touch different elements of a buffer in GM.
bool HappensBefore::isApart(const Execution &a, const Touch &ta,
                            const Execution &c, const Touch &tc) {
  if (ta.range.space != MemorySpace::Global)
    return false;
  Operation *loop = nullptr;
  for (auto [x, y] : llvm::zip(a.iterations, c.iterations)) {
    if (x.first != y.first)
      break;
    if (x.second != y.second) {
      loop = x.first;
      break;
    }
  }
  auto [at, isNew] = apart.try_emplace({a.op, c.op, loop}, false);
  if (!isNew)
    return at->second;
  if (!loop)
    return at->second = mlir::tile::ascend::isApart(
               getGlobalPart(a.op, ta.buffer, scalars),
               getGlobalPart(c.op, tc.buffer, scalars), scalars);
  auto first = getGlobalRegion(a.op, ta.buffer),
       second = getGlobalRegion(c.op, tc.buffer);
  auto scf = cast<scf::ForOp>(loop);
  if (!first || !second || first->buffer != second->buffer)
    return false;
  tl::AccessSystem system(loop->getContext(), &scf.getRegion());
  system.addDomain(a.op, 0);
  system.addDomain(c.op, 1);
  AffineExpr i = system.getExpr(scf.getInductionVar(), 0),
             j = system.getExpr(scf.getInductionVar(), 1);
  SmallVector<AffineExpr> x = system.addElement(*first, 0),
                          y = system.addElement(*second, 1);
  if (!i || !j)
    return false;
  system.addNonNegative(j - i - 1);
  system.addSameElement(system.getAddress(first->buffer, x, 0),
                        system.getAddress(second->buffer, y, 1));
  return apart[{a.op, c.op, loop}] = system.isEmpty();
}
