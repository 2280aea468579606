//===- HappensBefore.h - order of instructions ----------------------------===//
//-*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_DIALECT_ASCEND_TRANSFORMS_HAPPENSBEFORE_H
#define TILE_LIB_DIALECT_ASCEND_TRANSFORMS_HAPPENSBEFORE_H

#include "Scalars.h"
#include "SyncModel.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::tile::ascend {

/// Where an execution of an op is: the iteration of each loop around it, the
/// outermost first.
using Iterations = SmallVector<std::pair<Operation *, unsigned>, 4>;

/// Two executions that touch the same bytes, one of them to write, and that
/// nothing orders.
struct Hazard {
  Operation *first, *second;
  Engine firstEngine, secondEngine;
  Core firstCore, secondCore;
  /// The outermost loop of which the two are in different iterations; null if
  /// there is none.
  Operation *loop;
  const char *kind; // "read after write", ...
  Value buffer;
};

/// "read after write".
const char *getHazardKind(bool firstWrites, bool secondWrites);

/// A flag that is not used in turns, and what it has to do with.
struct FlagProblem {
  Operation *op;
  const char *problem;
  Operation *other = nullptr;
};

/// The error of it.
InFlightDiagnostic reportProblem(const FlagProblem &problem);

/// Where each flag of a core was last set and waited for.
struct FlagUses {
  struct Use {
    Operation *set = nullptr, *wait = nullptr;
  };
  std::map<std::pair<unsigned, OrderState::Flag>, Use> flags;

  /// The problem of an op that has just been applied, if there is one.
  std::optional<FlagProblem> note(Operation *op, unsigned core,
                                  const SyncEvent &event,
                                  BlockOrder::Outcome outcome);
};

/// A branch that is taken if the iteration exists that is `later` behind the
/// variable of the loop around it, between the loop's lower bound and `end`.
struct IterationGuard {
  scf::ForOp loop;
  int64_t later;
  Value end;
};

/// The guard around an op.
std::optional<IterationGuard> findGuard(Operation *op);

/// A flag that is set where another one of the same pipes may be set, or not be
/// taken: the two are not one bit.
struct FlagClash {
  Operation *set;
  Operation *other; // a wait that may be still to come, or else a set
  /// The loop of which the two are in different iterations, or null.
  Operation *loop;
};

/// Runs the code of one core, or that of both cores of a block before it is
/// divided, on sets of completed executions. Each loop runs zero, one and two
/// times, each branch is taken and not taken; what is known afterwards is what
/// is known on every path.
///
/// What is known of one execution does not depend on the others, only grows on
/// a path, and comes about alike in each iteration. So a second iteration is
/// held against the first one of its loop alone, the loops inside of it run
/// once, and what is known behind a loop is what was known behind its first
/// iteration. But what a guard leaves out of the first iteration is held
/// against what comes before the loop in the second one, and of what a guard
/// leaves out of the last one, that is known behind the loop which was known
/// behind the second one.
///
/// Of a divided kernel, the two sections run together: each core as far as
/// flags of the other one let it, and loops and branches with such flags in
/// step. That needs the same loops and conditions in both, as division leaves
/// them.
class HappensBefore {
public:
  HappensBefore(Region &code, Core core);
  /// Of a kernel that has one section for each core.
  HappensBefore(SectionOp cube, SectionOp vector);

  /// Ops that are taken as absent.
  void setDisabled(const DenseSet<Operation *> &ops) { disabled = ops; }

  /// Whether a flag of the other core that may be set more often than it can
  /// count is a problem: of a divided kernel it is.
  void setCountsSets(bool counts) { countsSets = counts; }

  /// Stops at the first hazard or problem; true if there is none. Between two
  /// runs, flags and barriers alone may come and go.
  bool run() { return run({}); }

  /// What orders the two instructions, in the order of the text: nothing, if
  /// that is not possible.
  using Repair = function_ref<SmallVector<Operation *>(const Hazard &)>;
  /// Goes on behind a hazard where what is added is seen from there; else it
  /// stops, and the next run sees it. Flags have no problems: they become those
  /// of the chip afterwards.
  bool run(Repair repair);

  /// Of a program without hazards.
  std::vector<FlagClash> findClashes();

  const std::optional<Hazard> &getHazard() const { return hazard; }
  const std::optional<FlagProblem> &getProblem() const { return problem; }

private:
  using Executions = OrderState::Executions;
  struct Touch {
    ByteRange range;
    Value buffer;
    bool writes;
  };
  struct Execution {
    Operation *op;
    Core core;
    Engine engine;
    SmallVector<Touch, 3> touches;
    std::optional<IterationGuard> guard; // around it

    /// The loop in whose first iteration it is not there.
    Operation *getLateLoop() const {
      return guard && guard->later < 0 ? guard->loop : scf::ForOp();
    }
  };
  /// The second iteration of a loop, and the executions of the first one. Two
  /// loops in step are one of each core.
  struct Repetition {
    Operation *loop = nullptr;
    unsigned begin = 0, end = 0;
    Operation *loopOfVector = nullptr;

