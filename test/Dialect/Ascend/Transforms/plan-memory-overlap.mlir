// RUN: tile-opt-plain %s --ascend-plan-memory --split-input-file --verify-diagnostics

!tile = memref<64xf32, #tile.ub>

func.func @overlap(%a: memref<64xf32>) {
  tile.kernel (%b) in (1) {
    // expected-note@+1 {{the other one is 'memref<64xf32, #tile.ub>'; leave an address out, and a free place is found}}
    %x = tile.alloc {ascend.address = 0 : i64} : !tile
    // expected-error@+1 {{'memref<64xf32, #tile.ub>' has bytes 128 to 383 of 'ub', of which another buffer has bytes 0 to 255 while both are alive}}
    %y = tile.alloc {ascend.address = 128 : i64} : !tile
    ascend.copy_gm_to_ub %x, %a : !tile, memref<64xf32>
    ascend.unary exp %y, %x : !tile, !tile
    ascend.binary add %x, %x, %y : !tile, !tile, !tile
  }
  return
}

// -----

!tile = memref<64xf32, #tile.ub>

// Alive throughout the loop, which carries it.
func.func @carried(%a: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.kernel (%b) in (1) {
    // expected-note@+1 {{the other one is}}
    %x = tile.alloc {ascend.address = 0 : i64} : !tile
    // expected-error@+1 {{has bytes 0 to 255 of 'ub', of which another buffer has bytes 0 to 255 while both are alive}}
    %y = tile.alloc {ascend.address = 0 : i64} : !tile
    ascend.copy_gm_to_ub %x, %a : !tile, memref<64xf32>
    scf.for %i = %c0 to %n step %c1 {
      ascend.unary exp %x, %x : !tile, !tile
      ascend.copy_gm_to_ub %y, %a : !tile, memref<64xf32>
      ascend.copy_ub_to_gm %a, %y : memref<64xf32>, !tile
    }
    ascend.copy_ub_to_gm %a, %x : memref<64xf32>, !tile
  }
  return
}
