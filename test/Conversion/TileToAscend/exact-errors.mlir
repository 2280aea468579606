// RUN: tile-opt-plain %s --convert-tile-to-ascend --split-input-file --verify-diagnostics

func.func @bytes() {
  tile.kernel (%b) in (1) {
    %y = tile.alloc : memref<64xf8E5M2, #tile.ub>
    tile.parallel (%i) in (64) {
      %v = memref.load %y[%i] : memref<64xf8E5M2, #tile.ub>
      // expected-error@+1 {{on Ascend, 'math.fma' takes f32, f16 and bf16, got 'f8E5M2'; convert the operands}}
      %w = math.fma %v, %v, %v : f8E5M2
      memref.store %w, %y[%i] : memref<64xf8E5M2, #tile.ub>
    }
  }
  return
}
