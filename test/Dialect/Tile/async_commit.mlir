// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: func @commit
func.func @commit() {
  tile.kernel (%b) in (1) {
    // CHECK: tile.async_commit{{$}}
    tile.async_commit
    // CHECK: tile.async_commit {note = "kept"}
    tile.async_commit {note = "kept"}
  }
  return
}
