// A dimension that a buffer does not have is an error in every pipeline, where analyses of sizes would ask for it.
// RUN: tile-opt %s --split-input-file --tile-verify-semantics --verify-diagnostics

func.func @large(%c: memref<?xi32>) {
  %big = arith.constant 9223372036854775807 : index
  %one = arith.constant 1 : i32
  // expected-error @below {{expected a dimension from 0 to 0, got 9223372036854775807}}
  %n = memref.dim %c, %big : memref<?xi32>
  tile.kernel (%i) in (%n) {
    tile.parallel (%t) in (1) {
      %p = affine.apply affine_map<(i, t) -> (i + t)>(%i, %t)
      memref.store %one, %c[%p] : memref<?xi32>
    }
  }
  return
}

// -----

func.func @negative(%c: memref<4x?xi32>) {
  %below = arith.constant -1 : index
  // expected-error @below {{expected a dimension from 0 to 1, got -1}}
  %n = memref.dim %c, %below : memref<4x?xi32>
  tile.kernel (%i) in (%n) {
  }
  return
}
