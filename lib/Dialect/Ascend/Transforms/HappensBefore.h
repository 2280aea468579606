//===- HappensBefore.h - what is complete when an instruction begins -*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_DIALECT_ASCEND_TRANSFORMS_HAPPENSBEFORE_H
#define TILE_LIB_DIALECT_ASCEND_TRANSFORMS_HAPPENSBEFORE_H

#include "Scalars.h"

#include "Tile/Dialect/Ascend/IR/Ascend.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/BitVector.h"

#include <array>
#include <map>

namespace mlir::tile::ascend {

/// Where an execution of an op is: the iteration of each loop around it, the
/// outermost first.
using Iterations = SmallVector<std::pair<Operation *, unsigned>, 4>;

/// Two executions that touch the same bytes, one of them to write, and that
/// nothing orders.
struct Hazard {
  Operation *first, *second;
  Pipe firstPipe, secondPipe;
  /// The outermost loop of which the two are in different iterations; null if
  /// there is none.
  Operation *loop;
  const char *kind; // "read after write", ...
  Value buffer;
};

/// "read after write".
const char *getHazardKind(bool firstWrites, bool secondWrites);

/// A flag that is not used in turns.
struct FlagProblem {
  Operation *op;
  const char *problem;
};

/// Runs the code of one core on sets of completed executions. Each loop runs
/// zero, one and two times, each branch is taken and not taken; what is known
/// afterwards is what is known on every path.
class HappensBefore {
public:
  HappensBefore(Region &code, Core core);

  /// Ops that are taken as absent.
  void setDisabled(const DenseSet<Operation *> &ops) { disabled = ops; }

  /// Stops at the first hazard or problem; true if there is none.
  bool run();

  const std::optional<Hazard> &getHazard() const { return hazard; }
  const std::optional<FlagProblem> &getProblem() const { return problem; }

private:
  static constexpr unsigned kPipes = 7;
  using Flag = std::tuple<Pipe, Pipe, int64_t>;
  struct Touch {
    ByteRange range;
    Value buffer;
    bool writes;
  };
  struct Execution {
    Operation *op;
    Pipe pipe;
    SmallVector<Touch, 3> touches;
    Iterations iterations;
  };
  /// What is known at a point of the program.
  struct State {
    std::array<llvm::BitVector, kPipes> done;   // before what a pipe begins next
    std::array<llvm::BitVector, kPipes> issued; // to a pipe
    std::map<Flag, llvm::BitVector> raised;
    // Before the last flag that this core raised for an exchange of tiles.
    std::map<int64_t, llvm::BitVector> passed;
  };

  void runBlock(Block &block);
  void runLoop(scf::ForOp loop);
  void runBranch(scf::IfOp branch);
  void runOp(Operation *op);
  void setFlag(SetFlagOp op);
  void waitFlag(WaitFlagOp op);
  void barrier(PipeBarrierOp op);
  void signal(CrossSetOp op);
  void hear(CrossWaitOp op);
  void execute(Operation *op, Pipe pipe);
  void check(const Execution &later);
  bool isApart(const Execution &a, const Touch &ta, const Execution &c,
               const Touch &tc);
  /// The state where two paths meet; executions [begin, middle) are the first
  /// one's alone, [middle, end) the second one's.
  State meet(State a, State c, unsigned begin, unsigned middle, unsigned end,
             Operation *at);
  bool failed() const { return hazard || problem; }
  static void add(llvm::BitVector &to, const llvm::BitVector &from);

  Region &code;
  Core core;
  const ::tile::target::AscendSpec &spec;
  DenseSet<Operation *> disabled;
  State state;
  std::vector<Execution> executions;
  Iterations iterations;
  DenseMap<std::tuple<Operation *, Operation *, Operation *>, bool> apart;
  Scalars scalars;
  std::optional<Hazard> hazard;
  std::optional<FlagProblem> problem;
};

/// Calls `body` for the code of each core of a kernel: its sections, or all of
/// it.
LogicalResult forEachCore(KernelOp kernel,
                          function_ref<LogicalResult(Region &, Core)> body);

/// Whether hardware orders two instructions of a pipe by itself.
bool isOrderedByPipe(Operation *a, Operation *c, Pipe pipe,
                     const ::tile::target::AscendSpec &spec);

/// The pipe that executes an op; nothing for scalar code that touches no memory
/// of instructions.
std::optional<Pipe> getPipeOf(Operation *op);

} // namespace mlir::tile::ascend

#endif // TILE_LIB_DIALECT_ASCEND_TRANSFORMS_HAPPENSBEFORE_H
