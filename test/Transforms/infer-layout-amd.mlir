// RUN: tile-opt %s --tile-set-target=chip=gfx942 --tile-select-instructions --tile-infer-layout | FileCheck %s --check-prefix=GFX942
// RUN: tile-opt %s --tile-set-target=chip=gfx950 --tile-select-instructions --tile-infer-layout | FileCheck %s --check-prefix=GFX950

// Swizzles repeat after eight rows of banks: 128 bytes each on gfx942, 256 on gfx950.

func.func @operands() {
  tile.kernel (%x) in (1) threads(128) {
    // GFX942: [128: 128 offset*64][64: 64 offset] swizzle(3, 3, 3)
    // GFX950: [128: 128 offset*64][64: 64 offset] swizzle(3, 3, 4)
    %a = tile.alloc : memref<128x64xf16, #tile.shared>
    // GFX942: [128: 128 offset*32][32: 32 offset] swizzle(2, 3, 3)
    // GFX950: [128: 128 offset*32][32: 32 offset] swizzle(2, 3, 4)
    %b = tile.alloc : memref<128x32xf16, #tile.shared>
    %d = tile.alloc : memref<128x64xf16, #tile.shared>
    %e = tile.alloc : memref<128x32xf16, #tile.shared>
    %c = tile.alloc : memref<128x128xf32, #tile.fragment>
    tile.gemm %a, %d, %c {transpose_b} : memref<128x64xf16, #tile.shared>, memref<128x64xf16, #tile.shared>, memref<128x128xf32, #tile.fragment>
    tile.gemm %b, %e, %c {transpose_b} : memref<128x32xf16, #tile.shared>, memref<128x32xf16, #tile.shared>, memref<128x128xf32, #tile.fragment>
  }
  return
}
