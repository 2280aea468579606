// An index outside of a tile was accepted.
//
// REQUIRES: tile-run
// RUN: not tile-run --no-notes --target=cpu %s 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not tile-run --no-notes --target=cuda --chip=sm_90a --device=model %s 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not tile-run --no-notes --target=hip --chip=gfx942 --device=model %s 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not tile-run --no-notes --target=ascend %s 2>&1 | FileCheck %s --check-prefix=ERROR

// ERROR: error: 'memref.load' op index 64 exceeds dimension 0 of the buffer (64)

func.func @oob(%a: memref<64x64xf32>, %o: memref<64x64xf32>) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<64x64xf32, #tile.shared>
    tile.copy %a, %x : memref<64x64xf32>, memref<64x64xf32, #tile.shared>
    tile.parallel (%i, %j) in (64, 64) {
      %c1 = arith.constant 1 : index
      %ii = arith.addi %i, %c1 : index
      %v = memref.load %x[%ii, %j] : memref<64x64xf32, #tile.shared>
      memref.store %v, %o[%i, %j] : memref<64x64xf32>
    }
  }
  return
}
