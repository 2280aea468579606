// RUN: tile-opt-plain %s --ascend-verify-sync --split-input-file --verify-diagnostics

func.func @barrier() {
  tile.kernel (%b) in (1) {
    // expected-error@+1 {{'ascend.pipe_barrier' op the vector core has no barrier of 'm'}}
    ascend.pipe_barrier m
  }
  return
}

// -----

func.func @flag() {
  tile.kernel (%b) in (1) {
    ascend.section cube {
      // expected-error@+1 {{'ascend.set_flag' op the cube core has no flags from 'mte2' to 'v'}}
      ascend.set_flag mte2 to v id(0)
      ascend.wait_flag mte2 to v id(0)
    }
  }
  return
}

// -----

func.func @wait() {
  tile.kernel (%b) in (1) {
    // expected-error@+1 {{'ascend.wait_flag' op the vector core has no flags from 'mte1' to 'm'}}
    ascend.wait_flag mte1 to m id(0)
  }
  return
}

// -----

func.func @cross_pipe() {
  tile.kernel (%b) in (1) {
    ascend.section cube {
      // expected-error@+1 {{'ascend.cross_core_set_flag' op the cube core has no pipe 'v'}}
      ascend.cross_core_set_flag v id(1)
    }
    ascend.section vector {
      ascend.cross_core_wait_flag id(1)
    }
  }
  return
}

// -----

func.func @alone() {
  tile.kernel (%b) in (1) {
    // expected-error@+1 {{'ascend.cross_core_set_flag' op the kernel has no code of the other core}}
    ascend.cross_core_set_flag mte3 id(1)
  }
  return
}

// -----

// A section that holds a flag alone is the code of a core.
func.func @flag_alone() {
  tile.kernel (%b) in (1) {
    ascend.section cube {
      ascend.cross_core_wait_flag id(1)
    }
    ascend.section vector {
      ascend.cross_core_set_flag mte3 id(1)
    }
  }
  return
}
