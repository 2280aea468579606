// RUN: tile-opt-plain %s --ascend-insert-sync --verify-diagnostics
// RUN: tile-opt-plain %s --ascend-prune-sync --verify-diagnostics
// RUN: tile-opt-plain %s --ascend-verify-sync --verify-diagnostics

// The bounds of loops are asked for, which takes it for granted that a buffer has the dimension.

func.func @no_dimension(%a: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{expected a dimension from 0 to 0, got 1}}
  %dim = memref.dim %a, %c1 : memref<?xf32>
  tile.kernel (%b) in (1) {
    %x = tile.alloc {ascend.address = 0 : i64} : memref<64xf32, #tile.ub>
    scf.for %i = %c0 to %dim step %c1 {
      ascend.unary exp %x, %x : memref<64xf32, #tile.ub>, memref<64xf32, #tile.ub>
      ascend.pipe_barrier v
    }
  }
  return
}
