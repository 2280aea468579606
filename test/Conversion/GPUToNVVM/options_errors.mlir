// RUN: tile-opt %s --verify-diagnostics --pass-pipeline="builtin.module(gpu.module(tile-gpu-to-nvvm{index-bitwidth=16}))"

// expected-error @unknown {{expected index-bitwidth to be 32 or 64, got 16}}
gpu.module @m {
}
