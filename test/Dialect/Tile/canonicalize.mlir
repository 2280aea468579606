// RUN: tile-opt %s --canonicalize | FileCheck %s

//===--- control ---===//

// CHECK-LABEL: func @kernel_empty_grid
func.func @kernel_empty_grid(%a: memref<8xf32>, %v: f32) {
  // CHECK-NOT: tile.kernel
  // CHECK: return
  %zero = arith.constant 0 : index
  tile.kernel (%x, %y) in (8, %zero) {
    tile.fill %a, %v : memref<8xf32>
  }
  return
}

// CHECK-LABEL: func @kernel_constant_grid
// CHECK-SAME: %[[N:[^:]*]]: index
func.func @kernel_constant_grid(%n: index, %a: memref<8xf32>, %v: f32) {
  %four = arith.constant 4 : index
  // CHECK: tile.kernel (%{{.*}}, %{{.*}}, %{{.*}}) in (4, %[[N]], 2) {
  tile.kernel (%x, %y, %z) in (%four, %n, 2) {
    tile.fill %a, %v : memref<8xf32>
  }
  return
}

// CHECK-LABEL: func @kernel_negative_grid
func.func @kernel_negative_grid(%a: memref<8xf32>, %v: f32) {
  // A static extent would be rejected; whether the kernel is reached is not known here.
  // CHECK: %[[N:.*]] = arith.constant -4 : index
  // CHECK: tile.kernel (%{{.*}}) in (%[[N]]) {
  %n = arith.constant -4 : index
  tile.kernel (%x) in (%n) {
    tile.fill %a, %v : memref<8xf32>
  }
  return
}

// CHECK-LABEL: func @kernel_indivisible_grid
func.func @kernel_indivisible_grid(%a: memref<8xf32>, %v: f32) {
  // A cluster of 2 does not divide a static extent of 3.
  // CHECK: %[[N:.*]] = arith.constant 3 : index
  // CHECK: tile.kernel (%{{.*}}, %{{.*}}) in (%[[N]], 3) cluster(2, 1) {
  %n = arith.constant 3 : index
  tile.kernel (%x, %y) in (%n, %n) cluster(2, 1) {
    tile.fill %a, %v : memref<8xf32>
  }
  return
}

// CHECK-LABEL: func @parallel_constant_extent
// CHECK-SAME: %[[N:[^:]*]]: index
func.func @parallel_constant_extent(%n: index, %a: memref<?x?xf32>, %v: f32) {
  %four = arith.constant 4 : index
  // CHECK: tile.parallel (%{{.*}}, %{{.*}}) in (%[[N]], 4) coalesced_width(2) {
  tile.parallel (%i, %j) in (%n, %four) coalesced_width(2) {
    memref.store %v, %a[%i, %j] : memref<?x?xf32>
  }
  return
}

// CHECK-LABEL: func @parallel_indivisible_extent
func.func @parallel_indivisible_extent(%a: memref<?x?xf32>, %v: f32) {
  // A width of 2 does not divide a static extent of 3.
  // CHECK: %[[N:.*]] = arith.constant 3 : index
  // CHECK: tile.parallel (%{{.*}}, %{{.*}}) in (3, %[[N]]) coalesced_width(2) {
  %n = arith.constant 3 : index
  tile.parallel (%i, %j) in (%n, %n) coalesced_width(2) {
    memref.store %v, %a[%i, %j] : memref<?x?xf32>
  }
  return
}

// CHECK-LABEL: func @parallel_nothing
func.func @parallel_nothing(%n: index, %a: memref<?xf32>, %v: f32) {
  // CHECK-NOT: tile.parallel
  // CHECK: return
  tile.parallel (%i) in (%n) {
  }
  tile.parallel (%i, %j) in (%n, 0) {
    memref.store %v, %a[%i] : memref<?xf32>
  }
  return
}

