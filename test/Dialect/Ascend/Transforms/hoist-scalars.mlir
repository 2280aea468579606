// What depends on nothing in the loops around it is computed once in front of them, also where a branch has it.
// What may have no result (a division), reads memory or depends on the loop stays.
// RUN: tile-opt %s --split-input-file --ascend-hoist-scalars | FileCheck %s

// CHECK-LABEL: func @branch
//  CHECK-SAME: memref<?xindex>, %[[TILE:[^:]*]]: index, %[[SIZE:[^:]*]]: index
//       CHECK: %[[FIRST:.*]] = arith.muli %[[TILE]], %[[SIZE]]
//       CHECK: scf.for %[[I:.*]] = {{.*}} {
//   CHECK-NOT:   arith.muli
//       CHECK:   scf.if
//  CHECK-NEXT:     arith.addi %[[FIRST]], %[[I]]
//       CHECK:   } else {
//  CHECK-NEXT:     arith.divui %[[TILE]], %[[SIZE]]
func.func @branch(%x: memref<?xindex>, %tile: index, %size: index, %n: index, %more: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.if %more {
      %first = arith.muli %tile, %size : index
      %at = arith.addi %first, %i : index
      memref.store %at, %x[%at] : memref<?xindex>
    } else {
      %part = arith.divui %tile, %size : index
      memref.store %part, %x[%i] : memref<?xindex>
    }
  }
  return
}

// -----

// Out of a loop in a branch of a loop, as far as nothing changes.
// CHECK-LABEL: func @nested
//  CHECK-SAME: memref<?xindex>, %[[TILE:[^:]*]]: index
//       CHECK: %[[OUTER:.*]] = arith.muli %[[TILE]], %[[TILE]]
//       CHECK: scf.for %[[I:.*]] = {{.*}} {
//       CHECK:   scf.if
//  CHECK-NEXT:     %[[INNER:.*]] = arith.addi %[[OUTER]], %[[I]]
//  CHECK-NEXT:     scf.for
//  CHECK-NEXT:       scf.if
//  CHECK-NEXT:         %[[OLD:.*]] = memref.load
//  CHECK-NEXT:         arith.addi %[[OLD]], %[[INNER]]
func.func @nested(%x: memref<?xindex>, %tile: index, %n: index, %more: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.if %more {
      scf.for %j = %c0 to %n step %c1 {
        scf.if %more {
          %square = arith.muli %tile, %tile : index
          %inner = arith.addi %square, %i : index
          %old = memref.load %x[%j] : memref<?xindex>
          %new = arith.addi %old, %inner : index
          memref.store %new, %x[%j] : memref<?xindex>
        }
      }
    }
  }
  return
}
