// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @pass_turn_c1() {
  tile.kernel (%b) in (1) threads(256) {
    // expected-error @below {{'tile.pass_turn' op expected to stand in the consumer of a 'tile.roles'}}
    tile.pass_turn
  }
  return
}
