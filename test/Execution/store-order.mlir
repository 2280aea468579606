// Blocks that write side by side start one after the other: each point of the grid is computed all the same, once.

// REQUIRES: tile-run
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_80 --device=model | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx942 --device=model | FileCheck %s
// RUN: tile-opt %s --tile-to-gpu-pipeline=chip=sm_90a --remarks-filter='tile-persistent' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ORDER
// CHECK: {{^}}14 passed, 0 failed{{$}}
// ORDER-COUNT-2: [Passed] StoreOrder

!any = memref<?x?xf32>
!tile = memref<64x32xf32, #tile.shared>
!out = memref<32x64xf32, #tile.fragment>
func.func @transpose(%x: !any {tile.shape = "MxN"}, %y: !any {tile.shape = "NxM", tile.result})
    attributes {tile.reference = @transpose_reference, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["M=64 N=32", "M=256 N=64", "M=100 N=60", "M=17 N=1", "M=1 N=33", "M=0 N=32", "M=16 N=0"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : !any
  %n = memref.dim %x, %c1 : !any
  %across = affine.apply affine_map<(n) -> (n ceildiv 32)>(%n)
  %down = affine.apply affine_map<(m) -> (m ceildiv 64)>(%m)
  tile.kernel (%i, %j) in (%across, %down) threads(64) {
    %s = tile.alloc : !tile
    %t = tile.alloc : !out
    tile.copy %x[%j * 64, %i * 32], %s : !any, !tile
    tile.transpose %s, %t : !tile, !out
    tile.copy %t, %y[%i * 32, %j * 64] : !out, !any
  }
  return
}
func.func @transpose_reference(%x: !any, %y: !any) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : !any
  %n = memref.dim %x, %c1 : !any
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %v = affine.load %x[%i, %j] : !any
      affine.store %v, %y[%j, %i] : !any
    }
  }
  return
}

// Of three dimensions, and rows along y in the source as well.
!cube = memref<?x?x?xi32>
func.func @scale(%x: !cube {tile.shape = "BxMxN", tile.init = "iota"}, %y: !cube {tile.shape = "BxMxN", tile.result})
    attributes {tile.reference = @scale_reference,
                tile.cases = ["B=2 M=3 N=128", "B=3 M=9 N=40", "B=1 M=8 N=1", "B=2 M=1 N=33", "B=5 M=20 N=70", "B=0 M=8 N=32",
                              "B=2 M=8 N=0"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %b = memref.dim %x, %c0 : !cube
  %m = memref.dim %x, %c1 : !cube
  %n = memref.dim %x, %c2 : !cube
  %down = affine.apply affine_map<(m) -> (m ceildiv 8)>(%m)
  %across = affine.apply affine_map<(n) -> (n ceildiv 64)>(%n)
  tile.kernel (%i, %j, %k) in (%down, %across, %b) threads(64) {
    %t = tile.alloc : memref<1x8x64xi32, #tile.fragment>
    tile.copy %x[%k, %i * 8, %j * 64], %t : !cube, memref<1x8x64xi32, #tile.fragment>
    tile.parallel (%a, %c, %d) in (1, 8, 64) do %t[%a, %c, %d] = %t[%a, %c, %d] * 3
    tile.copy %t, %y[%k, %i * 8, %j * 64] : memref<1x8x64xi32, #tile.fragment>, !cube
  }
  return
}
func.func @scale_reference(%x: !cube, %y: !cube) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %three = arith.constant 3 : i32
  %b = memref.dim %x, %c0 : !cube
  %m = memref.dim %x, %c1 : !cube
  %n = memref.dim %x, %c2 : !cube
  affine.for %i = 0 to %b {
    affine.for %j = 0 to %m {
      affine.for %k = 0 to %n {
        %v = affine.load %x[%i, %j, %k] : !cube
        %w = arith.muli %v, %three : i32
        affine.store %w, %y[%i, %j, %k] : !cube
      }
    }
  }
  return
}
