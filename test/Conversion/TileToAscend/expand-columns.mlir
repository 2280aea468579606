// RUN: tile-opt %s --ascend-expand-columns | FileCheck %s

// CHECK-LABEL: func.func @real_parts
// CHECK:       tile.parallel (%[[I:.*]], %[[J:.*]]) in (16, 64)
// CHECK:         %[[ROW:.*]] = affine.apply #{{.*}}(%{{.*}}, %[[I]])
// CHECK:         %[[AT:.*]] = affine.apply #{{.*}}(%{{.*}}, %[[J]])
// CHECK:         arith.cmpi slt, %[[ROW]], %{{.*}} : index
// CHECK:         arith.cmpi sge, %[[AT]], %{{.*}} : index
// CHECK:         %[[IN:.*]] = scf.if
// CHECK:           memref.load %{{.*}}[%[[ROW]], %[[AT]], %{{.*}}] : memref<?x128x2xf32>
// CHECK:         } else {
// CHECK:           scf.yield %{{.*}} : f32
// CHECK:         memref.store %[[IN]], %{{.*}} : memref<16x64xf32, #tile.shared>
// A row is one, and so is a column of a tile that has one column.
// CHECK:       tile.copy
// CHECK:       tile.copy
// CHECK:       tile.parallel (%[[K:.*]]) in (16)
// CHECK:         scf.if
// CHECK:           memref.store
func.func @real_parts(%x: memref<?x128x2xf32>, %y: memref<?x64xf32>, %z: memref<?x3xf32>) {
  tile.kernel (%b, %c) in (ceildiv(dim(%x, 0), 16), 2) {
    tile.padding_value %x, 7.0
    %t = tile.alloc : memref<16x64xf32, #tile.shared>
    %u = tile.alloc : memref<16x1xf32, #tile.shared>
    %v = tile.alloc : memref<16xf32, #tile.shared>
    tile.copy %x[%b * 16, %c - 2, 0] [16, 64, 1], %t
    tile.copy %t, %y[%b * 16, 0]
    tile.copy %u, %z[%b * 16, 1] [16, 1]
    tile.copy %v, %z[%b * 16, 2] [16, 1]
  }
  return
}
