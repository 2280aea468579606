// On GPUs, a branch of the program that yields what it reads, or else the padding, is one with the guard of the read: threads have all
// their reads under way where a branch stands around each, and not a branch in a branch.

// RUN: tile-opt %s --split-input-file --tile-set-target=chip=sm_90a --tile-legalize-accesses | FileCheck %s
// RUN: tile-opt %s --split-input-file --tile-legalize-accesses | FileCheck %s --check-prefix=OTHER

// What the guard needs is computed in front, and decides nothing where the program does not read.
// CHECK-LABEL: @joined
// OTHER-LABEL: @joined
func.func @joined(%x: memref<?x64xf16>, %y: memref<32x64xf16>, %end: index, %first: index) {
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<32x64xf16, #tile.shared>
    tile.parallel (%i, %j) in (32, 64) {
      // CHECK:      %[[IN:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : index
      // CHECK:      %[[ROW:.*]] = affine.apply
      // CHECK:      %[[OPEN:.*]] = arith.andi
      // CHECK:      %[[FALSE:.*]] = arith.constant false
      // CHECK:      %[[BOTH:.*]] = arith.select %[[IN]], %[[OPEN]], %[[FALSE]] : i1
      // CHECK:      scf.if %[[BOTH]] -> (f16) {
      // CHECK-NEXT:   %[[V:.*]] = memref.load %{{.*}}[%[[ROW]], %{{.*}}]
      // CHECK-NEXT:   scf.yield %[[V]]
      // CHECK-NEXT: } else {
      // CHECK-NOT:  scf.if
      // CHECK:      memref.store
      // OTHER:      scf.if
      // OTHER:        scf.if
      %in = arith.cmpi slt, %i, %end : index
      %v = scf.if %in -> (f16) {
        %row = affine.apply affine_map<(i, f) -> (i + f)>(%i, %first)
        %read = memref.load %x[%row, %j] : memref<?x64xf16>
        scf.yield %read : f16
      } else {
        %zero = arith.constant 0.0 : f16
        scf.yield %zero : f16
      }
      memref.store %v, %t[%i, %j] : memref<32x64xf16, #tile.shared>
    }
    tile.copy %t, %y : memref<32x64xf16, #tile.shared>, memref<32x64xf16>
  }
  return
}

// -----

// Not where the program yields another value than the padding, computes with what it read, or reads twice.
// CHECK-LABEL: @apart
// CHECK: scf.if
// CHECK:   scf.if
// CHECK:     memref.load
// CHECK: scf.if
// CHECK:   scf.if
// CHECK:     memref.load
// CHECK: scf.if
// CHECK:   scf.if
// CHECK:     memref.load
// CHECK:   scf.if
// CHECK:     memref.load
func.func @apart(%x: memref<?xf32>, %list: memref<?xi32>, %y: memref<32xf32>, %end: index, %first: index) {
  tile.kernel (%b) in (1) {
    %zero = arith.constant 0.0 : f32
    tile.parallel (%i) in (32) {
      %in = arith.cmpi slt, %i, %end : index
      %at = affine.apply affine_map<(i, f) -> (i + f)>(%i, %first)
      %v = scf.if %in -> (f32) {
        %read = memref.load %x[%at] : memref<?xf32>
        scf.yield %read : f32
      } else {
        %one = arith.constant 1.0 : f32
        scf.yield %one : f32
      }
      %w = scf.if %in -> (f32) {
        %read = memref.load %x[%at] : memref<?xf32>
        %twice = arith.addf %read, %read : f32
        scf.yield %twice : f32
      } else {
        scf.yield %zero : f32
      }
      %u = scf.if %in -> (f32) {
        %entry = memref.load %list[%at] : memref<?xi32>
        %row = arith.index_cast %entry : i32 to index
        %read = memref.load %x[%row] : memref<?xf32>
        scf.yield %read : f32
      } else {
        scf.yield %zero : f32
      }
      %s = arith.addf %v, %w : f32
      %sum = arith.addf %s, %u : f32
      memref.store %sum, %y[%i] : memref<32xf32>
    }
  }
  return
}
