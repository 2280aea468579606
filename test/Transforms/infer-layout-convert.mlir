// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-infer-layout | FileCheck %s

!c = memref<64x64xf16, #tile.fragment>
!b = memref<64x64xf16, #tile.shared>

// The sum of one product is the operand of the next one: two strict layouts.
// CHECK-LABEL: @chain
func.func @chain() {
  tile.kernel (%x) in (1) threads(128) {
    %a = tile.alloc : !b
    %b = tile.alloc : !b
    // CHECK: %[[C:.*]] = tile.alloc {layout = #tile.layout<[64: 2 warp, 2 reg*16, 2 reg*2, 8 lane*4][64: 2 warp*2, 4 reg*4, 4 lane, 2 reg]>}
    %c = tile.alloc : !c
    %d = tile.alloc : !c
    tile.gemm %a, %b, %c {clear, instruction = #tile.mma<mma, m = 16, n = 8, k = 16, warps_m = 2, warps_n = 2>} : !b, !b, !c
    // CHECK: %[[A:.*]] = tile.alloc {layout = #tile.layout<[64: 2 warp, 2 reg*32, 2 reg*2, 8 lane*4][64: 8 reg*4, 4 lane, 2 reg] rep(2 warp*2)>}
    // CHECK: tile.copy %[[C]], %[[A]]
    // CHECK-NEXT: tile.gemm %[[A]],
    tile.gemm %c, %b, %d {instruction = #tile.mma<mma, m = 16, n = 8, k = 16, warps_m = 2, warps_n = 2>} : !c, !b, !c
  }
  return
}

// A loop over two products that lie differently: the one it writes decides.
// CHECK-LABEL: @two_products
func.func @two_products() {
  tile.kernel (%x) in (1) threads(128) {
    %a = tile.alloc : !b
    %b = tile.alloc : !b
    %c = tile.alloc : !c
    // CHECK: %[[D:.*]] = tile.alloc {layout = #tile.layout<[64: 4 warp, 2 reg*2, 8 lane*4][64: 8 reg*4, 4 lane, 2 reg]>}
    %c2 = tile.alloc : !c
    // CHECK: tile.gemm %{{.*}}, %{{.*}}, %[[C:[0-9]+]] {instruction = #tile.mma<mma
    tile.gemm %a, %b, %c {instruction = #tile.mma<mma, m = 16, n = 8, k = 16, warps_m = 2, warps_n = 2>} : !b, !b, !c
    tile.gemm %a, %b, %c2 {instruction = #tile.mma<mma, m = 16, n = 8, k = 16, warps_m = 4, warps_n = 1>} : !b, !b, !c
    // CHECK: %[[E:.*]] = tile.alloc {layout = #tile.layout<[64: 4 warp, 2 reg*2, 8 lane*4][64: 8 reg*4, 4 lane, 2 reg]>}
    // CHECK-NEXT: tile.copy %[[C]], %[[E]]
    // CHECK-NEXT: tile.parallel {{.*}} {layout = #tile.layout<[64: 4 warp, 2 reg*2, 8 lane*4][64: 8 reg*4, 4 lane, 2 reg]>}
    // CHECK-NEXT: memref.load %[[E]]
    // CHECK-NEXT: memref.load %[[D]]
    tile.parallel (%i, %j) in (64, 64) {
      %u = memref.load %c[%i, %j] : !c
      %v = memref.load %c2[%i, %j] : !c
      %w = arith.addf %u, %v : f16
      memref.store %w, %c2[%i, %j] : !c
    }
    // The other way round: read, changed where the loop is, and written back.
    // CHECK: tile.parallel
    // CHECK: tile.copy %[[D]], %[[F:.*]] {
    // CHECK-NEXT: tile.parallel {{.*}} {layout = #tile.layout<[64: 2 warp
    // CHECK: scf.if
    // CHECK-NEXT: memref.store %{{.*}}, %[[F]]
    // CHECK: tile.copy %[[F]], %[[D]]
    tile.parallel (%i, %j) in (64, 64) {
      %u = memref.load %c[%i, %j] : !c
      memref.store %u, %c[%i, %j] : !c
    }
    tile.parallel (%i, %j) in (64, 64) {
      %u = memref.load %c[%i, %j] : !c
      memref.store %u, %c[%i, %j] : !c
      %some = arith.cmpi ult, %i, %j : index
      scf.if %some {
        memref.store %u, %c2[%i, %j] : !c
      }
    }
  }
  return
}

// Operands that an op cannot use where they are.
// CHECK-LABEL: @placement
func.func @placement(%g: memref<64x64xf32>) {
  tile.kernel (%x) in (1) threads(128) {
    // CHECK: %[[S:.*]] = tile.alloc {{.*}} : memref<64x64xf32, #tile.shared>
    %s = tile.alloc : memref<64x64xf32, #tile.shared>
    // CHECK: %[[R:.*]] = tile.alloc {{.*}} : memref<64xf32, #tile.shared>
    %r = tile.alloc : memref<64xf32, #tile.shared>
    // CHECK: %[[SF:.*]] = tile.alloc {{.*}} : memref<64x64xf32, #tile.fragment>
    // CHECK: tile.copy %[[S]], %[[SF]]
    // CHECK: %[[RF:.*]] = tile.alloc {{.*}} : memref<64xf32, #tile.fragment>
    // CHECK: tile.copy %[[R]], %[[RF]]
    // CHECK-NEXT: tile.reduce sum %[[SF]], %[[RF]] dim(1) {combine}
    // CHECK-NEXT: tile.copy %[[RF]], %[[R]]
    tile.reduce sum %s, %r dim(1) {combine} : memref<64x64xf32, #tile.shared>, memref<64xf32, #tile.shared>
    // Not combined: the old content is not needed.
    // CHECK-NOT: tile.copy %[[R]]
    // CHECK: tile.reduce max
    tile.reduce max %s, %r dim(1) : memref<64x64xf32, #tile.shared>, memref<64xf32, #tile.shared>
    // Multiply-adds read rows and columns of other threads.
    // CHECK: %[[A:.*]] = tile.alloc {layout = #tile.layout<[64: 64 offset*64][64: 64 offset]>} : memref<64x64xf32, #tile.shared>
    // CHECK: tile.copy %{{.*}}, %[[A]]
    // CHECK: tile.gemm %[[A]], %[[S]]
    %a = tile.alloc : memref<64x64xf32, #tile.fragment>
    %c = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.gemm %a, %s, %c {instruction = #tile.mma<fma, m = 1, n = 1, k = 1, warps_m = 2, warps_n = 2>}
        : memref<64x64xf32, #tile.fragment>, memref<64x64xf32, #tile.shared>, memref<64x64xf32, #tile.fragment>
  }
  return
}

// Elements that another thread may own.
// CHECK-LABEL: @gather
func.func @gather(%index: memref<128xindex>, %out: memref<128xf32>) {
  %c5 = arith.constant 5 : index
  tile.kernel (%x) in (1) threads(128) {
    // CHECK: %[[F:.*]] = tile.alloc {layout = #tile.layout<[128: 4 warp, 32 lane]>} : memref<128xf32, #tile.fragment>
    %f = tile.alloc : memref<128xf32, #tile.fragment>
    %g = tile.alloc : memref<128xf32, #tile.fragment>
    // CHECK: %[[S:.*]] = tile.alloc {{.*}} : memref<128xf32, #tile.shared>
    // CHECK: tile.copy %[[F]], %[[S]]
    // CHECK-NEXT: tile.parallel
    // CHECK: memref.load %[[S]]
    tile.parallel (%i) in (128) {
      %j = memref.load %index[%i] : memref<128xindex>
      %v = memref.load %f[%j] : memref<128xf32, #tile.fragment>
      memref.store %v, %out[%i] : memref<128xf32>
    }
    // A store the other way round: all of it goes there and back.
    // CHECK: tile.copy %{{.*}}, %[[T:.*]] {instruction
    // CHECK-NEXT: tile.parallel
    // CHECK: memref.store %{{.*}}, %[[T]]
    // CHECK: tile.copy %[[T]], %
    tile.parallel (%i) in (127) {
      %j = affine.apply affine_map<(i) -> (127 - i)>(%i)
      %v = memref.load %out[%i] : memref<128xf32>
      memref.store %v, %g[%j] : memref<128xf32, #tile.fragment>
    }
    // One element for all threads.
    // CHECK: tile.copy %[[F]], %[[U:.*]] {instruction
    // CHECK-NEXT: memref.load %[[U]][%c5]
    %v = memref.load %f[%c5] : memref<128xf32, #tile.fragment>
    memref.store %v, %out[%c5] : memref<128xf32>
  }
  return
}

// A schedule by hand stays complete: the new copies go with their op.
// CHECK-LABEL: @schedule
func.func @schedule(%a: memref<64x1024xf32>, %out: memref<64xf32>) {
  tile.kernel (%x) in (1) threads(128) {
    %t = tile.alloc : memref<64x64xf32, #tile.shared>
    %r = tile.alloc : memref<64xf32, #tile.fragment>
    // CHECK: tile.pipelined {{.*}} order(2, 0, 1) stage(0, 1, 1)
    tile.pipelined %k = 0 to 16 stages(2) order(1, 0) stage(0, 1) {
      tile.copy %a[0, %k * 64], %t : memref<64x1024xf32>, memref<64x64xf32, #tile.shared>
      tile.reduce sum %t, %r dim(1) {combine} : memref<64x64xf32, #tile.shared>, memref<64xf32, #tile.fragment>
    }
  }
  return
}

// Two elements of one fragment in one iteration: another thread's, through shared memory.
// CHECK-LABEL: @outer_product
func.func @outer_product(%v: memref<64xf32>, %y: memref<64x64xf32>) {
  tile.kernel (%b) in (1) threads(128) {
    %f = tile.alloc : memref<64xf32, #tile.fragment>
    tile.copy %v, %f : memref<64xf32>, memref<64xf32, #tile.fragment>
    // CHECK: tile.copy %[[F:.*]], %[[S:.*]] {instruction = #tile.transfer<sync>}
    // CHECK: tile.parallel
    // CHECK-DAG: memref.load %[[S]][%i]
    // CHECK-DAG: memref.load %[[S]][%j]
    tile.parallel (%i, %j) in (64, 64) {
      %p = memref.load %f[%i] : memref<64xf32, #tile.fragment>
      %q = memref.load %f[%j] : memref<64xf32, #tile.fragment>
      %r = arith.mulf %p, %q : f32
      memref.store %r, %y[%i, %j] : memref<64x64xf32>
    }
    // A loop that never runs, and one of unknown extent.
    // CHECK: tile.parallel (%{{.*}}) in (0) {
    tile.parallel (%i) in (0) {
      %p = memref.load %f[%i] : memref<64xf32, #tile.fragment>
      memref.store %p, %v[%i] : memref<64xf32>
    }
  }
  return
}

// One tile is both operands, in two layouts: it goes through shared memory.
// CHECK-LABEL: @squared
func.func @squared() {
  tile.kernel (%x) in (1) threads(128) {
    %a = tile.alloc : !c
    %c = tile.alloc : memref<64x64xf32, #tile.fragment>
    // CHECK: %[[S:.*]] = tile.alloc {layout = {{.*}}} : memref<64x64xf16, #tile.shared>
    // CHECK-NEXT: tile.copy %{{.*}}, %[[S]]
    // CHECK-NEXT: tile.gemm %[[S]], %[[S]],
    tile.gemm %a, %a, %c {clear, transpose_b, instruction = #tile.mma<mma, m = 16, n = 8, k = 16, warps_m = 2, warps_n = 2>}
        : !c, !c, memref<64x64xf32, #tile.fragment>
  }
  return
}
