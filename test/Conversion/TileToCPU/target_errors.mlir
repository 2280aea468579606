// RUN: tile-opt %s --verify-diagnostics --tile-set-target=chip=sm_90a --convert-tile-to-cpu

// expected-error @below {{expected a CPU target, got 'sm_90a'; known CPU targets: }}
module {
}
