// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

tile.param @BM = 128 in [64, 128, 256]

// CHECK-LABEL: func @get_param
func.func @get_param() -> index {
  // CHECK: %BM = tile.get_param @BM
  %bm = tile.get_param @BM
  tile.kernel (%b) in (1) {
    // CHECK: tile.get_param @BM {note = "kept"}
    %p = tile.get_param @BM {note = "kept"}
    %s = tile.alloc(%p) : memref<?xf32, #tile.shared>
  }
  return %bm : index
}

// It has no value before it is bound.
// RUN: tile-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD
// FOLD-LABEL: func @get_param
// FOLD: %BM = tile.get_param @BM
// FOLD: return %BM
