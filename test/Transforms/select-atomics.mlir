// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-select-instructions | FileCheck %s
// RUN: tile-opt %s --tile-set-target=chip=sm_80 --tile-select-instructions | FileCheck %s --check-prefix=AMPERE
// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-select-instructions --remarks-filter=tile-select-instructions -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tile-opt %s --pass-pipeline="builtin.module(tile-set-target{chip=sm_90a},tile-select-instructions,tile-infer-layout,tile-schedule,tile-insert-barriers,tile-plan-shared,tile-verify-schedule)" | FileCheck %s --check-prefix=SYNC

// AMPERE-NOT: instruction = #tile.transfer<tma>

// Sums of a matrix instruction that a loop adds to global memory: the copy engine does, out of a shared tile, which has been
// read when it is written again.
// CHECK-LABEL: func.func @sums
// CHECK: tile.gemm %{{.*}}, %{{.*}}, %[[C:.*]] {
// CHECK-NEXT: tile.copy %[[C]], %[[TILE:.*]] {instruction
// CHECK-NEXT: tile.atomic add %[[TILE]], %{{.*}} {instruction = #tile.transfer<tma>}
// REMARK: [Passed] StagedAtomic | Category:tile-select-instructions | Remark=tma
// SYNC-LABEL: func.func @sums
// SYNC: tile.store_wait pending(0)
// SYNC-NEXT: tile.barrier
// SYNC-NEXT: tile.copy
// SYNC-NEXT: tile.barrier async
// SYNC-NEXT: tile.atomic add
func.func @sums(%a: memref<64x4096xf16>, %b: memref<64x64xf16>, %c: memref<4096x64xf32>) {
  tile.kernel (%x) in (4) threads(128) {
    %as = tile.alloc : memref<64x64xf16, #tile.shared>
    %bs = tile.alloc : memref<64x64xf16, #tile.shared>
    %sum = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.copy %b, %bs
    tile.pipelined %t = 0 to 64 stages(2) {
      tile.copy %a[0, %t * 64], %as
      tile.gemm %as, %bs, %sum {clear, transpose_a}
      tile.atomic add %sum, %c[%t * 64, 0]
    }
  }
  return
}

// Not where rows are no multiple of 16 bytes, nor where the kernel reads the target.
// CHECK-LABEL: func.func @refused
// CHECK-NOT: tile.atomic add %{{.*}} {instruction
// REMARK: [Missed] StagedAtomic | Category:tile-select-instructions | Reason="expected rows of a multiple of 16 bytes
// REMARK: [Missed] StagedAtomic | Category:tile-select-instructions | Reason="expected the only use of the target in the kernel"
func.func @refused(%a: memref<64x4096xf16>, %b: memref<64x64xf16>, %c: memref<4096x65xf32>, %d: memref<4096x64xf32>) {
  tile.kernel (%x) in (4) threads(128) {
    %as = tile.alloc : memref<64x64xf16, #tile.shared>
    %bs = tile.alloc : memref<64x64xf16, #tile.shared>
    %sum = tile.alloc : memref<64x64xf32, #tile.fragment>
    %first = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.copy %b, %bs
    tile.copy %d[0, 0], %first
    tile.pipelined %t = 0 to 64 stages(2) {
      tile.copy %a[0, %t * 64], %as
      tile.gemm %as, %bs, %sum {clear, transpose_a}
      tile.atomic add %sum, %c[%t * 64, 0]
      tile.atomic add %sum, %d[%t * 64, 0]
    }
  }
  return
}
