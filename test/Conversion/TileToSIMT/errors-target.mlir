// RUN: tile-opt %s --verify-diagnostics --convert-tile-to-gpu=target=generic
// RUN: not tile-opt %s --convert-tile-to-gpu=target=sm_91 2>&1 | FileCheck %s
// CHECK: error: unknown target 'sm_91'

// expected-error @below {{expected a GPU as target, got 'generic'}}
module {
}
