// RUN: tile-opt %s --ascend-split-parallel --split-input-file | FileCheck %s
// RUN: tile-opt %s --ascend-split-parallel --split-input-file -o /dev/null --remarks-filter=ascend-split-parallel 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

// REMARK: [Missed] SerialIterations {{.*}}dimensions=1
// REMARK: [Passed] DividedIterations {{.*}}at once={{[0-9]+}}, iterations=1048576

!ub = memref<16x64xf32, #tile.ub>

module attributes {tile.target = #tile.target<"910B">} {
  // A branch that differs between iterations: both sides, and a selection of the old value.
  // CHECK-LABEL: func.func @selection
  // CHECK:         tile.parallel
  // CHECK-NOT:       scf.if
  // CHECK:           %[[OLD:.*]] = memref.load %[[T:.*]][%{{.*}}, %{{.*}}] : memref<16x64xf32, #tile.ub>
  // CHECK-NEXT:      %[[NEW:.*]] = arith.select %{{.*}}, %{{.*}}, %[[OLD]] : f32
  // CHECK-NEXT:      memref.store %[[NEW]], %[[T]][
  func.func @selection(%x: memref<16x64xf32>) {
    %zero = arith.constant 0.0 : f32
    tile.kernel (%b) in (1) {
      %t = tile.alloc : !ub
      tile.fill %t, %zero : !ub
      tile.parallel (%i, %j) in (16, 64) {
        %v = memref.load %x[%i, %j] : memref<16x64xf32>
        %p = arith.cmpf ogt, %v, %zero : f32
        scf.if %p {
          memref.store %v, %t[%i, %j] : !ub
        }
      }
    }
    return
  }

  // A store to global memory, by rows: the rows become a loop, with the branch in it.
  // CHECK-LABEL: func.func @rows
  // CHECK:         scf.for %[[ROW:.*]] =
  // CHECK:           memref.load %{{.*}}[%[[ROW]]]
  // CHECK:           scf.if
  // CHECK:             tile.parallel (%{{.*}}, %{{.*}}) in (1, 64)
  func.func @rows(%x: memref<16x64xf32>, %n: memref<16xi32>) {
    %zero = arith.constant 0.0 : f32
    %none = arith.constant 0 : i32
    tile.kernel (%b) in (1) {
      tile.parallel (%i, %j) in (16, 64) {
        %v = memref.load %n[%i] : memref<16xi32>
        %p = arith.cmpi ne, %v, %none : i32
        scf.if %p {
          memref.store %zero, %x[%i, %j] : memref<16x64xf32>
        }
      }
    }
    return
  }

  // A loop stands around the iterations; what it carries and what goes into it are tiles.
  // CHECK-LABEL: func.func @carried
  // CHECK-DAG:     %[[E:.*]] = tile.alloc : memref<64xf32, #tile.ub>
  // CHECK-DAG:     %[[S:.*]] = tile.alloc : memref<64xf32, #tile.ub>
  // CHECK:         tile.parallel
  // CHECK:           math.exp
  // CHECK:         scf.for
  // CHECK-NEXT:      tile.parallel
  // CHECK:             arith.mulf
  // CHECK:         tile.parallel
  // CHECK-NOT:       math.exp
  // CHECK:           memref.store %{{.*}}, %arg1
  func.func @carried(%x: memref<64xf32>, %y: memref<64xf32>, %n: index) {
    %one = arith.constant 1.0 : f32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    tile.kernel (%b) in (1) {
      tile.parallel (%i) in (64) {
        %v = memref.load %x[%i] : memref<64xf32>
        %e = math.exp %v : f32
        %p = scf.for %k = %c0 to %n step %c1 iter_args(%q = %one) -> f32 {
          %r = arith.mulf %q, %e : f32
          scf.yield %r : f32
        }
        memref.store %p, %y[%i] : memref<64xf32>
      }
    }
    return
  }

  // More elements than UB has: rows of a whole vector unit's worth, and the rest.
  // CHECK-LABEL: func.func @divided
  // CHECK:         scf.for
  // CHECK:           tile.parallel (%{{.*}}, %{{.*}}) in ({{[0-9]+}}, 1024)
  func.func @divided(%x: memref<1024x1024xf32>, %y: memref<1024x1024xf32>) {
    tile.kernel (%b) in (1) {
      tile.parallel (%i, %j) in (1024, 1024) {
        %v = memref.load %x[%i, %j] : memref<1024x1024xf32>
        %e = math.exp %v : f32
        memref.store %e, %y[%i, %j] : memref<1024x1024xf32>
      }
    }
    return
  }

