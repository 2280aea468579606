// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-select-instructions | FileCheck %s --check-prefixes=CHECK,SM90
// RUN: tile-opt %s --tile-set-target=chip=sm_80 --tile-select-instructions | FileCheck %s --check-prefixes=CHECK,SM80

!a = memref<128x64xf16, #tile.shared>
!b = memref<64x128xf16, #tile.shared>
!bt = memref<128x64xf16, #tile.shared>
!c = memref<128x128xf32, #tile.fragment>

// CHECK-LABEL: @halves
func.func @halves() {
  tile.kernel (%x) in (1) threads(128) {
    %a = tile.alloc : !a
    %b = tile.alloc : !b
    %c = tile.alloc : !c
    // SM90: tile.gemm {{.*}} #tile.mma<wgmma, m = 64, n = 128, k = 16, warps_m = 4, warps_n = 1>
    // SM80: tile.gemm {{.*}} #tile.mma<mma, m = 16, n = 8, k = 16, warps_m = 2, warps_n = 2>
    tile.gemm %a, %b, %c : !a, !b, !c
  }
  // 8 warps: two warpgroups, along M; along N under full_col.
  tile.kernel (%x) in (1) threads(256) {
    %a = tile.alloc : !a
    %b = tile.alloc : !bt
    %c = tile.alloc : !c
    // SM90: tile.gemm {{.*}} #tile.mma<wgmma, m = 64, n = 128, k = 16, warps_m = 8, warps_n = 1>
    // SM80: tile.gemm {{.*}} #tile.mma<mma, m = 16, n = 8, k = 16, warps_m = 4, warps_n = 2>
    tile.gemm %a, %b, %c {transpose_b} : !a, !bt, !c
    // SM90: tile.gemm {{.*}} #tile.mma<wgmma, m = 64, n = 64, k = 16, warps_m = 4, warps_n = 2>
    // SM80: tile.gemm {{.*}} #tile.mma<mma, m = 16, n = 8, k = 16, warps_m = 1, warps_n = 8>
    tile.gemm %a, %b, %c policy(full_col) {transpose_b} : !a, !bt, !c
    // SM80: tile.gemm {{.*}} #tile.mma<mma, m = 16, n = 8, k = 16, warps_m = 8, warps_n = 1>
    tile.gemm %a, %b, %c policy(full_row) {transpose_b} : !a, !bt, !c
    // CHECK: tile.gemm {{.*}} #tile.mma<mma, m = 16, n = 8, k = 16,
    tile.gemm %a, %b, %c prefer(mma) {transpose_b} : !a, !bt, !c
  }
  return
}

// A in a fragment; sums of f16 are those of f32.
// CHECK-LABEL: @registers
func.func @registers() {
  tile.kernel (%x) in (1) threads(128) {
    %a = tile.alloc : memref<64x64xf16, #tile.fragment>
    %b = tile.alloc : !b
    %c = tile.alloc : memref<64x128xf16, #tile.fragment>
    // SM90: tile.gemm {{.*}} #tile.mma<wgmma, m = 64, n = 128, k = 16, warps_m = 4, warps_n = 1>
    // SM80: tile.gemm {{.*}} #tile.mma<mma, m = 16, n = 8, k = 16, warps_m = 2, warps_n = 2>
    tile.gemm %a, %b, %c : memref<64x64xf16, #tile.fragment>, !b, memref<64x128xf16, #tile.fragment>
  }
  return
}

