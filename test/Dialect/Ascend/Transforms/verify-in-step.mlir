// RUN: tile-opt-plain %s --ascend-verify-sync --split-input-file --verify-diagnostics
// RUN: not tile-opt-plain %s --ascend-verify-sync --split-input-file --remarks-filter=ascend-verify-sync -o /dev/null 2>&1 | FileCheck %s

// Loops and branches of both cores in step: any number of iterations, in one run. Otherwise, small numbers of iterations.

!acc = memref<32x32xf32, #tile.l0c>
!tile = memref<32x32xf32, #tile.ub>
!gm = memref<32x32xf32>

// CHECK-NOT: SmallCounts
// CHECK: error: nothing orders this instruction of pipe 'mte2'
func.func @nested(%w: !gm, %n: index, %m: index, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.kernel (%b) in (1) {
    %c_acc = tile.alloc {ascend.address = 0 : i64} : !acc
    %x = tile.alloc {ascend.address = 0 : i64} : !tile
    ascend.section cube {
      scf.for %i = %c0 to %n step %c1 {
        scf.for %j = %c0 to %m step %c1 {
          scf.if %c {
            ascend.cross_core_wait_flag id(1)
            ascend.fixpipe %w, %c_acc : !gm, !acc
            ascend.cross_core_set_flag fix id(0)
          }
        }
      }
      ascend.cross_core_wait_flag id(1)
    }
    ascend.section vector {
      ascend.cross_core_set_flag mte2 id(1)
      scf.for %i = %c0 to %n step %c1 {
        scf.for %j = %c0 to %m step %c1 {
          scf.if %c {
            ascend.cross_core_wait_flag id(0)
            ascend.pipe_barrier mte2
            ascend.copy_gm_to_ub %x, %w : !tile, !gm
            ascend.cross_core_set_flag mte2 id(1)
          }
        }
      }
    }
  }
  return
}

// -----

!acc = memref<32x32xf32, #tile.l0c>
!tile = memref<32x32xf32, #tile.ub>
!gm = memref<32x32xf32>

// The first store is not in the first iteration, in which flags order it behind the code in front of the loop; the other one is not
// in the last iteration, in which flags order the code behind the loop.
func.func @first_and_last(%w: !gm, %out: !gm, %other: !gm, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = affine.apply affine_map<()[s0] -> (s0 + 1)>()[%n]
  tile.kernel (%b) in (1) {
    %c = tile.alloc {ascend.address = 0 : i64} : !acc
    %x = tile.alloc {ascend.address = 0 : i64} : !tile
    %y = tile.alloc {ascend.address = 4096 : i64} : !tile
    %z = tile.alloc {ascend.address = 8192 : i64} : !tile
    ascend.section cube {
      scf.for %i = %c0 to %end step %c1 {
        ascend.cross_core_wait_flag id(1)
        ascend.fixpipe %w, %c : !gm, !acc
        ascend.cross_core_set_flag fix id(0)
      }
      ascend.cross_core_wait_flag id(1)
    }
    ascend.section vector {
      ascend.unary exp %x, %x : !tile, !tile
      ascend.cross_core_set_flag mte2 id(1)
      scf.for %i = %c0 to %end step %c1 {
        ascend.cross_core_wait_flag id(0)
        ascend.pipe_barrier mte2
        ascend.copy_gm_to_ub %z, %w : !tile, !gm
        ascend.cross_core_set_flag mte2 id(1)
        %one = affine.apply affine_map<(d0) -> (d0 - 1)>(%i)
        %begun = arith.cmpi sge, %one, %c0 : index
        %inside = arith.cmpi slt, %one, %n : index
        %both = arith.andi %begun, %inside : i1
        scf.if %both {
          ascend.copy_ub_to_gm %out, %x : !gm, !tile
        }
        ascend.set_flag mte3 to v id(0)
        ascend.wait_flag mte3 to v id(0)
        ascend.set_flag v to mte3 id(0)
        ascend.wait_flag v to mte3 id(0)
        %there = arith.cmpi slt, %i, %n : index
        scf.if %there {
          ascend.copy_ub_to_gm %other, %y : !gm, !tile
        }
      }
      ascend.unary exp %y, %y : !tile, !tile
    }
  }
  return
}

// -----

