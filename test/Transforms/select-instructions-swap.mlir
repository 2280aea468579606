// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-select-instructions | FileCheck %s
// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-select-instructions --remarks-filter='tile-select-instructions' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tile-opt %s --tile-set-target=chip=sm_80 --tile-select-instructions | FileCheck %s --check-prefix=SM80

// wgmma has 64 rows: 96 are no multiple of them, but 64 columns are one.
// CHECK-LABEL: func.func @thin
// CHECK: %[[A:.*]] = tile.alloc : memref<96x64xbf16, #tile.shared>
// CHECK: %[[B:.*]] = tile.alloc : memref<64x64xbf16, #tile.shared>
// CHECK: %[[ACC:.*]] = tile.alloc : memref<64x96xf32, #tile.fragment>
// CHECK-NOT: memref<96x64xf32
// CHECK: tile.fill %[[ACC]]
// CHECK: tile.gemm %[[B]], %[[A]], %[[ACC]] {instruction = #tile.mma<wgmma, m = 64, n = 96, k = 16, warps_m = 4, warps_n = 1>, transpose_b}
// CHECK: tile.parallel (%[[I:.*]], %[[J:.*]]) in (96, 64)
// CHECK: memref.load %[[ACC]][%[[J]], %[[I]]]
// CHECK: memref.store %{{.*}}, %[[ACC]][%[[J]], %[[I]]]
// CHECK: tile.parallel (%[[C:.*]], %[[R:.*]]) in (64, 96) {
// CHECK: %[[Y:.*]] = affine.apply
// CHECK: %[[ROW:.*]] = arith.addi %[[Y]], %[[R]]
// CHECK: arith.cmpi ult, %[[ROW]], %{{.*}} : index
// CHECK: %[[X:.*]] = affine.apply
// CHECK: %[[COLUMN:.*]] = arith.addi %[[X]], %[[C]]
// CHECK: arith.cmpi ult, %[[COLUMN]], %{{.*}} : index
// CHECK: %[[V:.*]] = memref.load %[[ACC]][%[[C]], %[[R]]]
// CHECK: %[[T:.*]] = arith.truncf %[[V]] : f32 to bf16
// CHECK: scf.if
// CHECK: memref.store %[[T]], %{{.*}}[%[[ROW]], %[[COLUMN]]]
// REMARK: [Passed] SwappedOperands | Category:tile-select-instructions | columns=96, rows=64
// The instructions of sm_80 have 16 rows.
// SM80-LABEL: func.func @thin
// SM80: memref<96x64xf32, #tile.fragment>
func.func @thin(%a: memref<96x8192xbf16>, %b: memref<8192x8192xbf16>, %c: memref<?x?xbf16>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%x, %y) in (128, 1) threads(128) {
    %as = tile.alloc : memref<96x64xbf16, #tile.shared>
    %bs = tile.alloc : memref<64x64xbf16, #tile.shared>
    %sum = tile.alloc : memref<96x64xf32, #tile.fragment>
    tile.fill %sum, %zero : memref<96x64xf32, #tile.fragment>
    tile.pipelined %k = 0 to 128 stages(4) {
      tile.copy %a[%y * 96, %k * 64], %as : memref<96x8192xbf16>, memref<96x64xbf16, #tile.shared>
      tile.copy %b[%x * 64, %k * 64], %bs : memref<8192x8192xbf16>, memref<64x64xbf16, #tile.shared>
      tile.gemm %as, %bs, %sum {transpose_b}
          : memref<96x64xbf16, #tile.shared>, memref<64x64xbf16, #tile.shared>, memref<96x64xf32, #tile.fragment>
    }
    tile.parallel (%i, %j) in (96, 64) {
      %v = memref.load %sum[%i, %j] : memref<96x64xf32, #tile.fragment>
      %r = arith.maximumf %v, %zero : f32
      memref.store %r, %sum[%i, %j] : memref<96x64xf32, #tile.fragment>
    }
    tile.copy %sum, %c[%y * 96, %x * 64] : memref<96x64xf32, #tile.fragment>, memref<?x?xbf16>
  }
  return
}

// 8 rows, B stored K x N; the plane of a batch. The batch is guarded, too.
// CHECK-LABEL: func.func @batched
// CHECK: tile.gemm %{{.*}} {instruction = #tile.mma<wgmma, m = 64, n = 8, k = 16, warps_m = 4, warps_n = 1>, transpose_a, transpose_b}
// CHECK: tile.parallel
// CHECK-COUNT-3: arith.cmpi ult
// CHECK: memref.store %{{.*}} : memref<4x8x4096xf32>
// REMARK: [Passed] SwappedOperands | Category:tile-select-instructions | columns=8, rows=128
func.func @batched(%a: memref<4x8x4096xf16>, %b: memref<4096x4096xf16>, %c: memref<4x8x4096xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%x, %z) in (32, 4) threads(128) {
    %as = tile.alloc : memref<8x64xf16, #tile.shared>
    %bs = tile.alloc : memref<64x128xf16, #tile.shared>
    %sum = tile.alloc : memref<8x128xf32, #tile.fragment>
    tile.fill %sum, %zero : memref<8x128xf32, #tile.fragment>
    tile.pipelined %k = 0 to 64 stages(4) {
      tile.copy %a[%z, 0, %k * 64], %as : memref<4x8x4096xf16>, memref<8x64xf16, #tile.shared>
      tile.copy %b[%k * 64, %x * 128], %bs : memref<4096x4096xf16>, memref<64x128xf16, #tile.shared>
      tile.gemm %as, %bs, %sum
          : memref<8x64xf16, #tile.shared>, memref<64x128xf16, #tile.shared>, memref<8x128xf32, #tile.fragment>
    }
    tile.copy %sum, %c[%z, 0, %x * 128] : memref<8x128xf32, #tile.fragment>, memref<4x8x4096xf32>
  }
  return
}

// A reduction of the accumulator speaks of its dimensions.
// CHECK-LABEL: func.func @reduced
// CHECK: tile.alloc : memref<96x64xf32, #tile.fragment>
// REMARK-NOT: SwappedOperands
func.func @reduced(%a: memref<96x64xbf16>, %b: memref<64x64xbf16>, %c: memref<96xf32>) {
  tile.kernel (%x) in (1) threads(128) {
    %as = tile.alloc : memref<96x64xbf16, #tile.shared>
    %bs = tile.alloc : memref<64x64xbf16, #tile.shared>
    %sum = tile.alloc : memref<96x64xf32, #tile.fragment>
    %row = tile.alloc : memref<96xf32, #tile.fragment>
    tile.copy %a, %as : memref<96x64xbf16>, memref<96x64xbf16, #tile.shared>
    tile.copy %b, %bs : memref<64x64xbf16>, memref<64x64xbf16, #tile.shared>
    tile.gemm %as, %bs, %sum {clear, transpose_b}
        : memref<96x64xbf16, #tile.shared>, memref<64x64xbf16, #tile.shared>, memref<96x64xf32, #tile.fragment>
    tile.reduce sum %sum, %row dim(1) : memref<96x64xf32, #tile.fragment>, memref<96xf32, #tile.fragment>
    tile.copy %row, %c : memref<96xf32, #tile.fragment>, memref<96xf32>
  }
  return
}
