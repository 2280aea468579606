// A gemm of 4-bit integers divided by zero in the compiler.
//
// REQUIRES: tile-run
// RUN: not tile-run --no-notes --target=ascend %s 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not tile-run --no-notes --target=ascend --chip=950 %s 2>&1 | FileCheck %s --check-prefix=ERROR

// ERROR: error: elements of type 'i4' have no place on Ascend; widen them to i8, or keep two in an i8

func.func @p12(%a: memref<64x32xi4>, %b: memref<32x64xi4>, %c: memref<64x64xi32> {tile.result}) attributes {tile.atol = 1.0e-4, tile.rtol = 1.0e-5} {
  tile.kernel (%k) in (1) threads(128) {
    %as = tile.alloc : memref<64x32xi4, #tile.shared>
    %bs = tile.alloc : memref<32x64xi4, #tile.shared>
    %f = tile.alloc : memref<64x64xi32, #tile.fragment>
    tile.copy %a, %as : memref<64x32xi4>, memref<64x32xi4, #tile.shared>
    tile.copy %b, %bs : memref<32x64xi4>, memref<32x64xi4, #tile.shared>
    tile.gemm %as, %bs, %f {clear} : memref<64x32xi4, #tile.shared>, memref<32x64xi4, #tile.shared>, memref<64x64xi32, #tile.fragment>
    tile.copy %f, %c : memref<64x64xi32, #tile.fragment>, memref<64x64xi32>
  }
  return
}
