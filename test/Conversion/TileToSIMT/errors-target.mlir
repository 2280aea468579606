// RUN: tile-opt %s --verify-diagnostics --tile-set-target=chip=generic --convert-tile-to-gpu
// RUN: not tile-opt %s --tile-set-target=chip=sm_91 --convert-tile-to-gpu 2>&1 | FileCheck %s
// CHECK: error: unknown target 'sm_91'

// expected-error @below {{expected a GPU target, got 'generic'; known GPU targets: sm_80}}
module {
}
