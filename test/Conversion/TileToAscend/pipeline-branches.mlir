// RUN: tile-opt %s --split-input-file --ascend-pipeline-loops --canonicalize --cse | FileCheck %s

// A tile that both sides of a branch fill belongs to its iteration, and has a buffer for each stage; one that a side reads first, or
// that one side fills alone, does not.

!gm = memref<?xf32>
!piece = memref<64xf32, strided<[1], offset: ?>>
!ub = memref<64xf32, #tile.ub>

// CHECK-LABEL: func.func @both
// CHECK-COUNT-4: tile.alloc {ascend.multi_buffer = 2 : i64}
func.func @both(%a: !gm, %o: !gm, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  tile.kernel (%b) in (1) {
    %x = tile.alloc : !ub
    %y = tile.alloc : !ub
    scf.for %i = %c0 to %n step %c1 {
      %at = arith.muli %i, %c64 : index
      %from = memref.subview %a[%at] [64] [1] : !gm to !piece
      %to = memref.subview %o[%at] [64] [1] : !gm to !piece
      ascend.copy_gm_to_ub %x, %from : !ub, !piece
      %first = arith.cmpi eq, %i, %c0 : index
      scf.if %first {
        ascend.unary exp %y, %x : !ub, !ub
      } else {
        ascend.copy_ub %y, %x : !ub, !ub
      }
      ascend.copy_ub_to_gm %to, %y : !piece, !ub
    } {ascend.stages = 2 : i64}
  }
  return
}

// -----

!gm = memref<?xf32>
!piece = memref<64xf32, strided<[1], offset: ?>>
!ub = memref<64xf32, #tile.ub>

// CHECK-LABEL: func.func @one
// CHECK-COUNT-2: tile.alloc {ascend.multi_buffer = 2 : i64}
// CHECK-NOT:     ascend.multi_buffer
func.func @one(%a: !gm, %o: !gm, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  tile.kernel (%b) in (1) {
    %x = tile.alloc : !ub
    %y = tile.alloc : !ub
    scf.for %i = %c0 to %n step %c1 {
      %at = arith.muli %i, %c64 : index
      %from = memref.subview %a[%at] [64] [1] : !gm to !piece
      %to = memref.subview %o[%at] [64] [1] : !gm to !piece
      ascend.copy_gm_to_ub %x, %from : !ub, !piece
      %first = arith.cmpi eq, %i, %c0 : index
      scf.if %first {
        ascend.unary exp %y, %x : !ub, !ub
      }
      ascend.copy_ub_to_gm %to, %y : !piece, !ub
    } {ascend.stages = 2 : i64}
  }
  return
}

// -----

!gm = memref<?xf32>
!piece = memref<64xf32, strided<[1], offset: ?>>
!ub = memref<64xf32, #tile.ub>

// CHECK-LABEL: func.func @reads
// CHECK-COUNT-2: tile.alloc {ascend.multi_buffer = 2 : i64}
// CHECK-NOT:     ascend.multi_buffer
func.func @reads(%a: !gm, %o: !gm, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  tile.kernel (%b) in (1) {
    %x = tile.alloc : !ub
    %y = tile.alloc : !ub
    scf.for %i = %c0 to %n step %c1 {
      %at = arith.muli %i, %c64 : index
      %from = memref.subview %a[%at] [64] [1] : !gm to !piece
      %to = memref.subview %o[%at] [64] [1] : !gm to !piece
      ascend.copy_gm_to_ub %x, %from : !ub, !piece
      %first = arith.cmpi eq, %i, %c0 : index
      scf.if %first {
        ascend.unary exp %y, %x : !ub, !ub
      } else {
        ascend.binary add %y, %y, %x : !ub, !ub, !ub
      }
      ascend.copy_ub_to_gm %to, %y : !piece, !ub
    } {ascend.stages = 2 : i64}
  }
  return
}
