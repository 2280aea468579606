// RUN: tile-opt %s --tile-plan-shared=target=generic --verify-diagnostics

// expected-error @below {{expected a GPU as target, got 'generic'}}
module {
}
