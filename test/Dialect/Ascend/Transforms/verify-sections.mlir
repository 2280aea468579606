// RUN: tile-opt-plain %s --ascend-verify-sync --split-input-file --verify-diagnostics

// Where a kernel is divided, the flags of each core alone are looked at as well.

!tile = memref<64xf32, #tile.ub>
!gm = memref<64xf32>

// A barrier on a path that need not be taken.
func.func @one_core(%a: !gm, %c: i1) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc {ascend.address = 0 : i64} : !tile
    ascend.section cube {
    }
    ascend.section vector {
      // expected-note@+1 {{the other one is here}}
      ascend.copy_gm_to_ub %x, %a : !tile, !gm
      scf.if %c {
        ascend.pipe_barrier all
      }
      // expected-error@+1 {{nothing orders this instruction of pipe 'v' after one of pipe 'mte2': read after write}}
      ascend.unary exp %x, %x : !tile, !tile
    }
  }
  return
}

// -----

func.func @twice() {
  tile.kernel (%b) in (1) {
    ascend.section cube {
      // expected-note@+1 {{the other one is here}}
      ascend.set_flag m to fix id(0)
      // expected-error@+1 {{the flag is already set}}
      ascend.set_flag m to fix id(0)
    }
    ascend.section vector {
    }
  }
  return
}

// -----

func.func @no_set() {
  tile.kernel (%b) in (1) {
    ascend.section cube {
    }
    ascend.section vector {
      // expected-error@+1 {{the flag is not set before}}
      ascend.wait_flag mte2 to v id(0)
    }
  }
  return
}

// -----

func.func @still_raised() {
  tile.kernel (%b) in (1) {
    ascend.section cube {
      // expected-error@+1 {{the flag is still set at the end of the kernel}}
      ascend.set_flag m to fix id(0)
    }
    ascend.section vector {
    }
  }
  return
}

// -----

!tile = memref<64xf32, #tile.ub>
!gm = memref<64xf32>

// A loop of large steps, which begins with the number of the block, goes round as often as one of small ones.
func.func @steps(%a: !gm, %o: !gm, %m: index, %n: index) {
  %c24 = arith.constant 24 : index
  %points = arith.muli %m, %n : index
  tile.kernel (%b) in (24) {
    %x = tile.alloc {ascend.address = 0 : i64} : !tile
    ascend.section cube {
      scf.for %i = %b to %points step %c24 {
        ascend.cross_core_set_flag fix id(0)
      }
    }
    ascend.section vector {
      scf.for %i = %b to %points step %c24 {
        ascend.cross_core_wait_flag id(0)
        // expected-error@+1 {{nothing orders this instruction of pipe 'mte2' after one of pipe 'mte3': write after read}}
        ascend.copy_gm_to_ub %x, %a : !tile, !gm
        ascend.set_flag mte2 to mte3 id(0)
        ascend.wait_flag mte2 to mte3 id(0)
        // expected-note@+1 {{the other one is here}}
        ascend.copy_ub_to_gm %o, %x : !gm, !tile
        ascend.pipe_barrier mte3
      }
    }
  }
  return
}

// -----

!tile = memref<16xf32, #tile.ub>
!gm = memref<64xf32>
!part = memref<16xf32, strided<[1], offset: ?>>

// Under the condition, the two stores are apart; without it, they are not.
func.func @conditions(%o: !gm) {
  %c0 = arith.constant 0 : index
  tile.kernel (%b) in (4) {
    %x = tile.alloc {ascend.address = 0 : i64} : !tile
    ascend.section cube {
    }
    ascend.section vector {
      %other = arith.cmpi sgt, %b, %c0 : index
      scf.if %other {
        %first = memref.subview %o[0] [16] [1] : !gm to memref<16xf32, strided<[1]>>
        ascend.copy_ub_to_gm %first, %x : memref<16xf32, strided<[1]>>, !tile
      }
      %at = affine.apply affine_map<(b) -> (b * 16)>(%b)
      %own = memref.subview %o[%at] [16] [1] : !gm to !part
      // expected-note@+1 {{the other one is here}}
      ascend.copy_ub_to_gm %own, %x : !part, !tile
      %all = memref.subview %o[0] [16] [1] : !gm to memref<16xf32, strided<[1]>>
      // expected-error@+1 {{nothing orders this instruction of pipe 'mte3' after one of pipe 'mte3': write after write}}
      ascend.copy_ub_to_gm %all, %x : memref<16xf32, strided<[1]>>, !tile
    }
  }
  return
}
