// RUN: tile-opt %s --tile-set-target=chip=generic --tile-plan-shared --verify-diagnostics

// expected-error @below {{expected a GPU target, got 'generic'; known GPU targets: sm_80}}
module {
}
