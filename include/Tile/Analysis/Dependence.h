//===- Dependence.h - order of instructions -------------------------------===//
//-*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions of a core run on engines. Two executions depend on each other if
// they may touch the same element of a buffer, one of them to write; nothing
// but a synchronisation orders two engines. A SyncModel says which engine runs
// an op and what an op synchronises, so that one analysis serves all machines.
// OrderState follows the order along a path.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_ANALYSIS_DEPENDENCE_H
#define TILE_ANALYSIS_DEPENDENCE_H

#include "Tile/Analysis/Accesses.h"
#include "Tile/Target/Target.h"

#include "llvm/ADT/BitVector.h"

#include <array>
#include <deque>
#include <map>

namespace mlir::tile {

/// What an op does to the order of instructions. An engine that is not named
/// stands for all engines of the core.
struct SyncEvent {
  enum class Kind {
    /// What `to` begins afterwards waits for what was issued to `from` before.
    Barrier,
    /// Sets a flag of `number` when all that was issued to `from` is complete.
    /// It is cleared by the wait that follows.
    SetFlag,
    /// Holds `to` until the flag is set, and clears it.
    WaitFlag,
    /// The same of a flag of the other core, which counts.
    SetCrossFlag,
    WaitCrossFlag,
    /// Closes a group of what was issued to `from`.
    CommitGroup,
    /// Holds the issuing engine until at most `number` groups of `from` are
    /// under way.
    WaitGroups
  };
  Kind kind;
  std::optional<::tile::target::Engine> from, to;
  int64_t number = 0;
  /// Of GPUs: a fence or a wait is for accesses of global memory, too.
  bool isGlobal = false;
};

/// A machine, to the analysis of dependences.
class SyncModel {
public:
  virtual ~SyncModel() = default;

  /// The engine that runs an op; nothing for code that touches no memory of
  /// instructions.
  virtual std::optional<::tile::target::Engine>
  getEngine(Operation *op) const = 0;
  /// What an op synchronises, if it does.
  virtual std::optional<SyncEvent> getSync(Operation *op) const = 0;
  /// Whether the engine completes the two instructions in their order without a
  /// synchronisation.
  virtual bool isOrdered(Operation *earlier, Operation *later,
                         ::tile::target::Engine engine) const = 0;
  /// How often a flag of the other core may be set before it is waited for.
  virtual int64_t getMostCrossFlags() const { return 0; }
};

/// What is known at a point of the program of one core: the executions, by
/// number, that are complete before an engine begins its next instruction, and
/// the flags that are clear by then. A flag is one bit: it may be set where the
/// wait before is known to have cleared it.
class OrderState {
public:
  using Engine = ::tile::target::Engine;
  /// Source, target and number.
  using Flag = std::tuple<Engine, Engine, int64_t>;
  using Executions = llvm::BitVector;
  struct Known {
    Executions complete;
    /// The flags, by getIndex(), whose last wait may be still to come.
    llvm::BitVector untaken;
    /// How often each flag between the cores may be set, by getCrossIndex().
    std::array<uint8_t, 32> sets{};

    /// What follows from both.
    void join(const Known &other);
  };
  static constexpr uint8_t kManySets = 255;
  /// Of a flag that a core of the block waits for.
  static unsigned getCrossIndex(unsigned core, int64_t number) {
    return core * 16 + unsigned(number) % 16;
  }
  /// Numbers below are those of a chip, others are of one flag alone.
  static constexpr int64_t kChipFlags = 8;
  /// Of the flag of a core of the block.
  static unsigned getIndex(unsigned core, Flag flag);

  /// Of the engines from `issuer`, which issues the instructions of all, to
  /// `last`.
  OrderState(Engine issuer, Engine last)
      : issuer(issuer), queues(unsigned(last) - unsigned(issuer) + 1) {}

