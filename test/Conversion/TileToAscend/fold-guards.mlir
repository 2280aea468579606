// RUN: tile-opt %s --ascend-fold-guards | FileCheck %s --check-prefixes=CHECK,GIVEN
// RUN: tile-opt %s --ascend-fold-guards --tile-legalize-accesses --ascend-fold-guards | FileCheck %s

// Guards that the bounds of the buffer imply are dropped: those of a program, and those that tile-legalize-accesses adds.

// CHECK-LABEL: func.func @tail
// CHECK-NOT: scf.if
// CHECK-NOT: arith.cmpi
// CHECK: tile.parallel
// CHECK: memref.load
// CHECK-NEXT: memref.store
func.func @tail(%x: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %size = memref.dim %x, %c0 : memref<?xf32>
  %room = memref.dim %y, %c0 : memref<?xf32>
  tile.kernel (%b) in (4) {
    tile.parallel (%i) in (256) {
      %p = affine.apply affine_map<(b, i) -> (b * 256 + i)>(%b, %i)
      %inside = arith.cmpi slt, %p, %size : index
      %v = scf.if %inside -> f32 {
        %l = memref.load %x[%p] : memref<?xf32>
        scf.yield %l : f32
      } else {
        scf.yield %zero : f32
      }
      %fits = arith.cmpi slt, %p, %room : index
      scf.if %fits {
        memref.store %v, %y[%p] : memref<?xf32>
      }
    }
  }
  return
}

// Both sides of an index that is read; a padding value of the buffer's own; single elements outside of loops.

// CHECK-LABEL: func.func @sides
// CHECK-NOT: scf.if
// CHECK: memref.load %{{.*}}[%{{.*}}] : memref<64xi32>
// CHECK-NOT: scf.if
// CHECK: memref.load %{{.*}}[%{{.*}}] : memref<100xf32>
// CHECK-NOT: scf.if
// CHECK: return
func.func @sides(%x: memref<100xf32>, %index: memref<64xi32>, %y: memref<64xf32>) {
  tile.kernel (%b) in (64) {
    %c0 = arith.constant 0 : index
    %c100 = arith.constant 100 : index
    %one = arith.constant 1.0 : f32
    tile.safe_value %x, %one : memref<100xf32>
    %n = memref.load %index[%b] : memref<64xi32>
    %p = arith.index_cast %n : i32 to index
    %low = arith.cmpi sge, %p, %c0 : index
    %high = arith.cmpi slt, %p, %c100 : index
    %inside = arith.andi %low, %high : i1
    %v = scf.if %inside -> f32 {
      %l = memref.load %x[%p] : memref<100xf32>
      scf.yield %l : f32
    } else {
      scf.yield %one : f32
    }
    tile.parallel (%i) in (1) {
      memref.store %v, %y[%b] : memref<64xf32>
    }
  }
  return
}

// Guards that say more, or other values, stay.

// CHECK-LABEL: func.func @others
// GIVEN-COUNT-4: scf.if
// CHECK: return
func.func @others(%x: memref<100xf32>, %y: memref<100xf32>) {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %c50 = arith.constant 50 : index
  %c100 = arith.constant 100 : index
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<100xf32, #tile.shared>
    tile.parallel (%i) in (128) {
      %less = arith.cmpi slt, %i, %c50 : index
      %half = scf.if %less -> f32 {
        %l = memref.load %x[%i] : memref<100xf32>
        scf.yield %l : f32
      } else {
        scf.yield %zero : f32
      }
      %inside = arith.cmpi slt, %i, %c100 : index
      %other = scf.if %inside -> f32 {
        %l = memref.load %x[%i] : memref<100xf32>
        scf.yield %l : f32
      } else {
        scf.yield %one : f32
      }
      scf.if %inside {
        memref.store %half, %y[%i] : memref<100xf32>
        memref.store %other, %y[%i] : memref<100xf32>
      }
      scf.if %inside {
        memref.store %half, %t[%i] : memref<100xf32, #tile.shared>
      }
    }
  }
  return
}
