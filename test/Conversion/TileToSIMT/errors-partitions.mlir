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
