// RUN: tile-opt-plain %s --split-input-file --verify-diagnostics --ascend-split-parallel

// What iterations write decides where they go: `tile-verify-semantics` reports the race; the pass alone refuses it.

module attributes {tile.target = #tile.target<"910B">} {
func.func @written_bound(%x: memref<64xf32>, %y: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.kernel (%b) in (1) {
    %n = tile.alloc : memref<64xi32, #tile.ub>
    tile.fill %n, 3 : memref<64xi32, #tile.ub>
    tile.parallel (%i) in (64) {
      %v = memref.load %x[%i] : memref<64xf32>
      %word = memref.load %n[%c0] : memref<64xi32, #tile.ub>
      %end = arith.index_cast %word : i32 to index
      // expected-error@+1 {{on Ascend, the bounds of a loop in 'tile.parallel' are read from what the iterations write; put the loop outside}}
      %s = scf.for %k = %c0 to %end step %c1 iter_args(%p = %v) -> f32 {
        %q = arith.addf %p, %v : f32
        scf.yield %q : f32
      }
      memref.store %s, %y[%i] : memref<64xf32>
      tile.atomic add %word, %n[%c0] : i32, memref<64xi32, #tile.ub>
    }
  }
  return
}
}

// -----

module attributes {tile.target = #tile.target<"910B">} {
func.func @written_condition(%x: memref<64xf32>, %y: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %three = arith.constant 3 : i32
  tile.kernel (%b) in (1) {
    %n = tile.alloc : memref<64xi32, #tile.ub>
    tile.fill %n, 3 : memref<64xi32, #tile.ub>
    tile.parallel (%i) in (64) {
      %v = memref.load %x[%i] : memref<64xf32>
      %word = memref.load %n[%c0] : memref<64xi32, #tile.ub>
      %is = arith.cmpi eq, %word, %three : i32
      // expected-error@+1 {{on Ascend, the condition of a branch in 'tile.parallel' is read from what the iterations write; put the branch outside, or store a 'select' of both values}}
      scf.if %is {
        memref.store %v, %y[%i] : memref<64xf32>
      }
      tile.atomic add %three, %n[%c0] : i32, memref<64xi32, #tile.ub>
    }
  }
  return
}
}
