// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: func @barriers
func.func @barriers() {
  tile.kernel (%b) in (1) {
    // CHECK: tile.barrier{{$}}
    tile.barrier
    // CHECK: tile.barrier async{{$}}
    tile.barrier async
    // CHECK: tile.barrier async {note = "kept"}
    tile.barrier async {note = "kept"}
  }
  return
}
