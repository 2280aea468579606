// RUN: tile-opt %s --split-input-file --verify-diagnostics --tile-set-target=chip=sm_90a --convert-tile-to-simt

// What a chip has for the partitions of a block.

func.func @register_budget() {
  tile.kernel (%b) in (1) {
    // expected-error @below {{'tile.warp_specialize' op expected a register budget of 0 or a multiple of 8 between 24 and 256 on sm_90a, got 20}}
    tile.warp_specialize attributes {producer_registers = 20 : i64} producer {
    } consumer {
    }
  }
  return
}

// -----

func.func @register_budget_step() {
  tile.kernel (%b) in (1) {
    // expected-error @below {{'tile.warp_specialize' op expected a register budget of 0 or a multiple of 8 between 24 and 256 on sm_90a, got 28}}
    tile.warp_specialize attributes {consumer_registers = 28 : i64} producer {
    } consumer {
    }
  }
  return
}

// -----

func.func @register_budget_most() {
  tile.kernel (%b) in (1) {
    // expected-error @below {{'tile.warp_specialize' op expected a register budget of 0 or a multiple of 8 between 24 and 256 on sm_90a, got 264}}
    tile.warp_specialize attributes {consumer_registers = 264 : i64} producer {
    } consumer {
    }
  }
  return
}

// -----

// 512 + 128 threads have 96 registers each: 4 x 120 and 24 are more.
func.func @register_budget_sum() {
  tile.kernel (%b) in (1) threads(512) {
    // expected-error @below {{'tile.warp_specialize' op expected register budgets of at most 61440 registers in sum, with which a block of 640 threads is launched on sm_90a, got 64512}}
    tile.warp_specialize attributes {producer_registers = 24 : i64, consumer_registers = 120 : i64} producer {
    } consumer {
    }
  }
  return
}

// -----

// Two blocks share the registers: 256 + 128 threads have 80 each.
func.func @register_budget_of_two_blocks() {
  tile.kernel (%b) in (1) threads(256) attributes {tile.resident_blocks = 2 : i32} {
    // expected-error @below {{expected register budgets of at most 30720 registers in sum, with which a block of 384 threads is launched on sm_90a, got 64512}}
    tile.warp_specialize attributes {producer_registers = 24 : i64, consumer_registers = 240 : i64} producer {
    } consumer {
    }
  }
  return
}

// -----

func.func @register_budget_of_one_side() {
  tile.kernel (%b) in (1) threads(256) {
    // expected-error @below {{expected register budgets of at most 64512 registers in sum, with which a block of 384 threads is launched on sm_90a, got 80896}}
    tile.warp_specialize attributes {consumer_registers = 232 : i64} producer {
    } consumer {
    }
  }
  return
}

// -----

func.func @order_wait_one_group() {
  tile.kernel (%b) in (1) threads(128) {
    tile.warp_specialize producer {
    } consumer {
      // expected-error @below {{'tile.order_wait' op expected two or more warpgroups of 128 threads on sm_90a, got 128 threads}}
      tile.order_wait
    }
  }
  return
}

// -----

func.func @order_wait_part_of_a_group() {
  tile.kernel (%b) in (1) threads(192) {
    tile.warp_specialize producer {
    } consumer {
      // expected-error @below {{'tile.order_wait' op expected two or more warpgroups of 128 threads on sm_90a, got 192 threads}}
      tile.order_wait
    }
  }
  return
}

// -----

func.func @order_arrive_one_group() {
  tile.kernel (%b) in (1) threads(128) {
    tile.warp_specialize producer {
    } consumer {
      // expected-error @below {{'tile.order_arrive' op expected two or more warpgroups of 128 threads on sm_90a, got 128 threads}}
      tile.order_arrive
    }
  }
  return
}

// -----

func.func @order_arrive_part_of_a_group() {
  tile.kernel (%b) in (1) threads(192) {
    tile.warp_specialize producer {
    } consumer {
      // expected-error @below {{'tile.order_arrive' op expected two or more warpgroups of 128 threads on sm_90a, got 192 threads}}
      tile.order_arrive
    }
  }
  return
}
