// RUN: tile-opt-plain %s --split-input-file --verify-diagnostics --convert-tile-to-ascend

// Rows that are padded in UB have no other shape.

func.func @reshape() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x24xf16, #tile.ub>
    %r = tile.reshape %x : memref<16x24xf16, #tile.ub> to memref<384xf16, #tile.ub>
    %z = arith.constant 0.0 : f16
    // expected-error@+1 {{cannot reshape 'memref<16x24xf16, #tile.ub>' to 'memref<384xf16, #tile.ub>': rows of 24 elements begin at multiples of 16 in 'ub'; copy element by element in tile.parallel}}
    tile.fill %r, %z : memref<384xf16, #tile.ub>
  }
  return
}

// -----

func.func @reshape_to_short_rows() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<384xf16, #tile.ub>
    %r = tile.reshape %x : memref<384xf16, #tile.ub> to memref<16x24xf16, #tile.ub>
    %z = arith.constant 0.0 : f16
    // expected-error@+1 {{cannot reshape 'memref<384xf16, #tile.ub>' to 'memref<16x24xf16, #tile.ub>': rows of 24 elements begin at multiples of 16 in 'ub'; copy element by element in tile.parallel}}
    tile.fill %r, %z : memref<16x24xf16, #tile.ub>
  }
  return
}
