// RUN: tile-opt-plain %s --ascend-plan-memory --split-input-file --verify-diagnostics

!tile = memref<256x128xf32, #tile.ub>

func.func @overflow(%a: memref<256x128xf32>) {
  tile.kernel (%b) in (1) {
    // expected-note@+1 {{alive: 'memref<256x128xf32, #tile.ub>', 131072 bytes at 0}}
    %x = tile.alloc : !tile
    // expected-error@+1 {{does not fit 'ub': 262144 bytes are alive at once, 196352 are there}}
    %y = tile.alloc : !tile
    ascend.unary exp %x, %x : !tile, !tile
    ascend.unary exp %y, %x : !tile, !tile
  }
  return
}

// -----

func.func @abstract() {
  tile.kernel (%b) in (1) {
    // expected-error@+1 {{the chip has no memory 'shared'; run ascend-infer-memory first}}
    %x = tile.alloc : memref<16xf32, #tile.shared>
  }
  return
}
