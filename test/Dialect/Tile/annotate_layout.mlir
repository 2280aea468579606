// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK: #[[$COLUMNS:.*]] = affine_map<(d0, d1) -> (d1 * 8 + d0)>

// CHECK-LABEL: func @columns
func.func @columns(%s: memref<8x32xf32, #tile.shared>) {
  // CHECK: tile.annotate_layout %{{.*}}, #[[$COLUMNS]] : memref<8x32xf32, #tile.shared>
  tile.annotate_layout %s, affine_map<(i, j) -> (j * 8 + i)> : memref<8x32xf32, #tile.shared>
  return
}
