// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: func @rows
func.func @rows() {
  tile.kernel (%x, %y) in (16, 16) {
    // CHECK: tile.rasterize group(8){{$}}
    tile.rasterize group(8) order(row)
  }
  return
}

// CHECK-LABEL: func @columns
func.func @columns(%n: index) {
  tile.kernel (%x, %y, %z) in (%n, 16, 2) {
    // CHECK: tile.rasterize group(1) order(column) {note = "kept"}
    tile.rasterize group(1) order(column) {note = "kept"}
  }
  return
}
