// RUN: tile-opt-plain %s --split-input-file --verify-diagnostics

func.func @set_flag_c1() {
  tile.kernel (%b) in (1) {
    // expected-error@+1 {{910B has no flags from 'm' to 'v'; from 'm' they go to mte1, mte2, fix}}
    ascend.set_flag m to v id(0)
  }
  return
}

// -----

func.func @set_flag_c1_all() {
  tile.kernel (%b) in (1) {
    // expected-error@+1 {{910B has no flags from 'all' to 'v'; from 'all' they go to nowhere}}
    ascend.set_flag all to v id(0)
  }
  return
}

// -----

func.func @set_flag_c2() {
  tile.kernel (%b) in (1) {
    // expected-error@+1 {{expected 'id' below 6, got 6}}
    ascend.set_flag mte2 to v id(6)
  }
  return
}

// -----

func.func @wait_flag_c1() {
  tile.kernel (%b) in (1) {
    // expected-error@+1 {{910B has no flags from 'm' to 'v'; from 'm' they go to mte1, mte2, fix}}
    ascend.wait_flag m to v id(0)
  }
  return
}

// -----

func.func @wait_flag_c2() {
  tile.kernel (%b) in (1) {
    // expected-error@+1 {{expected 'id' below 6, got 6}}
    ascend.wait_flag mte2 to v id(6)
  }
  return
}

// -----

func.func @pipe_barrier_c1() {
  tile.kernel (%b) in (1) {
    // expected-error@+1 {{910B has no barrier of 's'; it has m, mte1, mte2, mte3, fix, v, all}}
    ascend.pipe_barrier s
  }
  return
}

// -----

func.func @cross_core_set_flag_c1() {
  tile.kernel (%b) in (1) {
    // expected-error@+1 {{910B raises no flag of other cores from 's'}}
    ascend.cross_core_set_flag s id(0)
  }
  return
}

// -----

func.func @cross_core_set_flag_c2() {
  tile.kernel (%b) in (1) {
    // expected-error@+1 {{expected 'id' below 11, got 11}}
    ascend.cross_core_set_flag fix id(11)
  }
  return
}

// -----

func.func @cross_core_wait_flag_c1() {
  tile.kernel (%b) in (1) {
    // expected-error@+1 {{expected 'id' below 11, got 11}}
    ascend.cross_core_wait_flag id(11)
  }
  return
}

// -----

func.func @section_c1(%t: i1) {
  tile.kernel (%b) in (1) {
    scf.if %t {
      // expected-error@+1 {{expected to be directly in a 'tile.kernel'}}
      ascend.section cube {
      }
    }
  }
  return
}

// -----

func.func @section_c2() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<64xf32, #tile.ub>
    ascend.section cube {
      // expected-error@+1 {{is an instruction of the vector core, in a section of the cube core}}
      ascend.unary exp %x, %x : memref<64xf32, #tile.ub>, memref<64xf32, #tile.ub>
    }
  }
  return
}

// -----

func.func @set_atomic_c1() {
  tile.kernel (%b) in (1) {
    // expected-error@+1 {{expected an element type with atomic addition, got 'i64'}}
    ascend.set_atomic add(i64)
    ascend.set_atomic none
  }
  return
}

// -----

func.func @set_atomic_c1_max() {
  tile.kernel (%b) in (1) {
    // expected-error@+1 {{expected an element type with atomic max, got 'bf16'}}
    ascend.set_atomic max(bf16)
    ascend.set_atomic none
  }
  return
}

// -----

func.func @set_atomic_mode() {
  tile.kernel (%b) in (1) {
    // expected-error@+1 {{expected 'none', or 'add', 'max' or 'min' of a type}}
    ascend.set_atomic or(i32)
  }
  return
}

// -----

func.func @leave_loop_c1(%n: index, %done: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.kernel (%b) in (1) {
    scf.for %i = %c0 to %n step %c1 {
      scf.if %done {
        // expected-error@+1 {{expected to be directly in an 'scf.for'}}
        ascend.leave_loop %done
      }
    }
  }
  return
}
