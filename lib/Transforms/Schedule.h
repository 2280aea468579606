//===- Schedule.h - the parts of tile-schedule ------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_TRANSFORMS_SCHEDULE_H
#define TILE_LIB_TRANSFORMS_SCHEDULE_H

#include "Tile/Dialect/Tile/IR/TileAttrs.h"

#include "mlir/IR/IRMapping.h"

namespace mlir::tile {

inline constexpr llvm::StringLiteral kScheduleCategory = "tile-schedule";

/// Whether the op writes nothing itself, but makes visible what others write:
/// no access passes it.
bool ordersMemory(Operation *op);

/// What a producer may compute by itself: values that follow from the block,
/// from loops around it, and from global memory that the kernel never writes.
class ProducerValues {
public:
  explicit ProducerValues(KernelOp kernel);

  bool isWritten(Value globalBuffer) const;
  bool isComputable(Value value);
  /// Whether the op and all its nested ops may run in both partitions.
  bool isComputable(Operation *op);
  /// Appends the ops of the kernel that `value` is computed from.
  void collectSlice(Value value, DenseSet<Operation *> &slice);

private:
  KernelOp kernel;
  DenseSet<Value> written;
  bool writesUnknown = false;
  DenseMap<Operation *, bool> known;
};

/// Copies of one block that fill a stage together.
struct PipelineSite {
  Block *block;
  SmallVector<Operation *> copies;
  /// The ops of the block that look at the stage first and last.
  Operation *first = nullptr, *last = nullptr;
};

/// Buffers that get their stages together, and the sites that fill them: one
/// block, or consecutive loops or branches, through which the stages run on.
struct PipelineGroup {
  SmallVector<PipelineSite> sites;
  SmallVector<AllocOp> buffers;
  int64_t stages = 1;
  /// The copies of all sites.
  SmallVector<Operation *> copies;
};

/// Why a copy does not go through a pipeline; empty if it does.
using PipelineRefusals = SmallVector<std::pair<Operation *, std::string>>;

/// Groups the tensor copies and the asynchronous gathers of the kernel that can
/// go through pipelines.
SmallVector<PipelineGroup> planPipelines(KernelOp kernel,
                                         PipelineRefusals &refusals);

/// Where a swizzled buffer may begin: eight rows of the widest swizzle make the
/// pattern. 1 for chips without tensor copies.
int64_t getSwizzleAlignment(const ::tile::target::GPUSpec &gpu);

/// After how many bytes the swizzle of a buffer repeats; 1 without.
int64_t getSwizzlePeriod(AllocOp alloc);

/// Bytes of one stage of a buffer, and with how many its stages begin.
int64_t getStageBytes(AllocOp alloc, const ::tile::target::GPUSpec &gpu);

/// The shared tile that an op with a copy instruction fills with what it reads
/// from global memory; null if the op is none.
Value getLoadedTile(Operation *op);
/// Clones the views through which a copy fills a tile that the mapping has.
void cloneTargetViews(OpBuilder &b, Operation *copy, IRMapping &mapping);

/// Splits the kernel into a producer and a consumer.
WarpSpecializeOp warpSpecialize(KernelOp kernel,
                                MutableArrayRef<PipelineGroup> groups,
                                const ::tile::target::GPUSpec &gpu);

/// The copies of a loop by that instruction, `cp_async` or `sync`, that can run
/// ahead of it, or why there are none.
std::optional<PipelineGroup> planGroup(PipelinedOp loop, Instruction family,
                                       std::string &reason);

/// What the expansions of a loop's copies share: the stages of the group's
/// buffers, and the bounds of the loop.
class MultiBufferExpander {
protected:
  MultiBufferExpander(PipelinedOp loop, PipelineGroup &group)
      : loop(loop), group(group), values(loop->getParentOfType<KernelOp>()) {}

  /// Makes the stages and the bounds, in front of the loop.
  void begin(OpBuilder &b, const ::tile::target::GPUSpec &gpu);
  /// The ops that the sources of the copies are computed with.
  DenseSet<Operation *> collectSourceSlice();
  /// Maps the buffers to their stage `number`.
  void mapToStage(OpBuilder &b, Value number, IRMapping &mapping);
  /// Lets all but the copies use the stage `number`.
  void useStage(OpBuilder &b, Value number);
  /// The loop runs without stages, copies and former buffers.
  void end();