  // What fits stays as it is.
  // CHECK-LABEL: func.func @whole
  // CHECK-NOT:     scf.for
  // CHECK:         tile.parallel (%{{.*}}, %{{.*}}) in (16, 64)
  func.func @whole(%x: memref<16x64xf32>) {
    tile.kernel (%b) in (1) {
      tile.parallel (%i, %j) in (16, 64) {
        %v = memref.load %x[%i, %j] : memref<16x64xf32>
        %e = math.exp %v : f32
        memref.store %e, %x[%i, %j] : memref<16x64xf32>
      }
    }
    return
  }

  // A function of a number, by the vector unit; an element that scalar code stores.
  // CHECK-LABEL: func.func @scalar
  // CHECK:         tile.fill
  // CHECK:         tile.parallel (%{{.*}}) in (8)
  // CHECK:           math.rsqrt
  // CHECK:         %[[R:.*]] = memref.load %{{.*}}[%{{.*}}] : memref<8xf32, #tile.ub>
  // CHECK:         tile.parallel (%{{.*}}) in (1)
  // CHECK:           memref.store %[[R]], %{{.*}} : memref<4xf32>
  func.func @scalar(%x: memref<4xf32>, %f: f32) {
    tile.kernel (%b) in (4) {
      %r = math.rsqrt %f : f32
      memref.store %r, %x[%b] : memref<4xf32>
    }
    return
  }
}

// What iterations write decides which of the next ones store: one comes after the other.

// CHECK-LABEL: func.func @serial
// CHECK:       scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step
// CHECK:         %[[N:.*]] = memref.load %{{.*}} : memref<64xi32, #tile.ub>
// CHECK:         %[[IS:.*]] = arith.cmpi eq, %[[N]]
// CHECK:         scf.if %[[IS]] {
// CHECK-NEXT:      tile.parallel (%{{.*}}) in (1) {
// CHECK-NEXT:        memref.store %{{.*}}, %{{.*}}[%[[I]]] : memref<64xf32>
// CHECK:         tile.parallel (%{{.*}}) in (1) {
// CHECK-NEXT:      tile.atomic add
func.func @serial(%x: memref<64xf32>, %y: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %three = arith.constant 3 : i32
  tile.kernel (%b) in (1) {
    %n = tile.alloc : memref<64xi32, #tile.ub>
    tile.fill %n, 3 : memref<64xi32, #tile.ub>
    tile.parallel (%i) in (64) {
      %v = memref.load %x[%i] : memref<64xf32>
      %word = memref.load %n[%c0] : memref<64xi32, #tile.ub>
      %is = arith.cmpi eq, %word, %three : i32
      scf.if %is {
        memref.store %v, %y[%i] : memref<64xf32>
      }
      tile.atomic add %three, %n[%c0] : i32, memref<64xi32, #tile.ub>
    }
  }
  return
}

// A loop that goes on while a condition holds is left; what it carries is in UB.

// CHECK-LABEL: func.func @while
// CHECK:       memref.store %{{.*}}, %[[BEFORE:.*]][%{{.*}}] : memref<1xi32, #tile.ub>
// CHECK:       scf.for
// CHECK:         %[[V:.*]] = memref.load %[[BEFORE]]
// CHECK:         %[[MORE:.*]] = arith.cmpi sgt, %[[V]]
// CHECK:         memref.store %[[V]], %[[AFTER:.*]][
// CHECK:         %[[DONE:.*]] = arith.xori %[[MORE]]
// CHECK:         scf.if %[[MORE]] {
// CHECK:           memref.store %{{.*}}, %[[BEFORE]]
// CHECK:         }
// CHECK-NEXT:    ascend.leave_loop %[[DONE]]
// CHECK:       memref.load %[[AFTER]]
func.func @while(%n: i32, %y: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  tile.kernel (%b) in (1) {
    %r = scf.while (%w = %n) : (i32) -> i32 {
      %more = arith.cmpi sgt, %w, %one : i32
      scf.condition(%more) %w : i32
    } do {
    ^bb0(%w: i32):
      %next = arith.shrui %w, %one : i32
      scf.yield %next : i32
    }
    memref.store %r, %y[%c0] : memref<1xi32>
  }
  return
}
