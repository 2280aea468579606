// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-infer-layout | FileCheck %s

// Rows of f32 that are bf16 in memory: a thread has eight neighbours, which are 16 bytes there.
// CHECK-LABEL: @narrow
// CHECK: %[[X:.*]] = tile.alloc {layout = #tile.layout<[1][4096: 4 reg*8, 4 warp, 32 lane, 8 reg]>} : memref<1x4096xf32, #tile.fragment>
func.func @narrow(%a: memref<16x4096xbf16>, %y: memref<16x4096xbf16>, %o: memref<16xf32>) {
  tile.kernel (%b) in (16) threads(128) {
    %x = tile.alloc : memref<1x4096xf32, #tile.fragment>
    %s = tile.alloc : memref<1xf32, #tile.fragment>
    tile.parallel (%i, %j) in (1, 4096) {
      %row = affine.apply affine_map<(b, i) -> (b + i)>(%b, %i)
      %v = memref.load %a[%row, %j] : memref<16x4096xbf16>
      %w = arith.extf %v : bf16 to f32
      memref.store %w, %x[%i, %j] : memref<1x4096xf32, #tile.fragment>
    }
    tile.reduce sum %x, %s dim(1) : memref<1x4096xf32, #tile.fragment>, memref<1xf32, #tile.fragment>
    tile.copy %s, %o[%b] : memref<1xf32, #tile.fragment>, memref<16xf32>
    tile.copy %x, %y[%b, 0] : memref<1x4096xf32, #tile.fragment>, memref<16x4096xbf16>
  }
  return
}

// One buffer of f32 among those in memory, be it only added to: four.
// CHECK-LABEL: @mixed
// CHECK: tile.alloc {layout = #tile.layout<[1][4096: 8 reg*4, 4 warp, 32 lane, 4 reg]>} : memref<1x4096xf32, #tile.fragment>
func.func @mixed(%a: memref<16x4096xbf16>, %g: memref<4096xf32>, %o: memref<16xf32>) {
  tile.kernel (%b) in (16) threads(128) {
    %x = tile.alloc : memref<1x4096xf32, #tile.fragment>
    %s = tile.alloc : memref<1xf32, #tile.fragment>
    tile.parallel (%i, %j) in (1, 4096) {
      %row = affine.apply affine_map<(b, i) -> (b + i)>(%b, %i)
      %v = memref.load %a[%row, %j] : memref<16x4096xbf16>
      %w = arith.extf %v : bf16 to f32
      memref.store %w, %x[%i, %j] : memref<1x4096xf32, #tile.fragment>
      tile.atomic add %w, %g[%j] : f32, memref<4096xf32>
    }
    tile.reduce sum %x, %s dim(1) : memref<1x4096xf32, #tile.fragment>, memref<1xf32, #tile.fragment>
    tile.copy %s, %o[%b] : memref<1xf32, #tile.fragment>, memref<16xf32>
  }
  return
}

// Iterations whose elements are apart in memory: nothing follows from these.
// CHECK-LABEL: @apart
// CHECK: tile.alloc {layout = #tile.layout<[1][4096: 8 reg*4, 4 warp, 32 lane, 4 reg]>} : memref<1x4096xf32, #tile.fragment>
func.func @apart(%a: memref<16x8192xbf16>, %y: memref<16x4096xbf16>, %o: memref<16xf32>) {
  tile.kernel (%b) in (16) threads(128) {
    %x = tile.alloc : memref<1x4096xf32, #tile.fragment>
    %s = tile.alloc : memref<1xf32, #tile.fragment>
    tile.parallel (%i, %j) in (1, 4096) {
      %row = affine.apply affine_map<(b, i) -> (b + i)>(%b, %i)
      %other = affine.apply affine_map<(j) -> (j * 2)>(%j)
      %v = memref.load %a[%row, %other] : memref<16x8192xbf16>
      %w = arith.extf %v : bf16 to f32
      memref.store %w, %x[%i, %j] : memref<1x4096xf32, #tile.fragment>
    }
    tile.reduce sum %x, %s dim(1) : memref<1x4096xf32, #tile.fragment>, memref<1xf32, #tile.fragment>
    tile.copy %s, %o[%b] : memref<1xf32, #tile.fragment>, memref<16xf32>
    tile.copy %x, %y[%b, 0] : memref<1x4096xf32, #tile.fragment>, memref<16x4096xbf16>
  }
  return
}

