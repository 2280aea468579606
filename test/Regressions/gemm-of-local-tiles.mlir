// A gemm of tiles that each thread has for itself was unrolled without an end.
//
// REQUIRES: tile-run
// RUN: not tile-run --no-notes --target=cuda --chip=sm_90a --device=model %s 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not tile-run --no-notes --target=hip --chip=gfx942 --device=model %s 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: tile-run --no-notes --target=ascend %s | FileCheck %s --check-prefix=RIGHT

// ERROR: error: 'tile.gemm' op expected the block's tiles (shared, fragment), got one in 'local', which each thread has for itself
// RIGHT: 1 passed, 0 failed

func.func @f(%a: memref<32x32xf16>, %b: memref<32x64xf16>, %c: memref<32x64xf32>) {
  tile.kernel (%k) in (1) threads(128) {
    %as = tile.alloc : memref<32x32xf16, #tile.local>
    %bs = tile.alloc : memref<32x64xf16, #tile.local>
    %acc = tile.alloc : memref<32x64xf32, #tile.fragment>
    tile.copy %a, %as : memref<32x32xf16>, memref<32x32xf16, #tile.local>
    tile.copy %b, %bs : memref<32x64xf16>, memref<32x64xf16, #tile.local>
    tile.gemm %as, %bs, %acc {clear} : memref<32x32xf16, #tile.local>, memref<32x64xf16, #tile.local>, memref<32x64xf32, #tile.fragment>
    tile.copy %acc, %c : memref<32x64xf32, #tile.fragment>, memref<32x64xf32>
  }
  return
}
