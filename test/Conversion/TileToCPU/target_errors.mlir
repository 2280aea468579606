// RUN: tile-opt %s --verify-diagnostics --convert-tile-to-cpu=target=sm_90a

// expected-error @below {{expected a CPU as target, got 'sm_90a'; known CPU targets: }}
module {
}
