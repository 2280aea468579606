// RUN: tile-opt %s --split-input-file --verify-diagnostics --tile-sink-loads | FileCheck %s

// What is computed from the number goes with it; what does not depend on a load stays.

// CHECK-LABEL: func.func @scale
// CHECK-NOT:   memref.load
// CHECK:       %[[N:.*]] = arith.addf %arg2, %arg2
// CHECK-NOT:   memref.load
// CHECK:       tile.kernel
// CHECK-NEXT:    %[[V:.*]] = memref.load %arg1[] : memref<f32>
// CHECK-NEXT:    %[[W:.*]] = arith.mulf %[[V]], %[[N]]
// CHECK:         tile.parallel
// CHECK:           arith.mulf %{{.*}}, %[[W]]
// CHECK:       tile.kernel
// CHECK-NEXT:    memref.load %arg1[] : memref<f32>
// CHECK:       return
func.func @scale(%a: memref<64xf32>, %factor: memref<f32>, %x: f32) {
  %v = memref.load %factor[] : memref<f32>
  %n = arith.addf %x, %x : f32
  %w = arith.mulf %v, %n : f32
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (64) {
      %e = memref.load %a[%i] : memref<64xf32>
      %f = arith.mulf %e, %w : f32
      memref.store %f, %a[%i] : memref<64xf32>
    }
  }
  tile.kernel (%b) in (1) {
    tile.fill %a, %w : memref<64xf32>
  }
  return
}

// -----

// Written before the load; the view of another buffer.

// CHECK-LABEL: func.func @after
// CHECK:       tile.kernel
// CHECK:       tile.kernel
// CHECK-NEXT:    memref.load
func.func @after(%a: memref<64xf32>, %n: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    tile.fill %n, %zero : memref<1xf32>
  }
  %v = memref.load %n[%c0] : memref<1xf32>
  tile.kernel (%b) in (1) {
    tile.fill %a, %v : memref<64xf32>
  }
  return
}

// -----

func.func @written_by_another(%a: memref<64xf32>, %n: memref<1xf32>, %c0: index) {
  // expected-error @below {{cannot be moved into the kernel that uses its result: the buffer is written before the kernel ends; copy the number to a buffer of its own first}}
  %v = memref.load %n[%c0] : memref<1xf32>
  %zero = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    // expected-note @below {{it is written here}}
    tile.fill %n, %zero : memref<1xf32>
  }
  tile.kernel (%b) in (1) {
    tile.fill %a, %v : memref<64xf32>
  }
  return
}

// -----

// Blocks run in any order: one may write before another one reads.
func.func @written_by_itself(%a: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{cannot be moved into the kernel}}
  %v = affine.load %a[0] : memref<64xf32>
  tile.kernel (%b) in (1) {
    // expected-note @below {{it is written here}}
    tile.fill %a, %v : memref<64xf32>
  }
  return
}

// -----

func.func private @unknown()
func.func @unknown_between(%a: memref<64xf32>, %n: memref<1xf32>, %c0: index) {
  // expected-error @below {{cannot be moved into the kernel}}
  %v = memref.load %n[%c0] : memref<1xf32>
  // expected-note @below {{it is written here}}
  func.call @unknown() : () -> ()
  tile.kernel (%b) in (1) {
    tile.fill %a, %v : memref<64xf32>
  }
  return
}
