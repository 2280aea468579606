// RUN: tile-opt %s --split-input-file --verify-diagnostics --pass-pipeline="builtin.module(gpu.module(tile-gpu-to-nvvm))"

gpu.module @m {
  gpu.func @k(%p: memref<8xf32>) kernel {
    %c0 = arith.constant 0 : index
    // expected-error @below {{'memref.prefetch' cannot be lowered to code for an NVIDIA GPU}}
    memref.prefetch %p[%c0], read, locality<3>, data : memref<8xf32>
    gpu.return
  }
}
