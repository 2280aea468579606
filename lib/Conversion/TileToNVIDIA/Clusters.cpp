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

void NVIDIAClusterTarget::arriveFirst(KernelLowering &l, Location loc) const {
  NVVM::ClusterArriveRelaxedOp::create(l.builder(), loc,
                                       /*aligned=*/UnitAttr());
}

void NVIDIAClusterTarget::wait(KernelLowering &l, Location loc) const {
  NVVM::ClusterWaitOp::create(l.builder(), loc, /*aligned=*/UnitAttr());
}

Value NVIDIAClusterTarget::getRank(KernelLowering &l, Location loc) const {
  return NVVM::ClusterId::create(l.builder(), loc, l.builder().getI32Type());
}

/// A barrier of the cluster behind plain stores would be one of all memory of
/// the device in front of it, and empty the L1 cache behind it.
void NVIDIAClusterTarget::storeAsync(KernelLowering &l, Location loc,
                                     Value value, Value address, Value barrier,
                                     Value block) const {
  OpBuilder &b = l.builder();
  unsigned bits = value.getType().getIntOrFloatBitWidth();
  Type word = b.getIntegerType(bits);
  if (value.getType() != word)
    value = LLVM::BitcastOp::create(b, loc, word, value);
  emitAsm(b, loc,
          "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b" +
              Twine(bits) + " [$0], $1, [$2];",
          {}, bits == 64 ? "l,l,l,~{memory}" : "l,r,l,~{memory}",
          {getPlace(l, loc, address, block), value,
           getPlace(l, loc, barrier, block)});
}

/// At the scope of the cluster, ptxas releases with a barrier of all memory of
/// the device (`MEMBAR.ALL.GPU`), which takes as long as a stage. There is
/// nothing to release: reads are complete, and nothing was written.
void NVIDIAClusterTarget::arrive(KernelLowering &l, Location loc, Value barrier,
                                 Value block) const {
  NVVM::MBarrierArriveOp::create(l.builder(), loc, TypeRange(),
                                 getPlace(l, loc, barrier, block), Value(),
                                 NVVM::MemScopeKind::CTA, /*relaxed=*/false);
}

Value NVIDIAClusterTarget::getPlace(KernelLowering &l, Location loc,
                                    Value address, Value block) const {
  auto type = LLVM::LLVMPointerType::get(
      l.builder().getContext(), unsigned(NVVM::NVVMMemorySpace::SharedCluster));
  return NVVM::MapaOp::create(l.builder(), loc, type, address, block);
}

/// `noinc`: the barrier was initialised to count the arrival.
void NVIDIAClusterTarget::arriveAfterCopies(KernelLowering &l, Location loc,
                                            Value barrier) const {
  NVVM::CpAsyncMBarrierArriveOp::create(l.builder(), loc, barrier,
                                        /*noinc=*/true);
}
