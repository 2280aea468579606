// RUN: tile-opt-plain %s --split-input-file --verify-diagnostics --convert-tile-to-ascend

// Ops of other dialects reach global memory alone.

func.func @foreign() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16xf32, #tile.ub>
    %c0 = arith.constant 0 : index
    // expected-error@+1 {{'vector.load' cannot be lowered to Ascend}}
    %v = vector.load %x[%c0] : memref<16xf32, #tile.ub>, vector<16xf32>
  }
  return
}

// -----

// Without operands, and not the same for all iterations.
func.func @memory() {
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (64) {
      // expected-error@+1 {{on Ascend, 'memref.alloca' of 'memref<4xf32>' has no vector instruction}}
      %w = memref.alloca() : memref<4xf32>
    }
  }
  return
}
