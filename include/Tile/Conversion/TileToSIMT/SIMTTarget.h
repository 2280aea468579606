//===- SIMTTarget.h - a vendor's GPUs for the common lowering ---*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lowering of tile ops to threads is the same for all GPUs. Sizes and
// instruction tables it reads from the record of the chip; the instructions
// themselves it asks a SIMTTarget for. Ops of the gpu dialect (barriers of a
// block, shuffles, votes, numbers of threads and blocks) are common: vendors
// lower them later.
//
// A hook for something that not every GPU has is called only where the record
// of the chip has it, unless its comment says otherwise.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_CONVERSION_TILETOSIMT_SIMTTARGET_H
#define TILE_CONVERSION_TILETOSIMT_SIMTTARGET_H

#include "Tile/Conversion/Cast.h"
#include "Tile/Dialect/Tile/IR/Tile.h"
#include "Tile/Layout/Result.h"
#include "Tile/Target/Target.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/DialectInterface.h"
#include "mlir/IR/DialectRegistry.h"

namespace mlir::tile::simt {

struct Buffer;
class KernelLowering;

/// A copy between a whole fragment and a whole shared tile of one shape.
struct FragmentCopy {
  const Buffer &fragment, &shared;
  /// The layouts, over the coordinates of the tile.
  const ::tile::layout::Layout &registers, &memory;
  bool isStore; // to shared memory
  CastRules rules;
};

class SIMTTarget {
public:
  virtual ~SIMTTarget();

  /// Whether this vendor makes the chip.
  virtual bool supports(const ::tile::target::Target &chip) const = 0;
  /// Loads the dialects of the ops that the hooks create.
  virtual void loadDialects(MLIRContext *context) const = 0;
  /// The name that launch metadata have for what launches kernels.
  virtual StringRef getRuntime() const = 0;

  //===--------------------------------------------------------------------===//
  // Memory of a thread
  //===--------------------------------------------------------------------===//

  virtual unsigned getPrivateAddressSpace() const { return 0; }
  /// Whether a loop over an array in private memory is better than unrolled
  /// code whose registers hold the elements.
  virtual bool stagesInPrivateMemory() const { return true; }
  /// The same index, in a form that LLVM cannot compute with before the place
  /// of the builder. May be the value itself, where that gains nothing.
  virtual Value makeOpaque(KernelLowering &l, Location loc, Value index) const;
  /// Likewise a number of a thread, an i32 that may differ between lanes.
  virtual Value makeThreadOpaque(KernelLowering &l, Location loc,
                                 Value number) const;

  //===--------------------------------------------------------------------===//
  // Blocks, warps, threads
  //===--------------------------------------------------------------------===//

  /// Clusters: makes blocks of the kernel clusters of these extents.
  virtual void setCluster(gpu::GPUFuncOp kernel,
                          ArrayRef<int64_t> extents) const;
  /// Named barriers: `threads` threads synchronise at the barrier with this
  /// number, or arrive there without waiting.
  virtual void partialBarrier(KernelLowering &l, Location loc, Value barrier,
                              int64_t threads) const;
  virtual void arriveAtBarrier(KernelLowering &l, Location loc, Value barrier,
                               int64_t threads) const;
  /// A barrier of `threads` threads at which an i1 of each is combined, by `and`
  /// or by `or`; null where there is none. The number null is that of the block.
  virtual Value voteAtBarrier(KernelLowering &l, Location loc, Value barrier,
                              int64_t threads, Value truth, bool isAnd) const;
  /// The lanes of a warp synchronise.
  virtual void warpBarrier(KernelLowering &l, Location loc) const;
  /// Named barriers: i1, true in one lane of the warp.
  virtual Value electLane(KernelLowering &l, Location loc) const;
  /// Warpgroups: changes the registers of a thread.
  virtual void setRegisterBudget(KernelLowering &l, Location loc,
                                 int64_t registers, bool increases) const;

  //===--------------------------------------------------------------------===//
  // Atomic updates
  //===--------------------------------------------------------------------===//

  /// How many consecutive elements of global memory one instruction updates
  /// that gives no old values; they begin at a multiple of it. For any chip.
  virtual int64_t getUpdateRun(KernelLowering &, AtomicKind, Type) const {
    return 1;
  }
  /// That instruction, for `values.size()` elements at an address.
  virtual void updateRun(KernelLowering &l, Location loc, AtomicKind kind,
                         Value address, ValueRange values) const;

  //===--------------------------------------------------------------------===//
  // Asynchronous copies of threads (CopyFamily::CpAsync)
  //===--------------------------------------------------------------------===//

