// RUN: tile-opt %s --tile-plan-shared --split-input-file --verify-diagnostics
// RUN: not tile-opt %s --tile-set-target=chip=sm_99 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// UNKNOWN: error: unknown target 'sm_99'; known NVIDIA targets: {{.*}}; closest match: sm_90a

// expected-error @below {{expected a target; run 'tile-set-target' first or give the module the attribute 'tile.target'}}
module {
}