!acc = memref<32x32xf32, #tile.l0c>
!tile = memref<32x32xf32, #tile.ub>
!gm = memref<32x32xf32>

// From one iteration to the next: nothing says that the tile has been read.
func.func @next_iteration(%w: !gm, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.kernel (%b) in (1) {
    %c = tile.alloc {ascend.address = 0 : i64} : !acc
    %x = tile.alloc {ascend.address = 0 : i64} : !tile
    ascend.section cube {
      scf.for %i = %c0 to %n step %c1 {
        // expected-note@+1 {{the other one is here}}
        ascend.fixpipe %w, %c : !gm, !acc
        ascend.pipe_barrier fix
        ascend.cross_core_set_flag fix id(0)
      }
    }
    ascend.section vector {
      scf.for %i = %c0 to %n step %c1 {
        ascend.cross_core_wait_flag id(0)
        // expected-error@+1 {{nothing orders this instruction of pipe 'mte2' after one of pipe 'fix' of the other core: read after write}}
        ascend.copy_gm_to_ub %x, %w : !tile, !gm
        ascend.pipe_barrier mte2
      }
    }
  }
  return
}

// -----

// The cube is any number of sets ahead, which no small number of iterations shows: a remark says how far the proof goes.
// CHECK: SmallCounts{{.*}}the cores are not in step: their order is proven for small numbers of iterations
func.func @ahead(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.kernel (%b) in (1) {
    ascend.section cube {
      scf.for %i = %c0 to %n step %c1 {
        ascend.cross_core_set_flag fix id(0)
      }
    }
    ascend.section vector {
      scf.for %i = %c0 to %n step %c1 {
        ascend.cross_core_wait_flag id(0)
      }
    }
  }
  return
}

// -----

// Loops of the same length that are not the same, and too many of them.
func.func @undecided(%n0: index, %n1: index, %n2: index, %n3: index, %n4: index, %n5: index, %n6: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  // expected-error@+1 {{the order of the two cores is not decided: loops and branches with flags between the cores differ in the two sections, or one core may be many iterations ahead, and there are too many numbers of iterations to try each}}
  tile.kernel (%b) in (1) {
    ascend.section cube {
      scf.for %i = %c0 to %n0 step %c1 {
        ascend.cross_core_set_flag fix id(0)
      }
      scf.for %i = %c0 to %n1 step %c1 {
        ascend.cross_core_set_flag fix id(0)
      }
      scf.for %i = %c0 to %n2 step %c1 {
        ascend.cross_core_set_flag fix id(0)
      }
      scf.for %i = %c0 to %n3 step %c1 {
        ascend.cross_core_set_flag fix id(0)
      }
      scf.for %i = %c0 to %n4 step %c1 {
        ascend.cross_core_set_flag fix id(0)
      }
      scf.for %i = %c0 to %n5 step %c1 {
        ascend.cross_core_set_flag fix id(0)
      }
      scf.for %i = %c0 to %n6 step %c1 {
        ascend.cross_core_set_flag fix id(0)
      }
    }
    ascend.section vector {
      %m0 = arith.muli %n0, %c2 : index
      scf.for %i = %c0 to %m0 step %c2 {
        ascend.cross_core_wait_flag id(0)
      }
      %m1 = arith.muli %n1, %c2 : index
      scf.for %i = %c0 to %m1 step %c2 {
        ascend.cross_core_wait_flag id(0)
      }
      %m2 = arith.muli %n2, %c2 : index
      scf.for %i = %c0 to %m2 step %c2 {
        ascend.cross_core_wait_flag id(0)
      }
      %m3 = arith.muli %n3, %c2 : index
      scf.for %i = %c0 to %m3 step %c2 {
        ascend.cross_core_wait_flag id(0)
      }
      %m4 = arith.muli %n4, %c2 : index
      scf.for %i = %c0 to %m4 step %c2 {
        ascend.cross_core_wait_flag id(0)
      }
      %m5 = arith.muli %n5, %c2 : index
      scf.for %i = %c0 to %m5 step %c2 {
        ascend.cross_core_wait_flag id(0)
      }
      %m6 = arith.muli %n6, %c2 : index
      scf.for %i = %c0 to %m6 step %c2 {
        ascend.cross_core_wait_flag id(0)
      }
    }
  }
  return
}
