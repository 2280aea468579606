// Layouts around a tile in tensor memory, on chips without it, were sought without an end.
//
// REQUIRES: tile-run
// RUN: not tile-run --no-notes --target=cuda --chip=sm_90a --device=model %s 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not tile-run --no-notes --target=hip --chip=gfx942 --device=model %s 2>&1 | FileCheck %s --check-prefix=ERROR2
// RUN: not tile-run --no-notes --target=ascend %s 2>&1 | FileCheck %s --check-prefix=ERROR3
// RUN: not tile-run --no-notes --target=cuda --chip=sm_80 --device=model %s 2>&1 | FileCheck %s --check-prefix=ERROR4

// ERROR: error: 'tile.alloc' op expected memory that sm_90a has (shared, fragment, local), got 'tmem'
// ERROR2: error: 'tile.alloc' op expected memory that gfx942 has (shared, fragment, local), got 'tmem'
// ERROR3: error: 910B has no path from 'ub' to 'tmem'
// ERROR4: error: 'tile.alloc' op expected memory that sm_80 has (shared, fragment, local), got 'tmem'

func.func @h(%a: memref<64x64xf16>, %b: memref<64x64xf16>, %c: memref<64x64xf32>) {
  tile.kernel (%x) in (1) threads(128) {
    %s = tile.alloc : memref<64x64xf16, #tile.shared>
    %f = tile.alloc : memref<64x64xf16, #tile.fragment>
    %t = tile.alloc : memref<64x64xf16, #tile.tmem>
    %d = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.copy %a, %f : memref<64x64xf16>, memref<64x64xf16, #tile.fragment>
    tile.copy %f, %t : memref<64x64xf16, #tile.fragment>, memref<64x64xf16, #tile.tmem>
    tile.copy %b, %s : memref<64x64xf16>, memref<64x64xf16, #tile.shared>
    tile.gemm %t, %s, %d {clear} : memref<64x64xf16, #tile.tmem>, memref<64x64xf16, #tile.shared>, memref<64x64xf32, #tile.fragment>
    tile.copy %d, %c : memref<64x64xf32, #tile.fragment>, memref<64x64xf32>
  }
  return
}
