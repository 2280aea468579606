// Rows that are longer than a tensor copy may be: refused, in place of two copies.
//
// REQUIRES: tile-run
// RUN: tile-translate --tile-to-ptx --chip=sm_90a %s -o /dev/null
// RUN: tile-translate --tile-to-amdgcn --chip=gfx942 %s -o /dev/null
// RUN: not tile-run --no-notes --target=ascend %s 2>&1 | FileCheck %s --check-prefix=ERROR

// ERROR: error: 910B has no conversion from 'f8E4M3FN' to 'f32'

func.func @g(%a: memref<128x8192x1x512xf8E4M3FN>, %o: memref<64x512xf32>) {
  tile.kernel (%x) in (1) threads(128) {
    %s = tile.alloc : memref<64x512xf8E4M3FN, #tile.shared>
    %t = tile.alloc : memref<64x512xf32, #tile.fragment>
    tile.pipelined %k = 0 to 16 stages(2) {
      tile.copy %a[%x, %k * 64, 0, 0] [1, 64, 1, 512], %s : memref<128x8192x1x512xf8E4M3FN>, memref<64x512xf8E4M3FN, #tile.shared>
      tile.copy %s, %t : memref<64x512xf8E4M3FN, #tile.shared>, memref<64x512xf32, #tile.fragment>
    }
    tile.copy %t, %o : memref<64x512xf32, #tile.fragment>, memref<64x512xf32>
  }
  return
}