// Rows of which only the sums leave.
// CHECK-LABEL: @sums
// CHECK: tile.alloc {layout = #tile.layout<[1][4096: 8 reg*4, 4 warp, 32 lane, 4 reg]>} : memref<1x4096xf32, #tile.fragment>
func.func @sums(%a: memref<16x4096xbf16>, %o: memref<16xf32>) {
  tile.kernel (%b) in (16) threads(128) {
    %x = tile.alloc : memref<1x4096xf32, #tile.fragment>
    %s = tile.alloc : memref<1xf32, #tile.fragment>
    tile.parallel (%i, %j) in (1, 4096) {
      %row = affine.apply affine_map<(b, i) -> (b + i)>(%b, %i)
      %v = memref.load %a[%row, %j] : memref<16x4096xbf16>
      %w = arith.extf %v : bf16 to f32
      memref.store %w, %x[%i, %j] : memref<1x4096xf32, #tile.fragment>
    }
    tile.reduce sum %x, %s dim(1) : memref<1x4096xf32, #tile.fragment>, memref<1xf32, #tile.fragment>
    tile.copy %s, %o[%b] : memref<1xf32, #tile.fragment>, memref<16xf32>
  }
  return
}

// Rows in shared memory, beside others that are read from global memory.
// CHECK-LABEL: @staged
// CHECK: tile.alloc {layout = #tile.layout<[1][4096: 8 reg*4, 4 warp, 32 lane, 4 reg]>} : memref<1x4096xf32, #tile.fragment>
func.func @staged(%a: memref<16x4096xbf16>, %w: memref<4096xbf16>, %y: memref<16x4096xbf16>, %o: memref<16xf32>) {
  tile.kernel (%b) in (16) threads(128) {
    %xs = tile.alloc : memref<1x4096xbf16, #tile.shared>
    %x = tile.alloc : memref<1x4096xf32, #tile.fragment>
    %s = tile.alloc : memref<1xf32, #tile.fragment>
    tile.copy %a[%b, 0], %xs : memref<16x4096xbf16>, memref<1x4096xbf16, #tile.shared>
    tile.parallel (%i, %j) in (1, 4096) {
      %v = memref.load %xs[%i, %j] : memref<1x4096xbf16, #tile.shared>
      %back = affine.apply affine_map<(j) -> (4095 - j)>(%j)
      %u = memref.load %xs[%i, %back] : memref<1x4096xbf16, #tile.shared>
      %g = memref.load %w[%j] : memref<4096xbf16>
      %p = arith.mulf %v, %g : bf16
      %q = arith.addf %p, %u : bf16
      %f = arith.extf %q : bf16 to f32
      memref.store %f, %x[%i, %j] : memref<1x4096xf32, #tile.fragment>
    }
    tile.reduce sum %x, %s dim(1) : memref<1x4096xf32, #tile.fragment>, memref<1xf32, #tile.fragment>
    tile.copy %s, %o[%b] : memref<1xf32, #tile.fragment>, memref<16xf32>
    tile.copy %x, %y[%b, 0] : memref<1x4096xf32, #tile.fragment>, memref<16x4096xbf16>
  }
  return
}

// A sum of the row, as wide as it may be, is no neighbour of another.
// CHECK-LABEL: @shared_result
// CHECK: tile.parallel {{.*}} {layout = #tile.layout<[1][4096: 4 reg*8, 4 warp, 32 lane, 8 reg]>}
func.func @shared_result(%a: memref<16x4096xbf16>, %o: memref<16xf32>, %y: memref<16x4096xbf16>) {
  tile.kernel (%b) in (16) threads(128) {
    %xs = tile.alloc : memref<1x4096xbf16, #tile.shared>
    tile.copy %a[%b, 0], %xs : memref<16x4096xbf16>, memref<1x4096xbf16, #tile.shared>
    tile.parallel (%i, %j) in (1, 4096) {
      %v = memref.load %xs[%i, %j] : memref<1x4096xbf16, #tile.shared>
      %s = memref.load %o[%b] : memref<16xf32>
      %n = arith.truncf %s : f32 to bf16
      %p = arith.mulf %v, %n : bf16
      memref.store %p, %y[%b, %j] : memref<16x4096xbf16>
    }
  }
  return
}
