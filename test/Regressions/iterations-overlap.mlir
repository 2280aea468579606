// An iteration that overwrites what another one reads was accepted.
//
// REQUIRES: tile-run
// RUN: not tile-run --no-notes --target=cpu %s 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not tile-run --no-notes --target=cuda --chip=sm_90a --device=model %s 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not tile-run --no-notes --target=hip --chip=gfx942 --device=model %s 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not tile-run --no-notes --target=ascend %s 2>&1 | FileCheck %s --check-prefix=ERROR

// ERROR: error: 'memref.store' op one iteration writes what another one reads: iterations (0) and (63) both touch [0]

func.func @loc(%a: memref<64xf32>, %o: memref<64xf32>) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<64xf32, #tile.shared>
    tile.copy %a, %x : memref<64xf32>, memref<64xf32, #tile.shared>
    tile.parallel (%i) in (64) {
      %c63 = arith.constant 63 : index
      %j = arith.subi %c63, %i : index
      %v = memref.load %x[%j] : memref<64xf32, #tile.shared>
      memref.store %v, %x[%i] : memref<64xf32, #tile.shared>
    }
    tile.copy %x, %o : memref<64xf32, #tile.shared>, memref<64xf32>
  }
  return
}
