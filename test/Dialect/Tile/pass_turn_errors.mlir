// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @pass_turn_c1() {
  tile.kernel (%b) in (1) threads(256) {
    // expected-error @below {{'tile.pass_turn' op expected to stand in the consumer of a 'tile.roles' with two or more warpgroups of 128 threads}}
    tile.pass_turn
  }
  return
}

// -----

func.func @pass_turn_c1_one_group() {
  tile.kernel (%b) in (1) threads(128) {
    tile.roles producer {
    } consumer {
      // expected-error @below {{'tile.pass_turn' op expected to stand in the consumer of a 'tile.roles' with two or more warpgroups of 128 threads}}
      tile.pass_turn
    }
  }
  return
}

// -----

func.func @pass_turn_c1_part_of_a_group() {
  tile.kernel (%b) in (1) threads(192) {
    tile.roles producer {
    } consumer {
      // expected-error @below {{'tile.pass_turn' op expected to stand in the consumer of a 'tile.roles' with two or more warpgroups of 128 threads}}
      tile.pass_turn
    }
  }
  return
}
