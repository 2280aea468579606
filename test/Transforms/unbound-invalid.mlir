// Passes behind tile-bind-parameters want its work done.
// RUN: tile-opt %s --tile-verify-semantics --verify-diagnostics
// RUN: tile-opt %s --tile-legalize-accesses --verify-diagnostics
// RUN: tile-opt %s --tile-select-instructions --verify-diagnostics
// RUN: tile-opt %s --tile-infer-layout --verify-diagnostics
// RUN: tile-opt %s --tile-persistent --verify-diagnostics
// RUN: tile-opt %s --tile-schedule --verify-diagnostics
// RUN: tile-opt %s --tile-insert-barriers --verify-diagnostics
// RUN: tile-opt %s --tile-plan-shared --verify-diagnostics
// RUN: tile-opt %s --tile-verify-schedule --verify-diagnostics
// RUN: tile-opt %s --convert-tile-to-simt --verify-diagnostics
// RUN: tile-opt %s --convert-tile-to-cpu --verify-diagnostics
// RUN: tile-opt %s --tile-prefetch-blocks --verify-diagnostics
// RUN: tile-opt %s --ascend-bound-extents --verify-diagnostics
// RUN: tile-opt %s --ascend-merge-branches --verify-diagnostics
// RUN: tile-opt %s --ascend-fold-guards --verify-diagnostics
// RUN: tile-opt %s --ascend-infer-memory --verify-diagnostics
// RUN: tile-opt %s --ascend-tile-sub-blocks --verify-diagnostics
// RUN: tile-opt %s --convert-tile-to-ascend --verify-diagnostics

func.func @unbound(%n: index) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{'tile.alloc' op expected parameters to have values; run 'tile-bind-parameters' first}}
    %s = tile.alloc(%n) : memref<?xf32, #tile.shared>
  }
  return
}