// More warps than the tile has parts for: some compute the same.
// CHECK-LABEL: @few_parts
func.func @few_parts() {
  tile.kernel (%x) in (1) threads(256) {
    %a = tile.alloc : memref<16x16xf16, #tile.shared>
    %b = tile.alloc : memref<16x8xf16, #tile.shared>
    %c = tile.alloc : memref<16x8xf32, #tile.fragment>
    // CHECK: tile.gemm {{.*}} #tile.mma<mma, m = 16, n = 8, k = 16, warps_m = 1, warps_n = 1>
    tile.gemm %a, %b, %c : memref<16x16xf16, #tile.shared>, memref<16x8xf16, #tile.shared>, memref<16x8xf32, #tile.fragment>
  }
  // 3 warps and 48 rows; 40 rows of 36 are for nobody.
  tile.kernel (%x) in (1) threads(96) {
    %a = tile.alloc : memref<48x8xf16, #tile.shared>
    %b = tile.alloc : memref<8x32xf16, #tile.shared>
    %c = tile.alloc : memref<48x32xf32, #tile.fragment>
    // CHECK: tile.gemm {{.*}} #tile.mma<mma, m = 16, n = 8, k = 8, warps_m = 3, warps_n = 1>
    tile.gemm %a, %b, %c : memref<48x8xf16, #tile.shared>, memref<8x32xf16, #tile.shared>, memref<48x32xf32, #tile.fragment>
    %d = tile.alloc : memref<40x8xf16, #tile.shared>
    %e = tile.alloc : memref<40x36xf32, #tile.fragment>
    %f = tile.alloc : memref<8x36xf16, #tile.shared>
    // CHECK: tile.gemm {{.*}} #tile.mma<fma, m = 1, n = 1, k = 1, warps_m = 3, warps_n = 1>
    tile.gemm %d, %f, %e : memref<40x8xf16, #tile.shared>, memref<8x36xf16, #tile.shared>, memref<40x36xf32, #tile.fragment>
  }
  return
}

!a32 = memref<64x32xf32, #tile.shared>
!b32 = memref<64x32xf32, #tile.shared>
!c32 = memref<64x64xf32, #tile.fragment>
!a8 = memref<64x64xf8E4M3FN, #tile.shared>
!b8 = memref<64x64xf8E5M2, #tile.shared>
!ai = memref<64x64xi8, #tile.shared>
!ci = memref<64x64xi32, #tile.fragment>
!i4 = memref<64x64xi4, #tile.shared>
!f64 = memref<64x64xf64, #tile.shared>
!cf64 = memref<64x64xf64, #tile.fragment>

// CHECK-LABEL: @types
func.func @types() {
  tile.kernel (%x) in (1) threads(128) {
    %a = tile.alloc : !a32
    %b = tile.alloc : !b32
    %c = tile.alloc : !c32
    // CHECK: tile.gemm {{.*}} #tile.mma<fma,
    tile.gemm %a, %b, %c {transpose_b} : !a32, !b32, !c32
    // wgmma would cut the operands off.
    // CHECK: tile.gemm {{.*}} #tile.mma<mma, m = 16, n = 8, k = 8,
    tile.gemm %a, %b, %c precision(tf32) {transpose_b} : !a32, !b32, !c32
    %a8 = tile.alloc : !a8
    %b8 = tile.alloc : !b8
    // SM90: tile.gemm {{.*}} #tile.mma<wgmma, m = 64, n = 64, k = 32,
    // SM80: tile.gemm {{.*}} #tile.mma<fma,
    tile.gemm %a8, %b8, %c {transpose_b} : !a8, !b8, !c32
    // Only 16-bit elements may have N contiguous.
    // SM90: tile.gemm {{.*}} #tile.mma<mma, m = 16, n = 8, k = 32,
    tile.gemm %a8, %b8, %c : !a8, !b8, !c32
    %ai = tile.alloc : !ai
    %bi = tile.alloc : !ai
    %ci = tile.alloc : !ci
    // SM90: tile.gemm {{.*}} #tile.mma<wgmma, m = 64, n = 64, k = 32,
    // SM80: tile.gemm {{.*}} #tile.mma<mma, m = 16, n = 8, k = 32,
    tile.gemm %ai, %bi, %ci {transpose_b, a_unsigned} : !ai, !ai, !ci
    %a4 = tile.alloc : !i4
    %b4 = tile.alloc : !i4
    // CHECK: tile.gemm {{.*}} #tile.mma<mma, m = 16, n = 8, k = 64,
    tile.gemm %a4, %b4, %ci {transpose_b} : !i4, !i4, !ci
    %ad = tile.alloc : !f64
    %bd = tile.alloc : !f64
    %cd = tile.alloc : !cf64
    // SM90: tile.gemm {{.*}} #tile.mma<mma, m = 16, n = 8, k = 16,
    // SM80: tile.gemm {{.*}} #tile.mma<mma, m = 8, n = 8, k = 4,
    tile.gemm %ad, %bd, %cd : !f64, !f64, !cf64
  }
  return
}

