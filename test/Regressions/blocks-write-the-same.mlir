// Two blocks that write the same elements were accepted.
//
// REQUIRES: tile-run
// RUN: not tile-run --no-notes --target=cpu %s 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not tile-run --no-notes --target=cuda --chip=sm_90a --device=model %s 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not tile-run --no-notes --target=hip --chip=gfx942 --device=model %s 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not tile-run --no-notes --target=ascend %s 2>&1 | FileCheck %s --check-prefix=ERROR

// ERROR: error: 'tile.copy' op two blocks write the same element of the buffer: blocks (0) and (1) both touch [0]

func.func @two_blocks(%a: memref<64xf32>, %o: memref<64xf32>) {
  tile.kernel (%b) in (4) {
    %x = tile.alloc : memref<64xf32, #tile.shared>
    tile.copy %a, %x : memref<64xf32>, memref<64xf32, #tile.shared>
    tile.copy %x, %o : memref<64xf32, #tile.shared>, memref<64xf32>
  }
  return
}
