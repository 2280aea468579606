// RUN: tile-opt %s --tile-set-target=chip=910B --ascend-bound-extents | FileCheck %s

// The last extent in parts of 256 with a guard, others one by one; the static one stays.

// CHECK-LABEL: func.func @open
// CHECK-SAME:    %[[X:.*]]: memref<?x4x?xf32>
// CHECK:       %[[M:.*]] = memref.dim
// CHECK:       %[[N:.*]] = memref.dim
// CHECK:       scf.for %[[I:.*]] = %{{.*}} to %[[M]]
// CHECK:         scf.for %[[K:.*]] = %{{.*}} to %[[N]]
// CHECK:           tile.parallel (%{{.*}}, %[[J:.*]], %[[C:.*]]) in (1, 4, 256) {
// CHECK-NEXT:        %[[AT:.*]] = arith.addi %[[K]], %[[C]]
// CHECK-NEXT:        %[[INSIDE:.*]] = arith.cmpi slt, %[[AT]], %[[N]]
// CHECK-NEXT:        scf.if %[[INSIDE]] {
// CHECK:               memref.store %{{.*}}, %[[X]][%[[I]], %[[J]], %[[AT]]]
func.func @open(%x: memref<?x4x?xf32>) {
  tile.kernel (%b) in (1) {
    tile.parallel (%i, %j, %k) in (dim(%x, 0), 4, dim(%x, 2)) do %x[%i, %j, %k] = 1.0
  }
  return
}
