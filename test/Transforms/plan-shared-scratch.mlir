// RUN: tile-opt %s --pass-pipeline="builtin.module(tile-set-target{chip=sm_90a},tile-plan-shared{scratch-bytes=-8})" --verify-diagnostics

// expected-error @below {{expected 'scratch-bytes' not to be negative, got -8}}
module {
}
