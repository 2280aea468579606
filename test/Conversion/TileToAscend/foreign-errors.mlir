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