    Operation *getLoop(Core core) const {
      return core == Core::Vector && loopOfVector ? loopOfVector : loop;
    }
    bool isOf(Operation *other) const {
      return other && (other == loop || other == loopOfVector);
    }
  };
  /// Two executions that exist, and so do the iterations from `from` to `to`,
  /// counted from that of the loop's variable where it is not repeated.
  struct Assumption {
    std::pair<Operation *, Core> first, second;
    IterationGuard guard; // of the first one
    int64_t from, to;
    int64_t stride; // from one iteration of the loop to the next; 0 within one
    bool isOrdered = false;
  };
  // Both cores of a divided kernel.
  using Blocks = std::array<Block *, 2>;
  void runInStep(Blocks blocks);
  bool runUntilHeld(unsigned of, Block &block, Block::iterator &at);
  void runInStep(Operation *cube, Operation *vector);
  void runLoopsInStep(scf::ForOp cube, scf::ForOp vector);
  void runBranchesInStep(scf::IfOp cube, scf::IfOp vector);
  void bindIterations(scf::ForOp cube, scf::ForOp vector);

  /// Whether a loop runs, and whether it may run more than once.
  struct Trips {
    bool runs, repeats;
  };
  Trips getTrips(scf::ForOp loop);
  void runBlock(Block &block);
  void runLoop(scf::ForOp loop);
  void repeat(BlockOrder &once, function_ref<void()> iterate);
  void runBranch(scf::IfOp branch);
  void runOp(Operation *op);
  void synchronise(Operation *op, const SyncEvent &event);
  void addClashes(Operation *op, const SyncEvent &event);
  Core getCore(Operation *op) const;
  void execute(Operation *op, Core core, Engine engine);
  std::optional<unsigned> getNumber(Operation *op, Core core, Engine engine);
  void checkEnd();
  void check(unsigned number);
  std::optional<unsigned> findFirst(unsigned number);
  bool goOn(unsigned first);
  bool haveSameEnd(const IterationGuard &a, const IterationGuard &c);
  bool isOrderedWhereBothAre(unsigned first, unsigned second);
  bool isOfAssumption(Operation *loop) const;
  bool isAssumed(scf::IfOp branch);
  void checkAssumed(unsigned number);
  Executions findEarlyEnds();
  Executions &getCandidates(unsigned number);
  Executions getOpen(unsigned number);
  bool mayConflict(const Touch &a, const Touch &c) const;
  std::optional<Hazard> findHazard(unsigned earlier, unsigned later);
  bool isDisjoint(const Execution &a, const Touch &ta, const Execution &c,
                  const Touch &tc, Operation *loop);
  /// Goes on with what is known where another path meets this one; executions
  /// [begin, middle) are the other's alone, [middle, end) this one's.
  void meet(const BlockOrder &other, unsigned begin, unsigned middle,
            unsigned end, Operation *at);
  /// Flags must be set on both paths alike.
  void checkSameFlags(const BlockOrder &other, Operation *at);
  bool failed() const { return hazard || problem || isUndecided; }

  Region &code;
  Core core;
  bool isJoint;                       // of both cores
  bool countsSets = false;
  std::array<Region *, 2> sections{}; // of a divided kernel
  bool isUndecided = false;           // they are not in step
  AscendSyncModel model;
  DenseSet<Operation *> disabled;
  BlockOrder state;
  // In their order, which is the same in each run.
  std::vector<Execution> executions;
  DenseMap<std::pair<Operation *, Core>, unsigned> numbers;
  unsigned executed = 0; // in this run
  Repetition repetition;
  DenseMap<Operation *, bool> neverEmpty; // loops of unknown bounds
  DenseMap<Operation *, unsigned> begins; // the first execution of a loop
  // Loops of the two cores that are in step.
  DenseMap<Operation *, Operation *> partners;
  std::optional<Assumption> assumption;
  std::unique_ptr<HappensBefore> guarded; // runs on an assumption
  // For an execution, alone or in the second iteration of a loop, the earlier
  // ones that may touch the same bytes.
  DenseMap<std::pair<unsigned, Operation *>, Executions> candidates;
  DenseMap<std::tuple<Operation *, Operation *, Operation *, Value, Value>,
           bool>
      apart;
  Scalars scalars;
  Repair repair;
  // For an execution, what a flag behind it would carry.
  std::vector<OrderState::Known> carried;
  FlagUses uses;
  std::vector<FlagClash> *clashes = nullptr;
  std::optional<Hazard> hazard;
  std::optional<FlagProblem> problem;
};

/// Calls `body` for the code of each core of a kernel: its sections, or all of
/// it, which may be of both cores.
LogicalResult forEachCore(KernelOp kernel,
                          function_ref<LogicalResult(Region &, Core)> body);

/// The error of two instructions that nothing orders.
LogicalResult reportHazard(const Hazard &hazard);

/// The outermost loop of which two executions are in different iterations; null
/// if there is none.
Operation *getCarryingLoop(const Iterations &a, const Iterations &c);

/// Whether two ops touch different elements through two views, the second one
/// in a later iteration of the loop, or both in the same iteration of all loops
/// if it is null.
bool areRegionsDisjoint(Operation *a, Value x, Operation *c, Value y,
                        Operation *loop);

/// Whether a buffer is the one in UB that an op touches: it may be a row of a
/// tile that a loop fills row by row.
bool isRowMove(Operation *op, Value buffer);
/// Whether the buffer is a part of a matrix in UB or L1, whose elements are
/// told apart by rows and columns.
bool isMatrixPart(Value buffer);

} // namespace mlir::tile::ascend

#endif // TILE_LIB_DIALECT_ASCEND_TRANSFORMS_HAPPENSBEFORE_H
