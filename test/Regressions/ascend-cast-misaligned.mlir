// Rows of odd lengths of bytes: a conversion began where no vector may.
//
// REQUIRES: tile-run
// RUN: tile-run --no-notes --target=ascend M=5 N=37 %s | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run --no-notes --target=ascend --chip=950 M=5 N=37 %s | FileCheck %s --check-prefix=RIGHT

// RIGHT: 1 passed, 0 failed

func.func @k(%a: memref<?x?xi8> {tile.shape = "MxN"}, %b: memref<?x?xi8> {tile.shape = "MxN"}, %c: memref<?x?xi8> {tile.shape = "MxN", tile.result}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %a, %c0 : memref<?x?xi8>
  %n = memref.dim %a, %c1 : memref<?x?xi8>
  %np = affine.apply affine_map<(d0) -> (d0 ceildiv 7)>(%m)
  %nq = affine.apply affine_map<(d0) -> (d0 ceildiv 32)>(%n)
  tile.kernel (%p, %q) in (%np, %nq) {
    %v1 = tile.alloc : memref<7x32xi8, #tile.fragment>
    tile.copy %a[%p * 7, %q * 32], %v1 : memref<?x?xi8>, memref<7x32xi8, #tile.fragment>
    %v2 = tile.alloc : memref<7x32xi8, #tile.shared>
    tile.copy %b[%p * 7, %q * 32], %v2 : memref<?x?xi8>, memref<7x32xi8, #tile.shared>
    %v3 = tile.alloc : memref<7x32xi8, #tile.fragment>
    %v4 = arith.constant 0 : i8
    tile.fill %v3, %v4 : memref<7x32xi8, #tile.fragment>
    tile.copy %v2[2, 3] [2, 12], %v3[0, 12] [2, 12] : memref<7x32xi8, #tile.shared>, memref<7x32xi8, #tile.fragment>
    tile.copy %v3, %c[%p * 7, %q * 32] : memref<7x32xi8, #tile.fragment>, memref<?x?xi8>
  }
  return
}
