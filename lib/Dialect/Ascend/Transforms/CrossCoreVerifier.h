//===- CrossCoreVerifier.h - the cores of a block, run together -*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_DIALECT_ASCEND_TRANSFORMS_CROSSCOREVERIFIER_H
#define TILE_LIB_DIALECT_ASCEND_TRANSFORMS_CROSSCOREVERIFIER_H

#include "HappensBefore.h"
#include "Scalars.h"

namespace mlir::tile::ascend {

/// Runs the sections of a kernel together: with each small number of iterations
/// of its loops, on each path, with one core as far ahead as flags let it, and
/// with the other one.
class CrossCoreVerifier {
public:
  explicit CrossCoreVerifier(KernelOp kernel);

  /// Whether there are flags between the cores to look at.
  static bool applies(KernelOp kernel);

  /// Stops at the first hazard or problem; true if there is none.
  bool run();
  InFlightDiagnostic report() const;

private:
  using Executions = OrderState::Executions;

  struct Touch {
    ByteRange range;
    GlobalPart part; // of GM or UB
    bool writes;
    Value tile; // or buffer
    Value view;
  };
  struct Execution {
    Operation *op;
    Core core;
    Engine engine;
    SmallVector<Touch, 3> touches;
    Iterations iterations;
  };
  struct Event {
    enum Kind { Op, Begin, Else, End } kind;
    Operation *op;
    unsigned execution = 0;
  };
  /// A branch that may be taken or not.
  struct Branch {
    OrderState before;
    Executions executed; // when the side began
    OrderState first;    // behind the first side
  };
  struct CoreRun {
    std::vector<Event> events;
    size_t next = 0;
    SmallVector<Branch, 2> branches;
  };

  bool runInStep();

  // What each core executes.
  void build(Core core, Block &block);
  void buildLoop(Core core, scf::ForOp loop);
  void buildBranch(Core core, scf::IfOp branch);
  bool isBalanced(Block &block) const;
  bool isSignal(scf::IfOp branch) const;
  void buildExecution(Core core, Operation *op, Engine engine);

  // The order of it.
  void simulate(Core first);
  bool step(Core core);
  bool synchronise(Core core, Operation *op, const SyncEvent &event);
  void runBranch(Core core, Event::Kind kind);
  void check(unsigned execution);
  bool mayConflict(const Execution &earlier, const Touch &a,
                   const Execution &later, const Touch &c);
  bool canBothExist(const Execution &earlier, const Execution &later) const;
  void checkEnd();
  bool failed() const { return hazard || problem; }

  KernelOp kernel;
  AscendSyncModel model;
  Scalars scalars;
  std::vector<Execution> executions;
  Iterations iterations;
  /// Loops of which two iterations stand for all.
  DenseSet<Operation *> sampled;
  DenseMap<std::tuple<Operation *, Operation *, Operation *, Value, Value>,
           bool>
      apart;
  std::array<CoreRun, 2> runs;
  BlockOrder state;
  FlagUses uses;
  Executions executed; // by both cores so far
  struct CoreHazard {
    Execution earlier, later;
    const char *kind;
  };
  std::optional<CoreHazard> hazard;
  std::optional<FlagProblem> problem;
};

} // namespace mlir::tile::ascend

#endif // TILE_LIB_DIALECT_ASCEND_TRANSFORMS_CROSSCOREVERIFIER_H
