// An offset divided by 0 crashed the GPU pipelines; that of the CPU ended with 0 after the error.
//
// REQUIRES: tile-run
// RUN: not tile-run --no-notes --target=cpu %s 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not tile-run --no-notes --target=cuda --chip=sm_90a --device=model %s 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not tile-run --no-notes --target=hip --chip=gfx942 --device=model %s 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not tile-run --no-notes --target=ascend %s 2>&1 | FileCheck %s --check-prefix=ERROR

// ERROR: error: custom op 'tile.copy' expected a positive divisor of an index, got 0

func.func @f(%x: memref<?x?xf16>, %y: memref<64x64xf16>) {
  tile.kernel (%b) in (4) threads(128) {
    %t = tile.alloc : memref<16x64xf16, #tile.shared>
    tile.copy %x[%b floordiv 0, 0], %t : memref<?x?xf16>, memref<16x64xf16, #tile.shared>
    tile.copy %t, %y[%b * 16, 0] : memref<16x64xf16, #tile.shared>, memref<64x64xf16>
  }
  return
}
