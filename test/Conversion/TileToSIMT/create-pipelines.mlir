// RUN: tile-opt %s --tile-set-target=chip=sm_90a --convert-tile-to-simt | FileCheck %s

// Threads meet once for the barriers of pipelines that are created together, before anything else runs.
// CHECK-LABEL: gpu.func @pipelines_0(
// CHECK: nvvm.fence.mbarrier.init
// CHECK-NOT: gpu.barrier
// CHECK: nvvm.fence.mbarrier.init
// CHECK: gpu.barrier
// CHECK-NEXT: gpu.barrier
// CHECK: nvvm.fence.mbarrier.init
// CHECK-NOT: nvvm.fence
// CHECK: gpu.barrier
// CHECK-NOT: gpu.barrier
func.func @pipelines() {
  tile.kernel (%x) in (4) threads(128) {
    %a = tile.create_pipeline : !tile.pipeline<2>
    %tile = tile.alloc : memref<32xf32, #tile.shared>
    %b = tile.create_pipeline : !tile.pipeline<1>
    tile.barrier
    %c = tile.create_pipeline : !tile.pipeline<1>
  }
  return
}
