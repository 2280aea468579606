// RUN: not tile-opt %s --tile-gpu-to-rocdl=index-bitwidth=16 2>&1 | FileCheck %s --check-prefix=BITS
// RUN: not tile-opt %s --tile-set-target=chip=gfx943 --tile-gpu-to-rocdl 2>&1 | FileCheck %s --check-prefix=CHIP
// BITS: expected index-bitwidth to be 32 or 64, got 16
// CHIP: unknown target 'gfx943'

gpu.module @empty {
}
