// RUN: tile-opt %s --split-input-file --tile-to-gpu-pipeline=chip=sm_80 --remarks-filter=convert-tile-to-simt 2>&1 | FileCheck %s
// RUN: tile-opt %s --split-input-file --tile-to-gpu-pipeline=chip=sm_89 | FileCheck %s --check-prefix=ORDERED
// RUN: tile-opt %s --split-input-file --tile-to-gpu-pipeline=chip=sm_90a | FileCheck %s --check-prefix=WGMMA
// RUN: tile-opt %s --split-input-file --tile-to-gpu-pipeline=chip=gfx942 -o /dev/null

// 64 x 16 x 96 by 4 warps: each has 16 rows and two columns of instructions, three along K. The first two of these share a register of
// metadata, which is of the lanes 0 and 1 for the first one and of the lanes 2 and 3 for the second one; the last one has one of its
// own. From version 8.5 of PTX on, places are said to be in order. A warpgroup reads A and B by descriptors, behind a fence of what
// threads wrote: B is 64 bytes along K for 32 of A.

// CHECK-DAG: 'a' by ldmatrix.x4
// CHECK-DAG: 'b' by ldmatrix.x4.trans
// CHECK-LABEL: gpu.func @halves_0(
// CHECK: %[[LANE:.*]] = arith.remui %{{.*}}, %c32_i32
// CHECK: %[[QUAD:.*]] = arith.remui %[[LANE]], %c4_i32
// CHECK: %[[ROW:.*]] = arith.divui %[[LANE]], %c4_i32
// CHECK-COUNT-6: asm_dialect = att "mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {$0, $1, $2, $3}, {$4, $5, $6, $7}, {$8, $9, $10, $11}, {$12, $13, $14, $15}, $16, {{[01]}};", "=f,=f,=f,=f,r,r,r,r,r,r,r,r,f,f,f,f,r"
// CHECK-NOT: mma.s
// ORDERED-LABEL: gpu.func @halves_0(
// ORDERED-COUNT-2: "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {{.*}}, $16, 0;"
// ORDERED-COUNT-2: "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {{.*}}, $16, 1;"
// ORDERED-COUNT-2: "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {{.*}}, $16, 0;"
// ORDERED-NOT: mma.sp
// ORDERED: gpu.return
// WGMMA-LABEL: gpu.func @halves_0(
// WGMMA: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>
// WGMMA-NEXT: gpu.barrier
// WGMMA: nvvm.wgmma.fence.aligned
// WGMMA: "wgmma.mma_async.sp.sync.aligned.m64n16k32.f32.f16.f16 {{.*}}, $16, $17, $18, 0, $19, 1, 1, 0, 1;"
// WGMMA: "wgmma.mma_async.sp.sync.aligned.m64n16k32.f32.f16.f16 {{.*}}, $16, $17, $18, 1, 1, 1, 1, 0, 1;"
// WGMMA: "wgmma.mma_async.sp.sync.aligned.m64n16k32.f32.f16.f16 {{.*}}, $16, $17, $18, 0, 1, 1, 1, 0, 1;"
// WGMMA-NOT: wgmma.mma_async
// WGMMA: nvvm.wgmma.commit.group.sync.aligned
// WGMMA: wgmma.wait_group.sync.aligned 0;
func.func @halves(%a: memref<64x48xf16>, %e: memref<64x6xi16>, %b: memref<96x16xf16>, %c: memref<64x16xf32>) {
  tile.kernel (%k) in (1) threads(128) {
    %as = tile.alloc : memref<64x48xf16, #tile.shared>
    %es = tile.alloc : memref<64x6xi16, #tile.shared>
    %bs = tile.alloc : memref<96x16xf16, #tile.shared>
    %cf = tile.alloc : memref<64x16xf32, #tile.fragment>
    tile.copy %a, %as
    tile.copy %e, %es
    tile.copy %b, %bs
    tile.sparse_gemm %as by %es, %bs, %cf policy(full_row) {clear}
    tile.copy %cf, %c
  }
  return
}

// -----

// Of bytes every lane has metadata. Fragments are copied to shared memory; sums of f16 are those of f32, rounded once.

// CHECK-LABEL: gpu.func @bytes_0(
// CHECK-COUNT-2: "mma.sp.sync.aligned.m16n8k64.row.col.s32.u8.s8.s32 {{.*}}, $16, 0;"
// CHECK-NOT: mma.s
func.func @bytes(%a: memref<16x32xi8>, %e: memref<16x2xi32>, %b: memref<16x64xi8>, %c: memref<16x16xi32>) {
  tile.kernel (%k) in (1) threads(32) {
    %as = tile.alloc : memref<16x32xi8, #tile.fragment>
    %es = tile.alloc : memref<16x2xi32, #tile.fragment>
    %bs = tile.alloc : memref<16x64xi8, #tile.shared>
    %cf = tile.alloc : memref<16x16xi32, #tile.shared>
    tile.copy %a, %as
    tile.copy %e, %es
    tile.copy %b, %bs
    tile.copy %c, %cf
    tile.sparse_gemm %as by %es, %bs, %cf {a_unsigned, transpose_b}
    tile.copy %cf, %c
  }
  return
}

// -----

// CHECK-LABEL: gpu.func @words_0(
// CHECK: "mma.sp.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32 {{.*}}, $16, 0;"
// CHECK: "mma.sp.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32 {{.*}}, $16, 1;"
// CHECK-NOT: mma.s
func.func @words(%a: memref<16x16xf32>, %e: memref<16x2xi32>, %b: memref<32x8xf32>, %c: memref<16x8xf32>) {
  tile.kernel (%k) in (1) threads(32) {
    %as = tile.alloc : memref<16x16xf32, #tile.shared>
    %es = tile.alloc : memref<16x2xi32, #tile.shared>
    %bs = tile.alloc : memref<32x8xf32, #tile.shared>
    %cf = tile.alloc : memref<16x8xf32, #tile.fragment>
    tile.copy %a, %as
    tile.copy %e, %es
    tile.copy %b, %bs
    tile.sparse_gemm %as by %es, %bs, %cf precision(tf32) {clear}
    tile.copy %cf, %c
  }
  return
}
