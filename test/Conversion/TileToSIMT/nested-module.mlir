// RUN: tile-opt %s --tile-to-gpu-pipeline --split-input-file --verify-diagnostics
// RUN: tile-opt %s --tile-to-gpu-pipeline=chip=gfx942 --split-input-file --verify-diagnostics

// A kernel is lowered or refused, not left as it is.
module @outer {
  module @inner {
    // expected-note @below {{it is in here}}
    func.func @f(%x: memref<64xf32>) {
      %zero = arith.constant 0.0 : f32
      // expected-error @below {{expected the kernel in a function of the outermost module}}
      tile.kernel (%b) in (1) threads(64) {
        tile.fill %x, %zero : memref<64xf32>
      }
      return
    }
  }
}
