// RUN: tile-opt %s --split-input-file --verify-diagnostics --tile-set-target=chip=sm_90a --convert-tile-to-gpu

// What a chip has for the partitions of a block.

func.func @register_budget() {
  tile.kernel (%b) in (1) {
    // expected-error @below {{'tile.roles' op expected a register budget of 0 or a multiple of 8 between 24 and 256 on sm_90a, got 20}}
    tile.roles attributes {producer_registers = 20 : i64} producer {
    } consumer {
    }
  }
  return
}

// -----

func.func @register_budget_step() {
  tile.kernel (%b) in (1) {
    // expected-error @below {{'tile.roles' op expected a register budget of 0 or a multiple of 8 between 24 and 256 on sm_90a, got 28}}
    tile.roles attributes {consumer_registers = 28 : i64} producer {
    } consumer {
    }
  }
  return
}

// -----

func.func @register_budget_most() {
  tile.kernel (%b) in (1) {
    // expected-error @below {{'tile.roles' op expected a register budget of 0 or a multiple of 8 between 24 and 256 on sm_90a, got 264}}
    tile.roles attributes {consumer_registers = 264 : i64} producer {
    } consumer {
    }
  }
  return
}

// -----

func.func @take_turn_one_group() {
  tile.kernel (%b) in (1) threads(128) {
    tile.roles producer {
    } consumer {
      // expected-error @below {{'tile.take_turn' op expected two or more warpgroups of 128 threads on sm_90a, got 128 threads}}
      tile.take_turn
    }
  }
  return
}

// -----

func.func @take_turn_part_of_a_group() {
  tile.kernel (%b) in (1) threads(192) {
    tile.roles producer {
    } consumer {
      // expected-error @below {{'tile.take_turn' op expected two or more warpgroups of 128 threads on sm_90a, got 192 threads}}
      tile.take_turn
    }
  }
  return
}

// -----

func.func @pass_turn_one_group() {
  tile.kernel (%b) in (1) threads(128) {
    tile.roles producer {
    } consumer {
      // expected-error @below {{'tile.pass_turn' op expected two or more warpgroups of 128 threads on sm_90a, got 128 threads}}
      tile.pass_turn
    }
  }
  return
}

// -----

func.func @pass_turn_part_of_a_group() {
  tile.kernel (%b) in (1) threads(192) {
    tile.roles producer {
    } consumer {
      // expected-error @below {{'tile.pass_turn' op expected two or more warpgroups of 128 threads on sm_90a, got 192 threads}}
      tile.pass_turn
    }
  }
  return
}
