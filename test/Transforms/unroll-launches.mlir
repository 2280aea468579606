// RUN: tile-opt %s --split-input-file --verify-diagnostics --tile-unroll-launches | FileCheck %s

// Variables are constants, values are carried on, loops of kernels stay.

// CHECK-LABEL: func.func @carried
// CHECK-NOT:   scf.for
// CHECK:       %[[A:.*]] = arith.addi %{{.*}}, %[[K0:.*]] : index
// CHECK:       tile.kernel (%{{.*}}) in (%[[A]])
// CHECK-NEXT:    scf.for
// CHECK:       %[[B:.*]] = arith.addi %[[A]], %{{.*}} : index
// CHECK:       tile.kernel (%{{.*}}) in (%[[B]])
// CHECK:       tile.kernel (%{{.*}}) in (%[[B]])
// CHECK-NOT:   tile.kernel
// CHECK:       return
func.func @carried(%a: memref<64xf32>, %n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c7 = arith.constant 7 : index
  %sum = scf.for %k = %c1 to %c7 step %c5 iter_args(%s = %c1) -> index {
    %t = arith.addi %s, %k : index
    tile.kernel (%b) in (%t) {
      scf.for %i = %c0 to %n step %c1 {
        memref.store %x, %a[%i] : memref<64xf32>
      }
    }
    scf.yield %t : index
  }
  // None, and one that is nested.
  scf.for %k = %c7 to %c1 step %c1 {
    tile.kernel (%b) in (1) {
    }
  }
  scf.for %k = %c0 to %c1 step %c1 {
    scf.for %j = %k to %c1 step %c1 {
      tile.kernel (%b) in (%sum) {
      }
    }
  }
  return
}

// -----

func.func @dynamic(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{'scf.for' op launches kernels a number of times that is not a constant; call a function with the body of the loop from a loop of the caller}}
  scf.for %k = %c0 to %n step %c1 {
    tile.kernel (%b) in (1) {
    }
  }
  return
}

// -----

func.func @many() {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %last = arith.constant 9223372036854775807 : i64
  // expected-error @below {{'scf.for' op launches more than 64 kernels; call a function with the body of the loop from a loop of the caller}}
  scf.for %k = %c0 to %last step %c1 : i64 {
    tile.kernel (%b) in (1) {
    }
  }
  return
}
