// A target that has no ranks says where there are.

// RUN: tile-opt-plain %s --world-verify --split-input-file --verify-diagnostics

module attributes {tile.target = #tile.target<"910B">} {
  // expected-error@+1 {{takes !world.ranks, but 910B runs one rank; ranks run on the CPU, as threads}}
  func.func @one_rank(%w: !world.ranks) {
    return
  }
}

// -----

module attributes {tile.target = #tile.target<"gfx942">} {
  // expected-error@+1 {{takes !world.ranks, but gfx942 runs one rank; ranks run on the CPU, as threads}}
  func.func @one_rank(%w: !world.ranks) {
    return
  }
}

// -----

module attributes {tile.target = #tile.target<"sm_90a">} {
  func.func @ranks(%w: !world.ranks) {
    return
  }
}
