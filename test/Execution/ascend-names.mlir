// REQUIRES: tile-run
// RUN: tile-run --target=ascend %s | FileCheck %s
// RUN: tile-run --target=ascend --chip=950 %s | FileCheck %s

// Names of the source in Ascend C, beside those of parameters, with which a name and a number may collide: extents of the grid
// are s0 and s1, those of buffers gm_…_d0, tensors in GM g_….

// CHECK-NOT: FAIL
// CHECK: {{^}}4 passed, 0 failed

!bins = memref<256xi32>

func.func @histogram(%x: memref<?xi8> {tile.shape = "N", tile.init = "integers(-128, 127)"},
                     %h: !bins {tile.result, tile.init = "zeros"})
    attributes {tile.reference = @histogram_reference, tile.cases = ["N=2000", "N=1"]} {
  tile.kernel (%b) in (ceildiv(dim(%x, 0), 1024)) threads(128) {
    %s = tile.alloc : memref<256xi32, #tile.shared>
    tile.fill %s, 0
    tile.parallel (%i) in (1024) do {
      if %b * 1024 + %i < dim(%x, 0) {
        tile.atomic add 1, %s[index(and(i32(%x[%b * 1024 + %i]), 255))]
      }
    }
    tile.atomic add %s, %h[0] : memref<256xi32, #tile.shared>, !bins
  }
  return
}

func.func private @histogram_reference(%x: memref<?xi8>, %h: !bins) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %mask = arith.constant 255 : i32
  %n = memref.dim %x, %c0 : memref<?xi8>
  affine.for %i = 0 to %n {
    %v = affine.load %x[%i] : memref<?xi8>
    %w = arith.extsi %v : i8 to i32
    %u = arith.andi %w, %mask : i32
    %bin = arith.index_cast %u : i32 to index
    %old = memref.load %h[%bin] : !bins
    %new = arith.addi %old, %one : i32
    memref.store %new, %h[%bin] : !bins
  }
  return
}

func.func @taken(%a0: memref<?x64xf32> {tile.shape = "Nx64"}, %a1: memref<?x64xf32> {tile.shape = "Nx64"},
                 %y: memref<?x64xf32> {tile.shape = "Nx64", tile.result})
    attributes {tile.reference = @taken_reference, tile.cases = ["N=20", "N=1"]} {
  tile.kernel (%block, %int) in (ceildiv(dim(%a0, 0), 8), 1) threads(64) {
    %g_a = tile.alloc : memref<8x64xf32, #tile.shared>
    %gm_a0_d = tile.alloc : memref<8x64xf32, #tile.shared>
    %gm_a = tile.alloc : memref<8x64xf32, #tile.shared>
    %s = tile.alloc : memref<8xf32, #tile.shared>
    %UB = tile.alloc : memref<8x64xf32, #tile.shared>
    tile.copy %a0[%block * 8 + %int, 0], %g_a
    tile.copy %a1[%block * 8, 0], %gm_a0_d
    tile.parallel (%i, %inside) in (8, 64) do %gm_a[%i, %inside] = %g_a[%i, %inside] * %gm_a0_d[%i, %inside]
    tile.reduce max %gm_a, %s dim(1)
    tile.parallel (%n, %v) in (8, 64) do %UB[%n, %v] = %gm_a[%n, %v] - %s[%n]
    tile.copy %UB, %y[%block * 8, 0]
  }
  return
}

func.func private @taken_reference(%a: memref<?x64xf32>, %b: memref<?x64xf32>, %y: memref<?x64xf32>) {
  %c0 = arith.constant 0 : index
  %least = arith.constant 0xFF800000 : f32
  %n = memref.dim %a, %c0 : memref<?x64xf32>
  affine.for %i = 0 to %n {
    %most = affine.for %j = 0 to 64 iter_args(%old = %least) -> f32 {
      %u = affine.load %a[%i, %j] : memref<?x64xf32>
      %v = affine.load %b[%i, %j] : memref<?x64xf32>
      %p = arith.mulf %u, %v : f32
      %new = arith.maximumf %old, %p : f32
      affine.yield %new : f32
    }
    affine.for %j = 0 to 64 {
      %u = affine.load %a[%i, %j] : memref<?x64xf32>
      %v = affine.load %b[%i, %j] : memref<?x64xf32>
      %p = arith.mulf %u, %v : f32
      %d = arith.subf %p, %most : f32
      affine.store %d, %y[%i, %j] : memref<?x64xf32>
    }
  }
  return
}
