// RUN: tile-opt-plain %s --ascend-split-cores --verify-diagnostics

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
