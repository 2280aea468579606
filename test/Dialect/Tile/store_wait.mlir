// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: func @wait
func.func @wait() {
  tile.kernel (%b) in (1) {
    // CHECK: tile.store_wait pending(0){{$}}
    tile.store_wait pending(0)
    // CHECK: tile.store_wait pending(2) {note = "kept"}
    tile.store_wait pending(2) {note = "kept"}
  }
  return
}
