// RUN: tile-opt --ascend-expand-instructions --verify-diagnostics %s

func.func @fixpipe() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<32x32xf32, #tile.l0c>
    %a = tile.alloc : memref<32x32xf16, #tile.l1>
    // expected-error@+1 {{a target in 'l1' is not supported yet; go through global memory}}
    ascend.fixpipe %a, %x : memref<32x32xf16, #tile.l1>, memref<32x32xf32, #tile.l0c>
  }
  return
}
