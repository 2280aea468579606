// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: func @columns
func.func @columns(%s: memref<8x32xf32, #tile.shared>) {
  // CHECK: tile.annotate_layout %{{.*}} : memref<8x32xf32, #tile.shared> as #tile.layout<[8: 8 offset][32: 32 offset*8]>
  tile.annotate_layout %s : memref<8x32xf32, #tile.shared> as #tile.layout<[8: 8 offset][32: 32 offset*8]>
  return
}

// CHECK-LABEL: func @accumulator
func.func @accumulator(%c: memref<16x8xf32, #tile.fragment>) {
  // CHECK: tile.annotate_layout %{{.*}} : memref<16x8xf32, #tile.fragment> as #tile.layout<[16: 2 reg*2, 8 lane*4][8: 4 lane, 2 reg]>
  tile.annotate_layout %c : memref<16x8xf32, #tile.fragment> as #tile.layout<[16: 2 reg*2, 8 lane*4][8: 4 lane, 2 reg]>
  return
}
