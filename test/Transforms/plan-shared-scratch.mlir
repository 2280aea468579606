// RUN: tile-opt %s --pass-pipeline="builtin.module(tile-plan-shared{target=sm_90a scratch-bytes=-8})" --verify-diagnostics

// expected-error @below {{expected 'scratch-bytes' not to be negative, got -8}}
module {
}
