// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-infer-layout --remarks-filter='tile-infer-layout' --verify-diagnostics -o /dev/null

!b = memref<64x64xf16, #tile.shared>
!c = memref<64x64xf16, #tile.fragment>

func.func @conversion() {
  tile.kernel (%x) in (1) threads(128) {
    // expected-remark @below {{[Passed] Layout | Category:tile-infer-layout | Reason="common, tile.gemm", Remark="[64: 64 offset*64][64: 64 offset] swizzle(3, 3, 3)"}}
    %a = tile.alloc : !b
    // expected-remark @below {{[Passed] Layout | Category:tile-infer-layout | Reason="strict, tile.gemm", Remark="[64: 2 warp, 2 reg*16, 2 reg*2, 8 lane*4][64: 2 warp*2, 4 reg*4, 4 lane, 2 reg]"}}
    %c = tile.alloc : !c
    // expected-remark @below {{Reason="strict, tile.gemm"}}
    %d = tile.alloc : !c
    tile.gemm %a, %a, %c {instruction = #tile.mma<mma, m = 16, n = 8, k = 16, warps_m = 2, warps_n = 2>} : !b, !b, !c
    // expected-remark @below {{[Missed] Conversion | Category:tile-infer-layout | Reason="from [64: 2 warp, 2 reg*16, 2 reg*2, 8 lane*4][64: 2 warp*2, 4 reg*4, 4 lane, 2 reg] to [64: 4 warp, 2 reg*2, 8 lane*4][64: 8 reg*4, 4 lane, 2 reg]: through shared memory"}}
    // expected-remark @below {{Reason="strict, tile.gemm"}}
    tile.gemm %c, %a, %d {instruction = #tile.mma<mma, m = 16, n = 8, k = 16, warps_m = 4, warps_n = 1>} : !c, !b, !c
  }
  return
}

func.func @placement(%out: memref<128xf32>) {
  %c5 = arith.constant 5 : index
  tile.kernel (%x) in (1) threads(128) {
    // expected-remark @below {{[Passed] Layout | Category:tile-infer-layout | Reason="default, tile.alloc", Remark="[128: 4 warp, 32 lane]"}}
    %f = tile.alloc : memref<128xf32, #tile.fragment>
    // expected-remark @below {{[Analysis] Placement | Category:tile-infer-layout | Reason="an access to an element that another thread may own from fragment goes through shared"}}
    // expected-remark @below {{Reason="default, tile.alloc"}}
    %v = memref.load %f[%c5] : memref<128xf32, #tile.fragment>
    // expected-remark @below {{[Passed] Partition | Category:tile-infer-layout | Remark="[128: 4 warp, 32 lane]"}}
    tile.parallel (%i) in (128) {
      memref.store %v, %out[%i] : memref<128xf32>
    }
  }
  return
}

// 32768 iterations for 128 threads: each of them has its own row, and no thread
// a register for each.
func.func @iterations(%out: memref<256x128xf32>) {
  tile.kernel (%x) in (1) threads(128) {
    // expected-remark @below {{[Passed] Layout | Category:tile-infer-layout | Reason="default, tile.alloc", Remark="[256: 4 warp, 32 lane, 2 reg]"}}
    %f = tile.alloc : memref<256xf32, #tile.fragment>
    // expected-remark @below {{[Passed] Layout | Category:tile-infer-layout | Reason="default, tile.alloc", Remark="[256: 256 offset]"}}
    // expected-remark @below {{[Passed] Partition | Category:tile-infer-layout | Remark="[256: 64 reg*4, 4 warp][128: 32 lane, 4 reg]"}}
    tile.parallel (%i, %j) in (256, 128) {
      // expected-remark @below {{[Analysis] Placement | Category:tile-infer-layout | Reason="an access in a loop of more iterations than a thread has registers from fragment goes through shared"}}
      %v = memref.load %f[%i] : memref<256xf32, #tile.fragment>
      memref.store %v, %out[%i, %j] : memref<256x128xf32>
    }
  }
  return
}