// CHECK-LABEL: func @pipelined_constant_bounds
func.func @pipelined_constant_bounds(%a: memref<8xf32>, %v: f32) {
  %lb = arith.constant -2 : index
  %ub = arith.constant 10 : index
  %step = arith.constant 4 : index
  // CHECK: tile.pipelined %{{.*}} = -2 to 10 step 4 stages(2) {
  tile.pipelined %k = %lb to %ub step %step stages(2) {
    tile.fill %a, %v : memref<8xf32>
  }
  return
}

// CHECK-LABEL: func @pipelined_no_trips
func.func @pipelined_no_trips(%a: memref<8xf32>, %v: f32) {
  // CHECK-NOT: tile.pipelined
  // CHECK: return
  %ub = arith.constant 3 : index
  tile.pipelined %k = 3 to %ub {
    tile.fill %a, %v : memref<8xf32>
  }
  return
}

// CHECK-LABEL: func @pipelined_zero_step
// CHECK-SAME: %[[N:[^:]*]]: index
func.func @pipelined_zero_step(%n: index, %a: memref<8xf32>, %v: f32) {
  // A static step of 0 would be rejected; the loop may not run.
  // CHECK: %[[STEP:.*]] = arith.constant 0 : index
  // CHECK: tile.pipelined %{{.*}} = 0 to %[[N]] step %[[STEP]] {
  %step = arith.constant 0 : index
  tile.pipelined %k = 0 to %n step %step {
    tile.fill %a, %v : memref<8xf32>
  }
  return
}

//===--- memory ---===//

// CHECK-LABEL: func @copy_composes_apply
// CHECK-SAME: %[[A:[^:]*]]: memref<?x?xf32>, %[[T:[^:]*]]: memref<8x8xf32, #tile.shared>
func.func @copy_composes_apply(%a: memref<?x?xf32>, %t: memref<8x8xf32, #tile.shared>) {
  %c3 = arith.constant 3 : index
  // CHECK: tile.kernel (%[[I:.*]]) in (4)
  tile.kernel (%i) in (4) {
    // CHECK-NOT: affine.apply
    %p = affine.apply affine_map<(i) -> (i * 8 + 4)>(%i)
    // CHECK: tile.copy %[[A]][%[[I]] * 16 + 8, 3], %[[T]] :
    tile.copy %a[%p * 2, %c3], %t : memref<?x?xf32>, memref<8x8xf32, #tile.shared>
    // CHECK: tile.copy %[[T]], %[[A]][0, %[[I]] * 8 + 5] :
    tile.copy %t, %a[0, %p + 1] : memref<8x8xf32, #tile.shared>, memref<?x?xf32>
  }
  return
}

// CHECK-LABEL: func @copy_outside
func.func @copy_outside(%a: memref<8xf32>, %t: memref<8xf32, #tile.shared>, %c: i1) {
  // A constant offset of 4 would be rejected; whether the copy is reached is not known here.
  // CHECK: %[[C4:.*]] = arith.constant 4 : index
  // CHECK: tile.copy %{{.*}}, %{{.*}}[%[[C4]]] :
  %c4 = arith.constant 4 : index
  scf.if %c {
    tile.copy %a, %t[%c4] : memref<8xf32>, memref<8xf32, #tile.shared>
  }
  return
}

// CHECK-LABEL: func @copy_overlap
func.func @copy_overlap(%t: memref<8xf32, #tile.shared>, %c: i1) {
  // CHECK: %[[C2:.*]] = arith.constant 2 : index
  // CHECK: tile.copy %{{.*}}[0] [4], %{{.*}}[%[[C2]]] :
  %c2 = arith.constant 2 : index
  scf.if %c {
    tile.copy %t[0] [4], %t[%c2] : memref<8xf32, #tile.shared>, memref<8xf32, #tile.shared>
  }
  return
}

// CHECK-LABEL: func @reshape_of_reshape
// CHECK-SAME: (%[[A:.*]]: memref<8x4xf32>)
func.func @reshape_of_reshape(%a: memref<8x4xf32>) -> memref<2x16xf32> {
  // CHECK-NEXT: %[[R:.*]] = tile.reshape %[[A]] : memref<8x4xf32> to memref<2x16xf32>
  // CHECK-NEXT: return %[[R]]
  %r = tile.reshape %a : memref<8x4xf32> to memref<32xf32>
  %s = tile.reshape %r : memref<32xf32> to memref<2x16xf32>
  return %s : memref<2x16xf32>
}