  void issue(Engine engine, unsigned execution);
  const Executions &getIssued(Engine engine) const {
    return get(engine).issued;
  }
  /// Before what the engine begins next.
  const Executions &getComplete(Engine engine) const {
    return get(engine).complete;
  }
  /// When all that was issued to the engine so far is complete.
  Known getHistory(Engine engine) const;
  /// Whether an engine knows that the last wait for a flag has cleared it.
  bool isTaken(Engine engine, unsigned index) const;

  /// What the engine begins next waits for what is known elsewhere.
  void wait(std::optional<Engine> engine, const Known &known);
  void barrier(std::optional<Engine> engine);
  /// False if the flag is set already.
  bool setFlag(Flag flag, Known known);
  /// Gives what the flag carries to its target; false if it is not set.
  bool waitFlag(Flag flag);
  /// A flag is waited for again, which its target alone knows. It is the
  /// target's of this core, or none's.
  void take(unsigned index, std::optional<Engine> target);
  const std::map<Flag, Known> &getFlags() const { return flags; }
  /// A flag between the cores is set once more.
  void countSet(unsigned crossIndex);
  /// How often flags between the cores may be set, here and in another state
  /// with the same flags.
  using SetsPair = llvm::function_ref<void(uint8_t &own, uint8_t other)>;
  void forEachSets(const OrderState &other, SetsPair body);
  bool hasSameFlags(const OrderState &other) const;
  /// Of some executions, what is known in another state with the same flags.
  void learn(const OrderState &other, const Executions &executions);

  /// What is known on both paths; what a path does not execute is not in its
  /// way.
  void meet(const OrderState &other, const Executions &ownOnly,
            const Executions &otherOnly);
  /// The executions are those of another path.
  void skip(const Executions &executions);

private:
  struct Queue : Known {
    Executions issued;
  };
  Queue &get(Engine engine) {
    return queues[unsigned(engine) - unsigned(issuer)];
  }
  const Queue &get(Engine engine) const {
    return queues[unsigned(engine) - unsigned(issuer)];
  }

  Engine issuer;
  SmallVector<Queue, 7> queues;
  std::map<Flag, Known> flags;
};

/// What is known of both cores of a block, and of the flags between them.
class BlockOrder {
public:
  /// `MayBeSet` of a flag that the wait before may not have cleared yet.
  enum class Outcome { Done, Waits, AlreadySet, MayBeSet, NotSet, SetTooOften };

  explicit BlockOrder(const OrderState &start) : cores{start, start} {}

  OrderState &get(unsigned core) { return cores[core]; }
  const OrderState &get(unsigned core) const { return cores[core]; }
  /// `Waits` changes nothing: the flag of the other core is not set yet.
  Outcome apply(unsigned core, const SyncEvent &event, const SyncModel &model);
  /// How often each flag is set of those that the core waits for.
  const std::map<int64_t, std::deque<OrderState::Known>> &
  getCrossFlags(unsigned core) const {
    return crossFlags[core];
  }

  /// How often the flag may be set that `apply` has just set.
  unsigned getMostSets(unsigned core, const SyncEvent &event) const;
  /// What is set more often than in the other state, which is the same one an
  /// iteration earlier, may be set any number of times. Whether something is.
  bool widenSets(const BlockOrder &earlier);
  /// At least as often as in the other state.
  void raiseSets(const BlockOrder &other);

  bool hasSameFlags(const BlockOrder &other) const;
  void learn(const BlockOrder &other, const OrderState::Executions &executions);
  /// As of OrderState; the flags are the same.
  void meet(const BlockOrder &other, const OrderState::Executions &ownOnly,
            const OrderState::Executions &otherOnly);
  void skip(const OrderState::Executions &executions);

private:
  void take(unsigned core, OrderState::Flag flag);
  void forEachSets(const BlockOrder &other, OrderState::SetsPair body);

  std::array<OrderState, 2> cores;
  std::array<std::map<int64_t, std::deque<OrderState::Known>>, 2> crossFlags;
};

} // namespace mlir::tile

#endif // TILE_ANALYSIS_DEPENDENCE_H