  virtual void copyAsync(KernelLowering &l, Location loc, Value to, Value from,
                         int64_t bytes) const;
  virtual void commitAsyncCopies(KernelLowering &l, Location loc) const;
  virtual void waitForAsyncCopies(KernelLowering &l, Location loc,
                                  int64_t pending) const;

  //===--------------------------------------------------------------------===//
  // Transaction barriers (Feature::MBarrierTx), objects in shared memory
  //===--------------------------------------------------------------------===//

  virtual void initBarrier(KernelLowering &l, Location loc, Value barrier,
                           int64_t arrivals) const;
  /// Makes initialised barriers visible to asynchronous engines.
  virtual void fenceBarrierInit(KernelLowering &l, Location loc) const;
  /// Arrives; the phase ends only after so many bytes, too.
  virtual void arriveExpectingBytes(KernelLowering &l, Location loc,
                                    Value barrier, int64_t bytes) const;
  virtual void arrive(KernelLowering &l, Location loc, Value barrier) const;
  /// i1: whether the phase with this parity has ended; may take its time.
  virtual Value tryWait(KernelLowering &l, Location loc, Value barrier,
                        Value parity) const;
  /// Orders what threads wrote to shared memory, or to all memory, before what
  /// asynchronous engines do; nothing where there are no such engines. For any
  /// chip.
  virtual void fenceAsyncEngines(KernelLowering &l, Location loc,
                                 bool isGlobal) const;

  //===--------------------------------------------------------------------===//
  // Tensor copies
  //===--------------------------------------------------------------------===//

  /// Starts a copy that was given to the tensor copy engine; `barrier` counts
  /// the bytes of a load, a store may combine with what there is. For any chip:
  /// an error at the op where there is none.
  virtual LogicalResult
  copyTensor(KernelLowering &l, CopyOp op, Value barrier,
             std::optional<AtomicKind> update) const;
  /// Waits until all but the last `pending` stores have read shared memory, or
  /// are complete.
  virtual void waitForTensorStores(KernelLowering &l, Location loc,
                                   int64_t pending, bool isComplete) const;

  //===--------------------------------------------------------------------===//
  // Matrices
  //===--------------------------------------------------------------------===//

  /// Copies by instructions that move matrices between registers of a warp and
  /// shared memory; their name. For any chip: emits nothing and says why where
  /// that is not possible.
  virtual ::tile::layout::Result<std::string>
  copyMatrices(KernelLowering &l, Location loc, const FragmentCopy &copy) const;
  /// Emits a gemm by its instruction, which is no multiply-add of threads. For
  /// any chip: an error at the op where there is no such instruction.
  virtual LogicalResult emitMma(KernelLowering &l, GemmOp op) const;
  /// Waits for asynchronous ones; an error where there are none.
  virtual LogicalResult waitForMma(KernelLowering &l, GemmWaitOp op) const;

  //===--------------------------------------------------------------------===//
  // Debugging
  //===--------------------------------------------------------------------===//

  /// Whether gpu.printf has a lowering.
  virtual bool canPrint() const { return false; }
  /// Ends the launch, with a message where the driver prints one.
  virtual void abort(KernelLowering &l, Location loc, StringRef message) const;

  //===--------------------------------------------------------------------===//

  /// Emits what stands at the end of a kernel.
  virtual void finishKernel(KernelLowering &, Location) const {}
};

/// The vendors that a context has code for.
class SIMTTargets : public DialectInterface::Base<SIMTTargets> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SIMTTargets)

  SIMTTargets(Dialect *dialect) : Base(dialect) {}

  ArrayRef<std::unique_ptr<SIMTTarget>> getTargets() const { return targets; }
  void add(std::unique_ptr<SIMTTarget> target) {
    targets.push_back(std::move(target));
  }
  /// The last one added that supports the chip; null: none.
  static const SIMTTarget *lookup(MLIRContext *context,
                                  const ::tile::target::Target &chip);
  /// Of the dialect, made when first asked for.
  static SIMTTargets &get(TileDialect *dialect);

private:
  SmallVector<std::unique_ptr<SIMTTarget>> targets;
};

/// Lets kernels be lowered to the chips of a vendor.
template <typename TargetT>
void registerSIMTTarget(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, TileDialect *dialect) {
    SIMTTargets::get(dialect).add(std::make_unique<TargetT>());
  });
}

} // namespace mlir::tile::simt

#endif // TILE_CONVERSION_TILETOSIMT_SIMTTARGET_H
