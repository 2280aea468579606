// RUN: tile-opt %s --ascend-convert-affine-loops | FileCheck %s

// CHECK-DAG: #[[$CEIL:.*]] = affine_map<()[s0] -> (s0 ceildiv 256)>
// CHECK-DAG: #[[$LEAST:.*]] = affine_map<()[s0] -> (s0, 8)>
// CHECK-LABEL: @loops
func.func @loops(%x: memref<?x64xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x64xf32>
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<64xf32, #tile.shared>
    // CHECK:      tile.alloc
    // CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
    // CHECK-NEXT: %[[N:.*]] = affine.apply #[[$CEIL]]()[%{{.*}}]
    // CHECK-NEXT: %[[C1:.*]] = arith.constant 1 : index
    // CHECK-NEXT: scf.for %[[I:.*]] = %[[C0]] to %[[N]] step %[[C1]] {
    affine.for %i = 0 to affine_map<()[n] -> (n ceildiv 256)>()[%n] {
      // CHECK:      affine.min #[[$LEAST]]()[%{{.*}}]
      // CHECK:      %[[C2:.*]] = arith.constant 2 : index
      // CHECK-NEXT: scf.for %{{.*}} = %[[I]] to %{{.*}} step %[[C2]] {
      // CHECK-NEXT:   tile.copy
      affine.for %j = affine_map<(i) -> (i)>(%i) to min affine_map<()[n] -> (n, 8)>()[%n] step 2 {
        tile.copy %x[%j, 0], %t
      }
    }
  }
  return
}

// CHECK-LABEL: @results
func.func @results(%x: memref<64xf32>) {
  %zero = arith.constant 0.0 : f32
  // A loop around kernels is not one of a kernel.
  // CHECK: affine.for
  affine.for %j = 0 to 2 {
    tile.kernel (%b) in (1) {
      tile.parallel (%i) in (64) {
        // CHECK:      %[[SUM:.*]] = scf.for %{{.*}} iter_args(%[[OLD:.*]] = %{{.*}}) -> (f32) {
        // CHECK-NEXT:   %[[NEW:.*]] = arith.addf %[[OLD]], %[[OLD]]
        // CHECK-NEXT:   scf.yield %[[NEW]]
        %sum = affine.for %k = 0 to 3 iter_args(%old = %zero) -> f32 {
          %new = arith.addf %old, %old : f32
          affine.yield %new : f32
        }
        // CHECK: memref.store %[[SUM]]
        memref.store %sum, %x[%i] : memref<64xf32>
      }
    }
  }
  return
}
