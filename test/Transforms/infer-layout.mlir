// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-infer-layout | FileCheck %s
// The result is a fixed point.
// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-infer-layout --tile-infer-layout | FileCheck %s

!a = memref<128x32xf16, #tile.shared>
!b = memref<32x128xf16, #tile.shared>
!c = memref<128x128xf32, #tile.fragment>

// Strict: the accumulator of the instruction, and the loop that follows it.
// CHECK-LABEL: @wgmma
func.func @wgmma(%out: memref<128x128xf16>) {
  tile.kernel (%x) in (1) threads(128) {
    // CHECK: tile.alloc {layout = #tile.layout<[128: 128 offset*32][32: 32 offset] swizzle(2, 3, 3)>}
    %a = tile.alloc : !a
    // CHECK: tile.alloc {layout = #tile.layout<[32: 32 offset*64][128: 2 offset*2048, 64 offset] swizzle(3, 3, 3)>}
    %b = tile.alloc : !b
    // CHECK: tile.alloc {layout = #tile.layout<[128: 2 reg*64, 4 warp, 2 reg*2, 8 lane*4][128: 16 reg*4, 4 lane, 2 reg]>}
    %c = tile.alloc : !c
    tile.gemm %a, %b, %c {instruction = #tile.mma<wgmma, m = 64, n = 128, k = 16, warps_m = 4, warps_n = 1>} : !a, !b, !c
    // CHECK: tile.parallel {{.*}} {layout = #tile.layout<[128: 2 reg*64, 4 warp, 2 reg*2, 8 lane*4][128: 16 reg*4, 4 lane, 2 reg]>}
    tile.parallel (%i, %j) in (128, 128) {
      %v = memref.load %c[%i, %j] : !c
      %w = arith.addf %v, %v : f32
      memref.store %w, %c[%i, %j] : !c
    }
    // Transposed: dimension 0 of the loop is dimension 1 of the tile.
    // CHECK: tile.parallel {{.*}} {layout = #tile.layout<[128: 16 reg*4, 4 lane, 2 reg][128: 2 reg*64, 4 warp, 2 reg*2, 8 lane*4]>}
    tile.parallel (%j, %i) in (128, 128) {
      %v = memref.load %c[%i, %j] : !c
      %h = arith.truncf %v : f32 to f16
      memref.store %h, %out[%i, %j] : memref<128x128xf16>
    }
  }
  return
}

// Operands in registers, one of them transposed.
// CHECK-LABEL: @mma
func.func @mma() {
  tile.kernel (%x) in (1) threads(128) {
    // A is replicated over the warps along N, and stored K x M.
    // CHECK: tile.alloc {layout = #tile.layout<[16: 2 reg*4, 4 lane, 2 reg][64: 2 warp, 2 reg*8, 2 reg*2, 8 lane*4] rep(2 warp*2)>}
    %a = tile.alloc : memref<16x64xf16, #tile.fragment>
    // CHECK: tile.alloc {layout = #tile.layout<[16: 2 reg*2, 4 lane, 2 reg][32: 2 warp*2, 2 reg*4, 8 lane*4] rep(2 warp)>}
    %b = tile.alloc : memref<16x32xf16, #tile.fragment>
    // CHECK: tile.alloc {layout = #tile.layout<[64: 2 warp, 2 reg*8, 2 reg*2, 8 lane*4][32: 2 warp*2, 2 reg*4, 4 lane, 2 reg]>}
    %c = tile.alloc : memref<64x32xf32, #tile.fragment>
    tile.gemm %a, %b, %c {transpose_a, instruction = #tile.mma<mma, m = 16, n = 8, k = 16, warps_m = 2, warps_n = 2>}
        : memref<16x64xf16, #tile.fragment>, memref<16x32xf16, #tile.fragment>, memref<64x32xf32, #tile.fragment>
  }
  return
}

// Common: a reduction, a copy, a loop over the rows, a broadcast.
// CHECK-LABEL: @rows
func.func @rows(%x: memref<64x32xf32>, %y: memref<64x32xf32>) {
  tile.kernel (%b) in (1) threads(128) {
    // CHECK: tile.alloc {layout = #tile.layout<[64: 4 reg*4, 4 warp, 4 lane*8][32: 8 lane, 4 reg]>} : memref<64x32xf32
    %t = tile.alloc : memref<64x32xf32, #tile.fragment>
    // CHECK-NEXT: tile.alloc {layout = #tile.layout<[64: 4 reg, 4 warp, 4 lane*8] rep(8 lane)>} : memref<64xf32
    %r = tile.alloc : memref<64xf32, #tile.fragment>
    // CHECK-NEXT: tile.alloc {layout = #tile.layout<[64: 4 reg, 4 warp, 4 lane*8] rep(8 lane)>} : memref<64xf32
    %s = tile.alloc : memref<64xf32, #tile.fragment>
    // CHECK-NEXT: tile.alloc {layout = #tile.layout<[64: 4 reg, 4 warp, 4 lane*8][1] rep(8 lane)>} : memref<64x1xf32
    %k = tile.alloc : memref<64x1xf32, #tile.fragment>
    tile.copy %x, %t : memref<64x32xf32>, memref<64x32xf32, #tile.fragment>
    tile.reduce max %t, %r dim(1) : memref<64x32xf32, #tile.fragment>, memref<64xf32, #tile.fragment>
    tile.reduce sum %t, %k dim(1) : memref<64x32xf32, #tile.fragment>, memref<64x1xf32, #tile.fragment>
    tile.copy %r, %s : memref<64xf32, #tile.fragment>, memref<64xf32, #tile.fragment>
    // CHECK: tile.parallel (%{{.*}}) in (64) attributes {layout = #tile.layout<[64: 4 reg, 4 warp, 4 lane*8] rep(8 lane)>}
    tile.parallel (%i) in (64) {
      %v = memref.load %s[%i] : memref<64xf32, #tile.fragment>
      %w = arith.negf %v : f32
      memref.store %w, %s[%i] : memref<64xf32, #tile.fragment>
    }
    // CHECK: tile.parallel {{.*}} in (64, 32) attributes {layout = #tile.layout<[64: 4 reg*4, 4 warp, 4 lane*8][32: 8 lane, 4 reg]>}
    tile.parallel (%i, %j) in (64, 32) {
      %c0 = arith.constant 0 : index
      %v = memref.load %t[%i, %j] : memref<64x32xf32, #tile.fragment>
      %w = memref.load %s[%i] : memref<64xf32, #tile.fragment>
      %u = memref.load %k[%i, %c0] : memref<64x1xf32, #tile.fragment>
      %p = arith.mulf %v, %w : f32
      %q = arith.mulf %p, %u : f32
      memref.store %q, %y[%i, %j] : memref<64x32xf32>
    }
  }
  return
}

// Free: any extents, few elements, few threads.
// CHECK-LABEL: @free
func.func @free(%x: memref<229xf32>, %y: memref<3x5xf16>, %z: memref<1024xf16>) {
  tile.kernel (%b) in (1) threads(128) {
    // CHECK: tile.alloc {layout = #tile.layout<[229: 2 reg, 4 warp, 32 lane]>}
    %t = tile.alloc : memref<229xf32, #tile.fragment>
    // CHECK-NEXT: tile.alloc {layout = #tile.layout<[3: 3 lane*8][5: 5 lane] rep(4 warp)>}
    %u = tile.alloc : memref<3x5xf16, #tile.fragment>
    tile.copy %x, %t : memref<229xf32>, memref<229xf32, #tile.fragment>
    tile.copy %y, %u : memref<3x5xf16>, memref<3x5xf16, #tile.fragment>
  }
  // 40 threads are two warps.
  tile.kernel (%b) in (1) threads(40) {
    // CHECK: tile.alloc {layout = #tile.layout<[1024: 2 reg*8, 2 warp, 32 lane, 8 reg]>}
    %t = tile.alloc : memref<1024xf16, #tile.fragment>
    tile.copy %z, %t : memref<1024xf16>, memref<1024xf16, #tile.fragment>
  }
  // One thread is one warp; iterations without fragments have no copies.
  tile.kernel (%b) in (1) threads(1) {
    // CHECK: tile.parallel {{.*}} in (1) attributes {layout = #tile.layout<[1]>}
    tile.parallel (%i) in (1) {
      %v = memref.load %x[%i] : memref<229xf32>
      memref.store %v, %x[%i] : memref<229xf32>
    }
    // CHECK: tile.parallel {{.*}} in (64) coalesced_width(1) attributes {layout = #tile.layout<[64: 2 reg, 32 lane]>}
    tile.parallel (%i) in (64) coalesced_width(1) {
      %v = memref.load %x[%i] : memref<229xf32>
      memref.store %v, %x[%i] : memref<229xf32>
    }
  }
  return
}

// What a reduction runs over stays inside of a warp.
// CHECK-LABEL: @columns
func.func @columns() {
  tile.kernel (%b) in (1) threads(128) {
    // CHECK: tile.alloc {layout = #tile.layout<[64: 64 reg*8][1024: 2 reg*4, 4 warp, 32 lane, 4 reg]>}
    %t = tile.alloc : memref<64x1024xf32, #tile.fragment>
    %r = tile.alloc : memref<1024xf32, #tile.fragment>
    tile.reduce max %t, %r dim(0) : memref<64x1024xf32, #tile.fragment>, memref<1024xf32, #tile.fragment>
  }
  return
}
