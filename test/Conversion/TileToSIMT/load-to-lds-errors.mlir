// RUN: tile-opt %s --split-input-file --verify-diagnostics --tile-set-target=chip=gfx942 --convert-tile-to-simt

func.func @gaps(%a: memref<64x32xf16>) {
  tile.kernel (%x) in (1) threads(128) {
    %s = tile.alloc {layout = #tile.layout<[64: 64 offset*40][32: 32 offset]>} : memref<64x32xf16, #tile.shared>
    // expected-error @below {{cannot use 'cp_async' on gfx942: expected a tile whose elements fill its shared memory without gaps, got the layout [64: 64 offset*40][32: 32 offset]}}
    tile.copy %a, %s prefer(cp_async) {instruction = #tile.transfer<cp_async, bytes = 4>} : memref<64x32xf16>, memref<64x32xf16, #tile.shared>
  }
  return
}

// -----

func.func @columns(%a: memref<64x32xf16>) {
  tile.kernel (%x) in (1) threads(128) {
    %s = tile.alloc {layout = #tile.layout<[64: 64 offset][32: 32 offset*64]>} : memref<64x32xf16, #tile.shared>
    // expected-error @below {{cannot use 'cp_async' on gfx942: expected vectors of 4 bytes or more that are neighbours in global and in shared memory, got 2}}
    tile.copy %a, %s prefer(cp_async) {instruction = #tile.transfer<cp_async, bytes = 4>} : memref<64x32xf16>, memref<64x32xf16, #tile.shared>
  }
  return
}

// -----

func.func @conversion(%a: memref<64x32xf16>) {
  tile.kernel (%x) in (1) threads(128) {
    %s = tile.alloc : memref<64x32xf32, #tile.shared>
    // expected-error @below {{cannot use 'cp_async' on gfx942: expected a copy from global to shared memory without a conversion}}
    tile.copy %a, %s prefer(cp_async) {instruction = #tile.transfer<cp_async, bytes = 4>} : memref<64x32xf16>, memref<64x32xf32, #tile.shared>
  }
  return
}

// -----

func.func @part(%a: memref<64x32xf16>) {
  tile.kernel (%x) in (1) threads(128) {
    %s = tile.alloc : memref<64x32xf16, #tile.shared>
    // expected-error @below {{cannot use 'cp_async' on gfx942: expected a whole shared tile}}
    tile.copy %a[0, 0] [1, 32], %s[1, 0] [1, 32] prefer(cp_async) {instruction = #tile.transfer<cp_async, bytes = 4>} : memref<64x32xf16>, memref<64x32xf16, #tile.shared>
  }
  return
}
