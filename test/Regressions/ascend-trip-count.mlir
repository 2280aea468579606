// A number of iterations that is read from memory, by both cores.
//
// REQUIRES: tile-run
// RUN: tile-run --no-notes --target=ascend %s | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run --no-notes --target=ascend --chip=950 %s | FileCheck %s --check-prefix=RIGHT

// RIGHT: 1 passed, 0 failed

func.func @lenread(%q: memref<16x64xf16>, %k: memref<256x64xf16>, %len: memref<?xi32> {tile.shape = "L", tile.init = "integers(1,4)"}, %y: memref<16xf32> {tile.result}) attributes {tile.cases = ["L=1"]} {
  %c0 = arith.constant 0 : index
  %low = arith.constant -1.0e9 : f32
  tile.kernel (%b) in (1) threads(128) {
    %qs = tile.alloc : memref<16x64xf16, #tile.shared>
    %ks = tile.alloc : memref<64x64xf16, #tile.shared>
    %s = tile.alloc : memref<16x64xf32, #tile.fragment>
    %m = tile.alloc : memref<16xf32, #tile.fragment>
    tile.fill %m, %low : memref<16xf32, #tile.fragment>
    tile.copy %q, %qs : memref<16x64xf16>, memref<16x64xf16, #tile.shared>
    %l32 = memref.load %len[%c0] : memref<?xi32>
    %l = arith.index_cast %l32 : i32 to index
    tile.pipelined %t = 0 to %l stages(1) {
      tile.copy %k[%t * 64, 0], %ks : memref<256x64xf16>, memref<64x64xf16, #tile.shared>
      tile.gemm %qs, %ks, %s {clear, transpose_b} : memref<16x64xf16, #tile.shared>, memref<64x64xf16, #tile.shared>, memref<16x64xf32, #tile.fragment>
      tile.reduce max %s, %m dim(1) {combine} : memref<16x64xf32, #tile.fragment>, memref<16xf32, #tile.fragment>
    }
    tile.copy %m, %y : memref<16xf32, #tile.fragment>, memref<16xf32>
  }
  return
}
