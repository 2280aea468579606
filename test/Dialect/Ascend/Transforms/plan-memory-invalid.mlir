// RUN: tile-opt-plain %s --ascend-plan-memory --split-input-file --verify-diagnostics

!tile = memref<256x128xf32, #tile.ub>

func.func @overflow(%a: memref<256x128xf32>) {
  tile.kernel (%b) in (1) {
    // expected-note@+1 {{alive: 'memref<256x128xf32, #tile.ub>', 131072 bytes at 0}}
    %x = tile.alloc : !tile
    // expected-error@+1 {{does not fit 'ub': 262144 bytes are alive at once, 196352 available}}
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

// -----

func.func @overflow_l0a(%t: i1) {
  tile.kernel (%b) in (1) {
    // expected-note@+1 {{alive: 'memref<256x80xf16, #tile.l0a>', 40960 bytes at 0}}
    %a = tile.alloc : memref<256x80xf16, #tile.l0a>
    // expected-error@+1 {{does not fit 'l0a': 81920 bytes are alive at once, 65536 available}}
    %d = tile.alloc : memref<256x80xf16, #tile.l0a>
    %w = tile.alloc : memref<80x16xf16, #tile.l0b>
    %c = tile.alloc : memref<256x16xf32, #tile.l0c>
    %x = tile.alloc : memref<256x80xf16, #tile.l1>
    ascend.load_l0a %a, %x : memref<256x80xf16, #tile.l0a>, memref<256x80xf16, #tile.l1>
    ascend.load_l0a %d, %x : memref<256x80xf16, #tile.l0a>, memref<256x80xf16, #tile.l1>
    ascend.mmad %c, %a, %w init(%t) : memref<256x16xf32, #tile.l0c>, memref<256x80xf16, #tile.l0a>, memref<80x16xf16, #tile.l0b>
    ascend.mmad %c, %d, %w init(%t) : memref<256x16xf32, #tile.l0c>, memref<256x80xf16, #tile.l0a>, memref<80x16xf16, #tile.l0b>
  }
  return
}

// -----

func.func @overflow_l0b() {
  tile.kernel (%b) in (1) {
    // expected-error@+1 {{does not fit 'l0b': 131072 bytes are alive at once, 65536 available}}
    %w = tile.alloc : memref<128x512xf16, #tile.l0b>
    %x = tile.alloc : memref<128x512xf16, #tile.l1>
    ascend.load_l0b %w, %x : memref<128x512xf16, #tile.l0b>, memref<128x512xf16, #tile.l1>
  }
  return
}
