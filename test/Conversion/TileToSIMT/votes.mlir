// RUN: tile-opt %s --tile-set-target=chip=sm_90a --convert-tile-to-simt --canonicalize --cse | FileCheck %s
// RUN: tile-opt %s --tile-set-target=chip=gfx942 --convert-tile-to-simt --canonicalize --cse | FileCheck %s --check-prefix=AMD

// Votes: within a thread, then at a barrier that combines them. AMD's barriers do not: a word in shared memory.
// CHECK-LABEL: gpu.func @votes_0
// CHECK-NOT: gpu.barrier
// CHECK: %[[OWN:.*]] = arith.ori
// CHECK: %[[ANY:.*]] = llvm.call_intrinsic "llvm.nvvm.barrier.cta.red.or.aligned.all"(%{{.*}}, %[[OWN]]) : (i32, i1) -> i1
// CHECK-NOT: gpu.barrier
// CHECK: llvm.store %[[ANY]], %{{.*}} : i1, !llvm.ptr<1>
// CHECK: gpu.return
// AMD-LABEL: gpu.func @votes_0
// AMD-COUNT-3: gpu.barrier
// AMD: gpu.return
func.func @votes(%a: memref<1xi1>) {
  tile.kernel (%b) in (1) threads(64) {
    %m = tile.alloc : memref<128xi32, #tile.shared>
    %any = tile.any_of %m : memref<128xi32, #tile.shared>
    tile.parallel (%i) in (1) {
      memref.store %any, %a[%i] : memref<1xi1>
    }
  }
  return
}
