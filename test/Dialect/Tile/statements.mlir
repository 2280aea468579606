// Branches, loops and sums in the bodies of tile.parallel. They are printed as regions.
// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s --print-short-form | tile-opt | FileCheck %s

// CHECK-LABEL: func.func @branches(
// CHECK-SAME:    %[[A:.*]]: memref<?x8xf32>, %[[N:.*]]: memref<8xi32>
func.func @branches(%a: memref<?x8xf32>, %n: memref<8xi32>) {
  tile.kernel (%x) in (1) {
    tile.parallel (%i, %j) in (4, 8) do {
      // CHECK:      %[[V:.*]] = memref.load %[[A]][%[[I:.*]], %[[J:.*]]]
      %v = %a[%i, %j]
      // CHECK:      %[[C:.*]] = arith.cmpf ogt, %[[V]], %{{.*}} : f32
      // CHECK-NEXT: scf.if %[[C]] {
      if %v > 0.0 {
        // CHECK:      %[[W:.*]] = arith.mulf %[[V]], %{{.*}} : f32
        // CHECK-NEXT: memref.store %[[W]], %[[A]][%[[I]], %[[J]]]
        %w = %v * 2.0
        %a[%i, %j] = %w
        // CHECK-NEXT: } else {
      } else {
        // CHECK-NEXT: memref.load %[[N]][%[[J]]]
        // CHECK:      scf.if
        // CHECK-NOT:  else
        if %n[%j] == 0 {
          %a[%i, %j] = 0.0
        }
      }
      // The name is free again.
      // CHECK: %{{.*}} = arith.addf %[[V]], %[[V]] : f32
      %w = %v + %v
    }
    // CHECK:      tile.parallel (%[[K:.*]]) in (8) {
    // CHECK:        arith.cmpi slt, %[[K]], %{{.*}} : index
    // CHECK-NEXT:   scf.if
    tile.parallel (%k) in (8) do if %k < 3 {
      %n[%k] = 1
    }
  }
  return
}

// CHECK-LABEL: func.func @loops(
// CHECK-SAME:    %[[A:.*]]: memref<?x8xf32>
func.func @loops(%a: memref<?x8xf32>) {
  // CHECK:      %[[M:.*]] = memref.dim %[[A]], %{{.*}}
  // CHECK-NEXT: tile.kernel
  tile.kernel (%x) in (1) {
    // CHECK-NEXT: tile.parallel (%[[J:.*]]) in (8) {
    tile.parallel (%j) in (8) do {
      // CHECK-NEXT: %[[ONE:.*]] = arith.constant 1 : index
      // CHECK-NEXT: scf.for %[[L:.*]] = %[[J]] to %[[M]] step %[[ONE]] {
      for %l = %j to dim(%a, 0) {
        // CHECK-NEXT: memref.load %[[A]][%[[L]], %[[J]]]
        %v = %a[%l, %j]
        // CHECK: scf.for %[[P:.*]] = %{{.*}} to %[[L]] step
        for %p = 0 to %l {
          // CHECK-NEXT: memref.store %{{.*}}, %[[A]][%[[P]], %[[J]]]
          %a[%p, %j] = %v
        }
      }
    }
  }
  return
}

// CHECK-LABEL: func.func @sums(
// CHECK-SAME:    %[[A:.*]]: memref<8xf32>, %[[K:.*]]: memref<?xf16>, %[[N:.*]]: memref<8xi32>
func.func @sums(%a: memref<8xf32>, %k: memref<?xf16>, %n: memref<8xi32>) {
  tile.kernel (%x) in (1) {
    // CHECK:      tile.parallel (%[[I:.*]]) in (4) {
    // CHECK-NEXT:   %[[C0:.*]] = arith.constant 0 : index
    // CHECK-NEXT:   %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
    // CHECK-NEXT:   %[[C1:.*]] = arith.constant 1 : index
    // CHECK-NEXT:   %[[S:.*]] = scf.for %[[L:.*]] = %[[C0]] to %{{.*}} step %[[C1]] iter_args(%[[ACC:.*]] = %[[ZERO]]) -> (f32) {
    // CHECK-NEXT:     memref.load %[[K]][%[[L]]]
    // CHECK:          %[[P:.*]] = affine.apply #{{.*}}(%[[I]], %[[L]])
    // CHECK-NEXT:     memref.load %[[K]][%[[P]]]
    // CHECK:          %[[T:.*]] = arith.mulf %{{.*}}, %{{.*}} : f32
    // CHECK-NEXT:     %[[NEXT:.*]] = arith.addf %[[ACC]], %[[T]] : f32
    // CHECK-NEXT:     scf.yield %[[NEXT]] : f32
    // CHECK-NEXT:   }
    // CHECK-NEXT:   %[[TWO:.*]] = arith.constant 2.000000e+00 : f32
    // CHECK-NEXT:   arith.mulf %[[S]], %[[TWO]] : f32
    tile.parallel (%i) in (4) do %a[%i] = sum(%l = 0 to dim(%k, 0), f32(%k[%l]) * f32(%k[%i + %l])) * 2.0
    // CHECK:      scf.for %[[L:[^ ]*]] = {{.*}} -> (i32) {
    // CHECK:        scf.for %[[M:[^ ]*]] = %[[L]] to {{.*}} -> (i32) {
    // CHECK-NEXT:     memref.load %[[N]][%[[M]]]
    tile.parallel (%i) in (8) do %n[%i] = sum(%l = 0 to 3, sum(%m = %l to 4, %n[%m]))
    // A number of terms.
    // CHECK: scf.for {{.*}} -> (f32) {
    // CHECK-NEXT: %[[C:.*]] = arith.constant 1.000000e+00 : f32
    // CHECK-NEXT: arith.addf %{{.*}}, %[[C]] : f32
    tile.parallel (%i) in (8) do %a[%i] = sum(%l = 0 to %i, 1.0)
  }
  return
}
