// RUN: tile-translate --mlir-to-ascend-build --split-input-file --verify-diagnostics %s

// expected-error@+1 {{expected a kernel to build}}
module {
}

// -----

func.func @one() attributes {tile.target = #tile.target<"910B">} {
  tile.kernel (%b) in (1) {
  }
  return
}
func.func @other() attributes {tile.target = #tile.target<"950">} {
  // expected-error@+1 {{expected kernels of one chip, got 910B and 950}}
  tile.kernel (%b) in (1) {
  }
  return
}

// -----

func.func @gpu() attributes {tile.target = #tile.target<"sm_90a">} {
  // expected-error@+1 {{expected 'tile.target' to be an Ascend chip}}
  tile.kernel (%b) in (1) {
  }
  return
}