  PipelinedOp loop;
  PipelineGroup &group;
  ProducerValues values;
  SmallVector<AllocOp> stageBuffers;
  Value lower, upper, step;
};

/// The stage of the iteration `ahead` of the current one.
Value getStageIndex(OpBuilder &b, PipelinedOp loop, int64_t stages,
                    int64_t ahead);

/// Lets the copies of a loop run `group.stages - 1` iterations ahead.
void expandStages(PipelinedOp loop, PipelineGroup &group,
                  const ::tile::target::GPUSpec &gpu);

/// Lets the loads of a loop's copies run one iteration ahead, into registers;
/// `group.stages` is 2, or 1 where the tile is stored over the one before.
void expandPrefetch(PipelinedOp loop, PipelineGroup &group,
                    const ::tile::target::Target &target);

/// Which thread loads what of a copy's tile.
::tile::layout::Result<::tile::layout::Layout>
getPrefetchLayout(CopyOp copy, const ::tile::target::Target &target);

/// Registers of a thread that the loads ahead take.
int64_t countPrefetchRegisters(const PipelineGroup &group, int64_t threads);

/// Whether a gemm that the program does not wait for may read the buffer.
bool isReadInFlight(AllocOp alloc);

/// Whether an op is a gemm by an instruction that runs asynchronously.
bool isAsyncGemm(Operation *op);

/// The pipeline whose stage `buffer` is a view of; null if of none.
Value getStagePipeline(Value buffer);

/// Whether an op may not run while an asynchronous gemm is in flight: it
/// touches the sums, writes an operand, or gives a stage of one back.
bool conflictsWith(Operation *op, GemmOp gemm);

/// Goes into a branch that is taken if the loop has an iteration; its first and
/// its upper bound.
std::pair<Value, Value> enterLoop(OpBuilder &b, PipelinedOp loop);

/// Lets the last product of a consumer's loop run over the next iteration. The
/// consumer has `groups` warpgroups; `findObstacle` tells what else is against
/// it. A remark says what came of it if the loop has two products. Returns
/// whether the loop was replaced.
bool overlapGemms(PipelinedOp loop, int64_t groups,
                  function_ref<std::string()> findObstacle);

/// A loop like `loop` without its first iteration, `lower`, and without a body.
PipelinedOp createWithoutFirst(OpBuilder &b, PipelinedOp loop, Value lower);

/// Lets a product that the rest of its iteration does not need run beside the
/// next one, and starts the gemms of the new loop. Returns whether the loop was
/// replaced.
bool rotateGemms(PipelinedOp loop, function_ref<std::string()> findObstacle);

/// Whether the order of the two matters, for what they read and write.
bool interfere(Operation *a, Operation *b);

/// Lets threads keep parts of the sums that loops add up across warps, until the
/// loops have ended.
void deferSums(KernelOp kernel);

/// Reads what loops behind a reduction over a cluster need of constant memory
/// before it, where registers are left.
void readConstantsEarly(KernelOp kernel, const ::tile::target::GPUSpec &gpu);

/// Lets threads read a few elements of a stage while products run: what they add
/// up with the sums of these, or fill fragments with meanwhile. Returns the
/// registers of a thread whose place such fragments take afterwards.
int64_t readStagesEarly(PipelinedOp loop);

/// Makes one iteration of several where threads add up the sums of each gemm
/// themselves, so that they do so beside the next one's gemms.
void unrollGemms(WarpSpecializeOp partitions);

/// Makes one iteration of as many as `tile.unroll` says, one after the other:
/// stages have constant numbers where that is a multiple of their count.
void unrollIterations(WarpSpecializeOp partitions);

/// Makes one iteration of two where threads add up the sums of a loop's only
/// product, so that another one may run beside that.
void pairProducts(KernelOp kernel, const ::tile::target::Target &target);

/// Starts the gemms of a loop that has several, and waits for each where its
/// result is needed.
void startGemms(PipelinedOp loop);

/// Whether two teams of the kernel's threads shall take its points in turns, as a
/// remark tells. Then each gets shared buffers of the epilogue for itself.
bool planPingPong(KernelOp kernel, ArrayRef<PipelineGroup> groups,
                  const ::tile::target::Target &target, int64_t scratchBytes);

/// Lets two teams run the consumer, one main loop after the other.
void startPingPong(WarpSpecializeOp partitions);

/// Replaces `alloc` by a buffer of `stages` stages; the old one keeps its uses.
AllocOp createStages(AllocOp alloc, int64_t stages,
                     const ::tile::target::GPUSpec &gpu);

/// Rewrites the uses of `from` by the ops that `isInside` tells to `to`, with
/// the views of it cloned at `b`.
void replaceInOps(OpBuilder &b, Value from, Value to,
                  function_ref<bool(Operation *)> isInside);

/// Erases a buffer and its views when nothing but hints is left of its uses.
void eraseBuffer(Value buffer);

} // namespace mlir::tile

#endif // TILE_LIB_TRANSFORMS_SCHEDULE_H