// CHECK-LABEL: func @reshape_back
// CHECK-SAME: (%[[A:.*]]: memref<8x4xf32>)
func.func @reshape_back(%a: memref<8x4xf32>) -> memref<8x4xf32> {
  // CHECK-NEXT: return %[[A]]
  %r = tile.reshape %a : memref<8x4xf32> to memref<32xf32>
  %s = tile.reshape %r : memref<32xf32> to memref<8x4xf32>
  return %s : memref<8x4xf32>
}

// CHECK-LABEL: func @view_of_view
// CHECK-SAME: (%[[A:.*]]: memref<8xf32>)
func.func @view_of_view(%a: memref<8xf32>) -> (memref<4xi64>, memref<8xf32>) {
  // CHECK-NEXT: %[[V:.*]] = tile.view %[[A]] : memref<8xf32> to memref<4xi64>
  // CHECK-NEXT: return %[[V]], %[[A]]
  %v = tile.view %a : memref<8xf32> to memref<16xi16>
  %w = tile.view %v : memref<16xi16> to memref<4xi64>
  %x = tile.view %w : memref<4xi64> to memref<8xf32>
  return %w, %x : memref<4xi64>, memref<8xf32>
}

// CHECK-LABEL: func @unused_buffers
func.func @unused_buffers(%a: memref<8xf32>) {
  // CHECK-NOT: tile.alloc
  // CHECK-NOT: tile.reshape
  // CHECK: return
  %w = tile.alloc : memref<64xf32>
  %r = tile.reshape %a : memref<8xf32> to memref<2x4xf32>
  return
}

//===--- compute ---===//

// CHECK-LABEL: func @gemm_clear_if
func.func @gemm_clear_if(%a: memref<8x8xf32, #tile.shared>, %c: memref<8x8xf32, #tile.fragment>) {
  %true = arith.constant true
  %false = arith.constant false
  // CHECK: tile.gemm %{{.*}}, %{{.*}}, %{{.*}} {clear} :
  tile.gemm %a, %a, %c clear_if(%true) : memref<8x8xf32, #tile.shared>, memref<8x8xf32, #tile.shared>, memref<8x8xf32, #tile.fragment>
  // CHECK: tile.gemm %{{[^ ]*}}, %{{[^ ]*}}, %{{[^ ]*}} :
  tile.gemm %a, %a, %c clear_if(%false) : memref<8x8xf32, #tile.shared>, memref<8x8xf32, #tile.shared>, memref<8x8xf32, #tile.fragment>
  return
}

//===--- hints ---===//

// CHECK-LABEL: func @known_conditions
// CHECK-SAME: (%[[C:.*]]: i1)
func.func @known_conditions(%c: i1) {
  // CHECK-DAG: %[[FALSE:.*]] = arith.constant false
  %true = arith.constant true
  %false = arith.constant false
  // What holds says nothing; what does not hold stays.
  // CHECK-NEXT: tile.assume %[[C]]
  // CHECK-NEXT: tile.device_assert %[[FALSE]], "stays"
  // CHECK-NEXT: return
  tile.assume %true
  tile.assume %c
  tile.device_assert %true, "goes"
  tile.device_assert %false, "stays"
  return
}

// Extents that no op may have stay operands, since this code may never run; a smaller one becomes static.
// CHECK-LABEL: func.func @too_many
// CHECK-DAG:   %[[MANY:.*]] = arith.constant 4294967296 : index
// CHECK:       tile.parallel (%{{.*}}, %{{.*}}) in (%[[MANY]], 64)
func.func @too_many(%y: memref<?x?xf32>) {
  %many = arith.constant 4294967296 : index
  %few = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    tile.parallel (%i, %j) in (%many, %few) {
      memref.store %zero, %y[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
