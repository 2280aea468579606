// RUN: tile-opt-plain %s --split-input-file --verify-diagnostics

// What 950 has between the cores and 910B has not.

module attributes {tile.target = #tile.target<"950">} {
  func.func @cross_core_wait_flag_c2() {
    tile.kernel (%b) in (1) {
      // expected-error@+1 {{950 holds one pipe: name it, as in 'id(0) on mte2'}}
      ascend.cross_core_wait_flag id(0)
    }
    return
  }
}

// -----

func.func @cross_core_wait_flag_c2_all() {
  tile.kernel (%b) in (1) {
    // expected-error@+1 {{910B holds all pipes of a core; name none}}
    ascend.cross_core_wait_flag id(3) on v
  }
  return
}

// -----

module attributes {tile.target = #tile.target<"950">} {
  func.func @cross_core_wait_flag_c2_pipe() {
    tile.kernel (%b) in (1) {
      // expected-error@+1 {{950 holds no pipe 's'}}
      ascend.cross_core_wait_flag id(3) on s
    }
    return
  }
}
