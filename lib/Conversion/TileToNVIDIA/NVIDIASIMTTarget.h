//===- NVIDIASIMTTarget.h - instructions of NVIDIA GPUs --------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_TILETONVIDIA_NVIDIASIMTTARGET_H
#define TILE_LIB_CONVERSION_TILETONVIDIA_NVIDIASIMTTARGET_H

#include "Tile/Conversion/TileToSIMT/Lowering.h"

namespace mlir::tile {
class SparseGemmOp;
namespace simt {
struct MmaInstruction;
} // namespace simt
} // namespace mlir::tile

namespace mlir::tile::nvidia {

class NVIDIASIMTTarget : public simt::SIMTTarget {
public:
  using KernelLowering = simt::KernelLowering;

  bool supports(const ::tile::target::Target &chip) const override;
  void loadDialects(MLIRContext *context) const override;
  StringRef getRuntime() const override { return "cuda"; }

  void setCluster(gpu::GPUFuncOp kernel,
                  ArrayRef<int64_t> extents) const override;
  Value makeThreadOpaque(KernelLowering &l, Location loc,
                         Value number) const override;

  void partialBarrier(KernelLowering &l, Location loc, Value barrier,
                      int64_t threads) const override;
  void arriveAtBarrier(KernelLowering &l, Location loc, Value barrier,
                       int64_t threads) const override;
  Value voteAtBarrier(KernelLowering &l, Location loc, Value barrier,
                      int64_t threads, Value truth,
                      bool isAnd) const override;
  void warpBarrier(KernelLowering &l, Location loc) const override;
  Value electLane(KernelLowering &l, Location loc) const override;
  void setRegisterBudget(KernelLowering &l, Location loc, int64_t registers,
                         bool increases) const override;

  int64_t getUpdateRun(KernelLowering &l, AtomicKind kind,
                       Type element) const override;
  void updateRun(KernelLowering &l, Location loc, AtomicKind kind,
                 Value address, ValueRange values) const override;

  void copyAsync(KernelLowering &l, Location loc, Value to, Value from,
                 int64_t bytes) const override;
  void commitAsyncCopies(KernelLowering &l, Location loc) const override;
  void waitForAsyncCopies(KernelLowering &l, Location loc,
                          int64_t pending) const override;

  void initBarrier(KernelLowering &l, Location loc, Value barrier,
                   int64_t arrivals) const override;
  void fenceBarrierInit(KernelLowering &l, Location loc) const override;
  void arriveExpectingBytes(KernelLowering &l, Location loc, Value barrier,
                            int64_t bytes) const override;
  void arrive(KernelLowering &l, Location loc, Value barrier) const override;
  Value tryWait(KernelLowering &l, Location loc, Value barrier,
                Value parity) const override;
  void fenceAsyncEngines(KernelLowering &l, Location loc,
                         bool isGlobal) const override;

  bool canPrint() const override { return true; }
  void abort(KernelLowering &l, Location loc, StringRef message) const override;

  LogicalResult copyTensor(KernelLowering &l, CopyOp op, Value barrier,
                           std::optional<AtomicKind> update) const override;
  void waitForTensorStores(KernelLowering &l, Location loc,
                           int64_t pending, bool isComplete) const override;

  ::tile::layout::Result<std::string>
  copyMatrices(KernelLowering &l, Location loc,
               const simt::FragmentCopy &copy) const override;
  LogicalResult emitMma(KernelLowering &l, GemmOp op) const override;
  LogicalResult waitForMma(KernelLowering &l, GemmWaitOp op) const override;

  void finishKernel(KernelLowering &l, Location loc) const override;
};

/// mma.sync, mma.sp, wgmma and wgmma.wait_group.
LogicalResult emitWarpMma(GemmOp op, simt::KernelLowering &l);
LogicalResult emitSparseMma(SparseGemmOp op, simt::KernelLowering &l);
LogicalResult emitWarpgroupMma(GemmOp op, simt::KernelLowering &l);
LogicalResult
emitSparseWarpgroupMma(SparseGemmOp op,
                       const simt::MmaInstruction &instruction,
                       simt::KernelLowering &l);
LogicalResult emitGemmWait(GemmWaitOp op, simt::KernelLowering &l);

} // namespace mlir::tile::nvidia

#endif // TILE_LIB_CONVERSION_TILETONVIDIA_NVIDIASIMTTARGET_H
