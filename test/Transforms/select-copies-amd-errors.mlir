// RUN: tile-opt %s --split-input-file --verify-diagnostics --tile-select-instructions

!d = memref<64x32xf64, #tile.shared>

module attributes {tile.target = #tile.target<"gfx942">} {
func.func @doubles(%a: memref<64x32xf64>) {
  tile.kernel (%x) in (1) {
    %t = tile.alloc : !d
    // expected-error @below {{cannot use 'cp_async' on gfx942: expected vectors of 4 bytes that are known to be aligned, got 16}}
    tile.copy %a, %t prefer(cp_async) : memref<64x32xf64>, !d
  }
  return
}
}

// -----

!h = memref<64x32xf16, #tile.shared>

module attributes {tile.target = #tile.target<"gfx950">} {
func.func @unaligned(%a: memref<64x33xf16>) {
  tile.kernel (%x) in (1) {
    %t = tile.alloc : !h
    // expected-error @below {{cannot use 'cp_async' on gfx950: expected vectors of 4, 12 or 16 bytes that are known to be aligned, got 2}}
    tile.copy %a[0, 0], %t prefer(cp_async) : memref<64x33xf16>, !h
  }
  return
}
}

// -----

!h = memref<64x32xf16, #tile.shared>

module attributes {tile.target = #tile.target<"gfx1100">} {
func.func @none(%a: memref<64x32xf16>) {
  tile.kernel (%x) in (1) {
    %t = tile.alloc : !h
    // expected-error @below {{cannot use 'cp_async' on gfx1100: gfx1100 has no asynchronous copies of threads}}
    tile.copy %a, %t prefer(cp_async) : memref<64x32xf16>, !h
  }
  return
}
}
