// A name that PTX does not have ended the process of the client.
//
// REQUIRES: tile-run
// RUN: not tile-run --no-notes --target=cpu %s 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not tile-run --no-notes --target=cuda --chip=sm_90a --device=model %s 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not tile-run --no-notes --target=hip --chip=gfx942 --device=model %s 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not tile-run --no-notes --target=ascend %s 2>&1 | FileCheck %s --check-prefix=ERROR

// ERROR: error: expected a name of letters, digits and '_' that does not begin with a digit, got 'my-kernel'

func.func @"my-kernel"(%x: memref<64xf32>, %y: memref<64xf32>) {
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<64xf32, #tile.shared>
    tile.copy %x, %t : memref<64xf32>, memref<64xf32, #tile.shared>
    tile.copy %t, %y : memref<64xf32, #tile.shared>, memref<64xf32>
  }
  return
}
