// RUN: tile-opt %s --split-input-file --verify-diagnostics --tile-set-target=chip=sm_90a --tile-infer-layout --convert-tile-to-simt --canonicalize --cse | FileCheck %s

// Two warps of two blocks have a word each in the tables of both blocks: the block's two come behind those of blocks before it. The
// blocks tell each other that they run at the top, where the barrier of the table expects all words; a store waits for that.
// CHECK-LABEL: gpu.func @sum_0(
// CHECK-SAME: nvvm.cluster_dim = array<i32: 1, 2, 1>
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : i32
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : i32
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : i32
// CHECK-DAG: %[[BYTES:.*]] = arith.constant 16 : i32
// CHECK: nvvm.mbarrier.init %[[BARRIER:.*]], %[[C1]]
// CHECK: nvvm.mbarrier.arrive.expect_tx %[[BARRIER]], %[[BYTES]]
// CHECK: nvvm.fence.mbarrier.init
// CHECK: nvvm.cluster.arrive.relaxed
// CHECK-NOT: nvvm.cluster.wait
// CHECK: gpu.shuffle
// CHECK: %[[RANK:.*]] = nvvm.read.ptx.sreg.cluster.ctarank : i32
// CHECK: %[[FIRST:.*]] = arith.muli %[[RANK]], %[[C2]] : i32
// CHECK: arith.addi %{{.*}}, %[[FIRST]] : i32
// CHECK: nvvm.cluster.wait
// CHECK-NOT: gpu.barrier
// CHECK: %[[OWN:.*]] = nvvm.mapa %[[AT:.*]], %[[C0]] : !llvm.ptr<3> -> !llvm.ptr<7>
// CHECK-NEXT: %[[OWNBARRIER:.*]] = nvvm.mapa %[[COUNTS:.*]], %[[C0]] : !llvm.ptr<3> -> !llvm.ptr<7>
// CHECK: llvm.inline_asm {{.*}}"st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [$0], $1, [$2];", {{.*}} %[[OWN]], %[[VALUE:.*]], %[[OWNBARRIER]] :
// CHECK: %[[OTHER:.*]] = nvvm.mapa %[[AT]], %[[C1]] : !llvm.ptr<3> -> !llvm.ptr<7>
// CHECK-NEXT: %[[OTHERBARRIER:.*]] = nvvm.mapa %[[COUNTS]], %[[C1]] : !llvm.ptr<3> -> !llvm.ptr<7>
// CHECK: st.async{{.*}} %[[OTHER]], %[[VALUE]], %[[OTHERBARRIER]] :
// CHECK: scf.while
// CHECK-NEXT: nvvm.mbarrier.try_wait %{{.*}}, %[[C0]] : !llvm.ptr<3>, i32 -> i1
// CHECK-COUNT-4: llvm.load %{{.*}} : !llvm.ptr<3> -> f32
// CHECK-NOT: nvvm.cluster
// CHECK: gpu.return
func.func @sum(%x: memref<8x1024xf32>, %y: memref<8x2xf32>) {
  tile.kernel (%b, %part) in (8, 2) threads(64) cluster(1, 2) {
    %row = tile.alloc : memref<1x512xf32, #tile.fragment>
    %sum = tile.alloc : memref<1xf32, #tile.fragment>
    tile.copy %x[%b, %part * 512] [1, 512], %row : memref<8x1024xf32>, memref<1x512xf32, #tile.fragment>
    tile.reduce sum %row, %sum dim(1) {tile.spread = 2} : memref<1x512xf32, #tile.fragment>, memref<1xf32, #tile.fragment>
    tile.copy %sum, %y[%b, %part] [1, 1] : memref<1xf32, #tile.fragment>, memref<8x2xf32>
  }
  return
}

// -----

func.func @in_loop(%x: memref<8x1024xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  tile.kernel (%b, %part) in (8, 2) threads(64) cluster(1, 2) {
    %row = tile.alloc : memref<1x512xf32, #tile.fragment>
    %sum = tile.alloc : memref<1xf32, #tile.fragment>
    scf.for %i = %c0 to %c2 step %c1 {
      // expected-error @below {{combines parts of rows in several blocks; expected it directly in the kernel, outside of loops and branches}}
      tile.reduce sum %row, %sum dim(1) {tile.spread = 2} : memref<1x512xf32, #tile.fragment>, memref<1xf32, #tile.fragment>
    }
  }
  return
}
