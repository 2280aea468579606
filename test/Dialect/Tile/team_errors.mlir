// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @team_c1() {
  tile.kernel (%b) in (1) {
    // expected-error @below {{'tile.team' op expected to be directly in the consumer of a 'tile.warp_specialize'}}
    tile.team {
    }
  }
  return
}

// -----

func.func @team_c1_producer() {
  tile.kernel (%b) in (1) {
    // expected-error @below {{expected the producer to hold copies that signal a pipeline, got 'tile.team'}}
    tile.warp_specialize attributes {tile.consumers = 2 : i64} producer {
      // expected-note @below {{it is here}}
      tile.team {
      }
    } consumer {
    }
  }
  return
}

// -----

func.func @team_c1_count() {
  tile.kernel (%b) in (1) {
    tile.warp_specialize producer {
    } consumer {
      // expected-error @below {{'tile.team' op expected 'tile.consumers = 2' on the 'tile.warp_specialize' of 2 teams, got 1}}
      tile.team {
      }
      tile.team {
      }
    }
  }
  return
}

// -----

func.func @team_c1_others() {
  tile.kernel (%b) in (1) {
    tile.warp_specialize attributes {tile.consumers = 2 : i64} producer {
    } consumer {
      %c0 = arith.constant 0 : index
      // expected-error @below {{'tile.team' op expected a consumer of teams to hold nothing else, got 'tile.barrier'}}
      tile.team {
      }
      // expected-note @below {{it is here}}
      tile.barrier
      tile.team {
      }
    }
  }
  return
}

// -----

func.func @team_order() {
  tile.kernel (%b) in (1) threads(128) {
    tile.warp_specialize attributes {tile.consumers = 2 : i64} producer {
    } consumer {
      tile.team {
        // expected-error @below {{'tile.order_wait' op expected pipelines between the programs of teams, which need not take turns}}
        tile.order_wait
      }
      tile.team {
      }
    }
  }
  return
}
