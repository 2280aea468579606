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
      ascend.set_flag m to fix id(0)
      // expected-error@+1 {{the flag is raised already}}
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
      // expected-error@+1 {{the flag is not raised before}}
      ascend.wait_flag mte2 to v id(0)
    }
  }
  return
}

// -----

func.func @still_raised() {
  tile.kernel (%b) in (1) {
    ascend.section cube {
      // expected-error@+1 {{the flag is still raised at the end of the kernel}}
      ascend.set_flag m to fix id(0)
    }
    ascend.section vector {
    }
  }
  return
}