// Other names for the same bits have no swizzle in common.
// CHECK-LABEL: @views
func.func @views() {
  tile.kernel (%x) in (1) threads(128) {
    %a = tile.alloc : !a
    %bits = tile.alloc : memref<128x64xi16, #tile.shared>
    %b = tile.view %bits : memref<128x64xi16, #tile.shared> to !bt
    %c = tile.alloc : !c
    // CHECK: tile.gemm {{.*}} #tile.mma<mma,
    tile.gemm %a, %b, %c {transpose_b} : !a, !bt, !c
  }
  return
}

// 160 columns would be the largest instruction, but begin in the middle of 64 columns of B.
// CHECK-LABEL: @columns
func.func @columns() {
  tile.kernel (%x) in (1) threads(128) {
    %a = tile.alloc : memref<64x64xf16, #tile.shared>
    %b = tile.alloc : memref<64x320xf16, #tile.shared>
    %bt = tile.alloc : memref<320x64xf16, #tile.shared>
    %c = tile.alloc : memref<64x320xf32, #tile.fragment>
    // SM90: tile.gemm {{.*}} #tile.mma<wgmma, m = 64, n = 64, k = 16,
    tile.gemm %a, %b, %c : memref<64x64xf16, #tile.shared>, memref<64x320xf16, #tile.shared>, memref<64x320xf32, #tile.fragment>
    // SM90: tile.gemm {{.*}} #tile.mma<wgmma, m = 64, n = 160, k = 16,
    tile.gemm %a, %bt, %c {transpose_b} : memref<64x64xf16, #tile.shared>, memref<320x64xf16, #tile.shared>, memref<64x320xf32, #tile.fragment>
  }
  return
}

// A fill with zeros of what a gemm adds to is part of the gemm, if nothing touches the sums between them.
// CHECK-LABEL: func.func @overwrites
// CHECK: tile.fill %[[OTHER:.*]],
// CHECK-NOT: tile.fill
// CHECK: tile.gemm %{{.*}}, %{{.*}}, %[[SUMS:.*]] {clear,
// CHECK: tile.fill %[[SUMS]]
// CHECK: tile.copy %[[SUMS]]
// CHECK: tile.gemm %{{.*}}, %{{.*}}, %[[SUMS]] {instruction
// CHECK: tile.fill %[[SUMS]]
// CHECK: tile.gemm %{{.*}}, %{{.*}}, %[[SUMS]] {instruction
func.func @overwrites(%a: memref<64x64xf16, #tile.shared>, %b: memref<64x64xf16, #tile.shared>, %y: memref<64x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  tile.kernel (%k) in (1) threads(128) {
    %sums = tile.alloc : memref<64x64xf32, #tile.fragment>
    %other = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %sums, %zero : memref<64x64xf32, #tile.fragment>
    tile.fill %other, %zero : memref<64x64xf32, #tile.fragment>
    tile.gemm %a, %b, %sums : memref<64x64xf16, #tile.shared>, memref<64x64xf16, #tile.shared>, memref<64x64xf32, #tile.fragment>
    tile.fill %sums, %zero : memref<64x64xf32, #tile.fragment>
    tile.copy %sums, %y : memref<64x64xf32, #tile.fragment>, memref<64x64xf32>
    tile.gemm %a, %b, %sums : memref<64x64xf16, #tile.shared>, memref<64x64xf16, #tile.shared>, memref<64x64xf32, #tile.fragment>
    tile.fill %sums, %one : memref<64x64xf32, #tile.fragment>
    tile.gemm %a, %b, %sums : memref<64x64xf16, #tile.shared>, memref<64x64xf16, #tile.shared>, memref<64x64xf32, #tile.fragment>
    tile.copy %other, %y : memref<64x64xf32, #tile.fragment>, memref<64x64xf32>
  }
  return
}
