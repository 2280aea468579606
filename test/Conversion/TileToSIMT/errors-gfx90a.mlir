// RUN: tile-opt %s --split-input-file --verify-diagnostics --tile-set-target=chip=gfx90a --convert-tile-to-simt

// Loads to LDS are there only for addresses of a buffer's descriptor.

func.func @async_copy(%a: memref<64x32xf32>) {
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<64x32xf32, #tile.shared>
    // expected-error @below {{cannot be lowered to threads of gfx90a, which has no asynchronous copies of threads}}
    tile.copy %a, %s {instruction = #tile.transfer<cp_async, bytes = 16>} : memref<64x32xf32>, memref<64x32xf32, #tile.shared>
  }
  return
}

// -----

func.func @groups() {
  tile.kernel (%b) in (1) {
    // expected-error @below {{cannot be lowered to threads of gfx90a, which has no asynchronous copies of threads}}
    tile.async_wait pending(0)
  }
  return
}
