// REQUIRES: nvidia, amd
// RUN: tile-opt %s --convert-tile-to-simt --split-input-file --verify-diagnostics

module attributes {tile.target = #tile.target<"sm_90a">} {
  func.func @without_table(%f: memref<4xi64>, %i: index, %v: i64) {
    tile.kernel (%b) in (1) {
      // expected-error@+1 {{expected the table of its rank, in which it reports that nobody signals; run 'world-resolve' first}}
      %t = world.wait %f[%i] ge %v : memref<4xi64>
    }
    return
  }
}

// -----

module attributes {tile.target = #tile.target<"gfx942">} {
  func.func @other_vendor(%f: memref<4xi64>, %i: index, %v: i64) {
    tile.kernel (%b) in (1) {
      // expected-error@+1 {{cannot be lowered to threads of gfx942, which runs one rank; ranks run on the CPU, as threads, and on NVIDIA GPUs}}
      world.signal %f[%i] add %v : memref<4xi64>
    }
    return
  }
}
