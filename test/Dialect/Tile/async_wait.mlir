// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: func @wait
func.func @wait() {
  tile.kernel (%b) in (1) {
    // CHECK: tile.async_wait pending(0){{$}}
    tile.async_wait pending(0)
    // CHECK: tile.async_wait pending(2) {note = "kept"}
    tile.async_wait pending(2) {note = "kept"}
  }
  return
}
