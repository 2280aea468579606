// RUN: tile-opt-plain %s --ascend-verify-sync --split-input-file --verify-diagnostics
// RUN: tile-opt-plain %s --tile-set-target="chip=950" --ascend-verify-sync --split-input-file --verify-diagnostics

// A step of a loop has parts of several iterations behind guards. Where two iterations exist, those between them do.

!tile = memref<32x32xf32, #tile.ub>
!gm = memref<32x32xf32>

// The flag is there if iteration %i - 1 is, between that of the read and that of the write.
func.func @between(%w: !gm, %n: index, %end: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.kernel (%b) in (1) {
    %x = tile.alloc {ascend.address = 0 : i64} : !tile
    %y = tile.alloc {ascend.address = 4096 : i64} : !tile
    scf.for %i = %c0 to %end step %c1 {
      ascend.set_flag v to mte2 id(1)
      ascend.wait_flag v to mte2 id(1)
      %two = affine.apply affine_map<(d0) -> (d0 - 2)>(%i)
      %two_begun = arith.cmpi sge, %two, %c0 : index
      %two_there = arith.cmpi slt, %two, %n : index
      %second = arith.andi %two_begun, %two_there : i1
      scf.if %second {
        ascend.binary add %y, %x, %x : !tile, !tile, !tile
      }
      %one = affine.apply affine_map<(d0) -> (d0 - 1)>(%i)
      %one_begun = arith.cmpi sge, %one, %c0 : index
      %one_there = arith.cmpi slt, %one, %n : index
      %first = arith.andi %one_begun, %one_there : i1
      scf.if %first {
        ascend.set_flag v to mte2 id(0)
        ascend.wait_flag v to mte2 id(0)
      }
      %there = arith.cmpi slt, %i, %n : index
      scf.if %there {
        ascend.copy_gm_to_ub %x, %w : !tile, !gm
      }
      ascend.set_flag mte2 to v id(0)
      ascend.wait_flag mte2 to v id(0)
    }
  }
  return
}

// -----

!tile = memref<32x32xf32, #tile.ub>
!gm = memref<32x32xf32>

// The iteration of the flag may be behind the last one.
func.func @beyond(%w: !gm, %n: index, %end: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.kernel (%b) in (1) {
    %x = tile.alloc {ascend.address = 0 : i64} : !tile
    %y = tile.alloc {ascend.address = 4096 : i64} : !tile
    scf.for %i = %c0 to %end step %c1 {
      ascend.set_flag v to mte2 id(1)
      ascend.wait_flag v to mte2 id(1)
      %two = affine.apply affine_map<(d0) -> (d0 - 2)>(%i)
      %two_begun = arith.cmpi sge, %two, %c0 : index
      %two_there = arith.cmpi slt, %two, %n : index
      %second = arith.andi %two_begun, %two_there : i1
      scf.if %second {
        // expected-note@+1 {{the other one is here}}
        ascend.binary add %y, %x, %x : !tile, !tile, !tile
      }
      %next = affine.apply affine_map<(d0) -> (d0 + 1)>(%i)
      %next_there = arith.cmpi slt, %next, %n : index
      scf.if %next_there {
        ascend.set_flag v to mte2 id(0)
        ascend.wait_flag v to mte2 id(0)
      }
      %there = arith.cmpi slt, %i, %n : index
      scf.if %there {
        // expected-error@+1 {{nothing orders this instruction of pipe 'mte2' after one of pipe 'v': write after read}}
        ascend.copy_gm_to_ub %x, %w : !tile, !gm
      }
      ascend.set_flag mte2 to v id(0)
      ascend.wait_flag mte2 to v id(0)
    }
  }
  return
}

// -----

!tile = memref<32x32xf32, #tile.ub>
!gm = memref<32x32xf32>

// The guards end at different numbers.
func.func @other_end(%w: !gm, %n: index, %m: index, %end: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.kernel (%b) in (1) {
    %x = tile.alloc {ascend.address = 0 : i64} : !tile
    %y = tile.alloc {ascend.address = 4096 : i64} : !tile
    scf.for %i = %c0 to %end step %c1 {
      ascend.set_flag v to mte2 id(1)
      ascend.wait_flag v to mte2 id(1)
      %two = affine.apply affine_map<(d0) -> (d0 - 2)>(%i)
      %two_begun = arith.cmpi sge, %two, %c0 : index
      %two_there = arith.cmpi slt, %two, %n : index
      %second = arith.andi %two_begun, %two_there : i1
      scf.if %second {
        // expected-note@+1 {{the other one is here}}
        ascend.binary add %y, %x, %x : !tile, !tile, !tile
      }
      %one = affine.apply affine_map<(d0) -> (d0 - 1)>(%i)
      %one_begun = arith.cmpi sge, %one, %c0 : index
      %one_there = arith.cmpi slt, %one, %m : index
      %first = arith.andi %one_begun, %one_there : i1
      scf.if %first {
        ascend.set_flag v to mte2 id(0)
        ascend.wait_flag v to mte2 id(0)
      }
      %there = arith.cmpi slt, %i, %n : index
      scf.if %there {
        // expected-error@+1 {{nothing orders this instruction of pipe 'mte2' after one of pipe 'v': write after read}}
        ascend.copy_gm_to_ub %x, %w : !tile, !gm
      }
      ascend.set_flag mte2 to v id(0)
      ascend.wait_flag mte2 to v id(0)
    }
  }
  return
}
