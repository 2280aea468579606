//===- Clusters.cpp - clusters of NVIDIA GPUs ----------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Clusters.h"

#include "Tile/Conversion/TileToSIMT/Lowering.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvidia;
using namespace mlir::tile::simt;

bool NVIDIAClusterTarget::supports(const ::tile::target::Target &chip) const {
  return chip.vendor == ::tile::target::Vendor::NVIDIA;
}

/// Lanes of the producer's warp may come one by one.
void NVIDIAClusterTarget::barrier(KernelLowering &l, Location loc) const {
  NVVM::ClusterArriveOp::create(l.builder(), loc, /*aligned=*/UnitAttr());
  NVVM::ClusterWaitOp::create(l.builder(), loc, /*aligned=*/UnitAttr());
}

/// At the scope of the cluster, ptxas releases with a barrier of all memory of
/// the device (`MEMBAR.ALL.GPU`), which takes as long as a stage. There is
/// nothing to release: reads are complete, and nothing was written.
void NVIDIAClusterTarget::arrive(KernelLowering &l, Location loc, Value barrier,
                                 Value block) const {
  OpBuilder &b = l.builder();
  auto type = LLVM::LLVMPointerType::get(
      b.getContext(), unsigned(NVVM::NVVMMemorySpace::SharedCluster));
  Value remote = NVVM::MapaOp::create(b, loc, type, barrier, block);
  NVVM::MBarrierArriveOp::create(b, loc, TypeRange(), remote, Value(),
                                 NVVM::MemScopeKind::CTA, /*relaxed=*/false);
}

/// `noinc`: the barrier was initialised to count the arrival.
void NVIDIAClusterTarget::arriveAfterCopies(KernelLowering &l, Location loc,
                                            Value barrier) const {
  NVVM::CpAsyncMBarrierArriveOp::create(l.builder(), loc, barrier,
                                        /*noinc=*/true);
}
