// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: func @static
func.func @static() {
  // A step of 1 and one stage are the defaults and are not printed.
  // CHECK: tile.pipelined %{{.*}} = 0 to 32 {
  tile.pipelined %k = 0 to 32 step 1 stages(1) {
  }
  return
}

// CHECK-LABEL: func @stages
func.func @stages() {
  // CHECK: tile.pipelined %{{.*}} = -4 to 32 step 2 stages(3) {
  tile.pipelined %k = -4 to 32 step 2 stages(3) {
  }
  return
}

// CHECK-LABEL: func @dynamic
// CHECK-SAME: (%[[LB:.*]]: index, %[[UB:.*]]: index, %[[STEP:.*]]: index)
func.func @dynamic(%lb: index, %ub: index, %step: index) {
  // CHECK: tile.pipelined %{{.*}} = %[[LB]] to %[[UB]] step %[[STEP]] {
  tile.pipelined %k = %lb to %ub step %step {
  }
  // CHECK: tile.pipelined %{{.*}} = 0 to %[[UB]] stages(16) {
  tile.pipelined %k = 0 to %ub stages(16) {
  }
  return
}

// CHECK-LABEL: func @constant_step
func.func @constant_step() {
  // An operand is not looked through: folding must not make a legal op illegal.
  // CHECK: %[[STEP:.*]] = arith.constant 0 : index
  %step = arith.constant 0 : index
  // CHECK: tile.pipelined %{{.*}} = 0 to 8 step %[[STEP]] {
  tile.pipelined %k = 0 to 8 step %step {
  }
  return
}

// CHECK-LABEL: func @no_trips
func.func @no_trips() {
  // CHECK: tile.pipelined %{{.*}} = 8 to 0 stages(2) {
  tile.pipelined %k = 8 to 0 stages(2) {
  }
  return
}

// CHECK-LABEL: func @schedule
func.func @schedule(%a: memref<64xf32>, %s: memref<8xf32, #tile.shared>, %f: memref<8xf32, #tile.fragment>) {
  // The scalar computation between the two copies has no place in the schedule.
  // CHECK: tile.pipelined %{{.*}} = 0 to 8 stages(2) order(0, 1) stage(0, 1) attributes {note = "kept"} {
  tile.pipelined %k = 0 to 8 stages(2) order(0, 1) stage(0, 1) attributes {note = "kept"} {
    tile.copy %a[%k * 8], %s : memref<64xf32>, memref<8xf32, #tile.shared>
    %n = arith.addi %k, %k : index
    tile.copy %s, %f : memref<8xf32, #tile.shared>, memref<8xf32, #tile.fragment>
  }
  return
}

// CHECK-LABEL: func @nested
func.func @nested() {
  // CHECK: tile.pipelined %{{.*}} = 0 to 4 stages(2) {
  // CHECK-NEXT: tile.pipelined %{{.*}} = 0 to 8 stages(3) {
  tile.pipelined %i = 0 to 4 stages(2) {
    tile.pipelined %k = 0 to 8 stages(3) {
    }
  }
  return
}
