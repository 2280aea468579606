// RUN: tile-opt-plain %s --ascend-split-mix-kernels --split-input-file --verify-diagnostics

func.func @shared(%a: memref<16x16xf16>) {
  tile.kernel (%b) in (1) {
    %l = tile.alloc : memref<16x16xf16, #tile.l1>
    %u = tile.alloc : memref<16x16xf16, #tile.ub>
    // expected-note@+1 {{the other core's instruction is here}}
    ascend.copy_gm_to_l1 %l, %a : memref<16x16xf16, #tile.l1>, memref<16x16xf16>
    // expected-error@+1 {{one core writes a global buffer that the other core uses; nothing orders the two}}
    ascend.copy_ub_to_gm %a, %u : memref<16x16xf16>, memref<16x16xf16, #tile.ub>
  }
  return
}

// -----

func.func @element(%a: memref<?x16xf16>) {
  %c0 = arith.constant 0 : index
  tile.kernel (%b) in (1) {
    %l = tile.alloc : memref<1x16xf16, #tile.l1>
    %u = tile.alloc : memref<16xi32, #tile.ub>
    // expected-error@+1 {{the cube core uses an element of 'ub', which it cannot reach; read it from global memory}}
    %w = memref.load %u[%c0] : memref<16xi32, #tile.ub>
    // expected-note@+1 {{it is used here}}
    %i = arith.index_cast %w : i32 to index
    %v = memref.subview %a[%i, 0] [1, 16] [1, 1] : memref<?x16xf16> to memref<1x16xf16, strided<[16, 1], offset: ?>>
    ascend.copy_gm_to_l1 %l, %v : memref<1x16xf16, #tile.l1>, memref<1x16xf16, strided<[16, 1], offset: ?>>
    ascend.duplicate %u, %w : memref<16xi32, #tile.ub>, i32
  }
  return
}
