// RUN: tile-opt %s --ascend-prune-sync | FileCheck %s
// RUN: tile-opt-plain %s --ascend-prune-sync --ascend-verify-sync -o /dev/null

// What a guard leaves out of the first iteration of a loop, or of the last one.

!tile = memref<64xf32, #tile.ub>
!gm = memref<64xf32>

// The first store is in the second iteration, and the flag of the first one is before it.
// CHECK-LABEL: func.func @not_first
// CHECK-NOT: ascend.group
func.func @not_first(%a: !gm, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = affine.apply affine_map<()[s0] -> (s0 + 1)>()[%n]
  tile.kernel (%b) in (1) {
    %x = tile.alloc {ascend.address = 0 : i64} : !tile
    ascend.unary exp %x, %x : !tile, !tile
    ascend.set_flag v to mte3 id(1) {ascend.group = 0}
    ascend.wait_flag v to mte3 id(1) {ascend.group = 0}
    scf.for %i = %c0 to %end step %c1 {
      %one = affine.apply affine_map<(d0) -> (d0 - 1)>(%i)
      %begun = arith.cmpi sge, %one, %c0 : index
      %there = arith.cmpi slt, %one, %n : index
      %both = arith.andi %begun, %there : i1
      scf.if %both {
        ascend.copy_ub_to_gm %a, %x : !gm, !tile
      }
      ascend.set_flag mte3 to v id(0)
      ascend.wait_flag mte3 to v id(0)
      ascend.set_flag v to mte3 id(0)
      ascend.wait_flag v to mte3 id(0)
    }
  }
  return
}

// It may be in the first one.
// CHECK-LABEL: func.func @first
// CHECK-COUNT-2: ascend.group
func.func @first(%a: !gm, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = affine.apply affine_map<()[s0] -> (s0 + 1)>()[%n]
  tile.kernel (%b) in (1) {
    %x = tile.alloc {ascend.address = 0 : i64} : !tile
    ascend.unary exp %x, %x : !tile, !tile
    ascend.set_flag v to mte3 id(1) {ascend.group = 0}
    ascend.wait_flag v to mte3 id(1) {ascend.group = 0}
    scf.for %i = %c0 to %end step %c1 {
      %there = arith.cmpi slt, %i, %n : index
      scf.if %there {
        ascend.copy_ub_to_gm %a, %x : !gm, !tile
      }
      ascend.set_flag mte3 to v id(0)
      ascend.wait_flag mte3 to v id(0)
      ascend.set_flag v to mte3 id(0)
      ascend.wait_flag v to mte3 id(0)
    }
  }
  return
}

// Behind the last store there is one more iteration, which begins with the flag.
// CHECK-LABEL: func.func @not_last
// CHECK-NOT: ascend.group
func.func @not_last(%a: !gm, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = affine.apply affine_map<()[s0] -> (s0 + 1)>()[%n]
  tile.kernel (%b) in (1) {
    %x = tile.alloc {ascend.address = 0 : i64} : !tile
    scf.for %i = %c0 to %end step %c1 {
      ascend.set_flag mte3 to v id(0)
      ascend.wait_flag mte3 to v id(0)
      ascend.set_flag v to mte3 id(0)
      ascend.wait_flag v to mte3 id(0)
      %there = arith.cmpi slt, %i, %n : index
      scf.if %there {
        ascend.copy_ub_to_gm %a, %x : !gm, !tile
      }
    }
    ascend.set_flag mte3 to v id(1) {ascend.group = 0}
    ascend.wait_flag mte3 to v id(1) {ascend.group = 0}
    ascend.unary exp %x, %x : !tile, !tile
  }
  return
}

// With two iterations in a step, the last store may be in the last step.
// CHECK-LABEL: func.func @last
// CHECK-COUNT-2: ascend.group
func.func @last(%a: !gm, %n: index) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %end = affine.apply affine_map<()[s0] -> (s0 + 1)>()[%n]
  tile.kernel (%b) in (1) {
    %x = tile.alloc {ascend.address = 0 : i64} : !tile
    scf.for %i = %c0 to %end step %c2 {
      ascend.set_flag mte3 to v id(0)
      ascend.wait_flag mte3 to v id(0)
      ascend.set_flag v to mte3 id(0)
      ascend.wait_flag v to mte3 id(0)
      %there = arith.cmpi slt, %i, %n : index
      scf.if %there {
        ascend.copy_ub_to_gm %a, %x : !gm, !tile
      }
    }
    ascend.set_flag mte3 to v id(1) {ascend.group = 0}
    ascend.wait_flag mte3 to v id(1) {ascend.group = 0}
    ascend.unary exp %x, %x : !tile, !tile
  }
  return
}
