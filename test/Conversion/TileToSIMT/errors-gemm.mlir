// RUN: tile-opt %s --split-input-file --verify-diagnostics --tile-set-target=chip=sm_90a --convert-tile-to-simt

// Products that cannot be lowered say why and what to do.

func.func @no_instruction() {
  tile.kernel (%b) in (1) threads(32) {
    %x = tile.alloc : memref<16x16xf16, #tile.shared>
    %c = tile.alloc {layout = #tile.layout<[16: 2 reg*2, 8 lane*4][16: 2 reg*4, 4 lane, 2 reg]>} : memref<16x16xf32, #tile.fragment>
    // expected-error @below {{expected an instruction; run 'tile-select-instructions' first}}
    tile.gemm %x, %x, %c : memref<16x16xf16, #tile.shared>, memref<16x16xf16, #tile.shared>, memref<16x16xf32, #tile.fragment>
  }
  return
}

// -----

func.func @wrong_type() {
  tile.kernel (%b) in (1) threads(32) {
    %x = tile.alloc : memref<16x16xf16, #tile.shared>
    %c = tile.alloc {layout = #tile.layout<[16: 2 reg*2, 8 lane*4][16: 2 reg*4, 4 lane, 2 reg]>} : memref<16x16xf32, #tile.fragment>
    // expected-error @below {{expected an instruction of sm_90a for these types, got #tile.mma<mma, m = 16, n = 8, k = 32, warps_m = 1, warps_n = 1>}}
    tile.gemm %x, %x, %c {instruction = #tile.mma<mma, m = 16, n = 8, k = 32, warps_m = 1, warps_n = 1>} : memref<16x16xf16, #tile.shared>, memref<16x16xf16, #tile.shared>, memref<16x16xf32, #tile.fragment>
  }
  return
}

// -----

func.func @wrong_layout() {
  tile.kernel (%b) in (1) threads(32) {
    %x = tile.alloc : memref<16x16xf16, #tile.shared>
    %c = tile.alloc {layout = #tile.layout<[16: 8 reg, 2 lane*16][16: 16 lane]>} : memref<16x16xf32, #tile.fragment>
    // expected-error @below {{expected the accumulator to be made of mma.m16n8k16.b16 fragments, got the layout}}
    tile.gemm %x, %x, %c {instruction = #tile.mma<mma, m = 16, n = 8, k = 16, warps_m = 1, warps_n = 1>} : memref<16x16xf16, #tile.shared>, memref<16x16xf16, #tile.shared>, memref<16x16xf32, #tile.fragment>
  }
  return
}

// -----

func.func @family() {
  tile.kernel (%b) in (1) threads(32) {
    %x = tile.alloc : memref<128x128xf16, #tile.shared>
    %c = tile.alloc : memref<128x128xf32, #tile.shared>
    // expected-error @below {{cannot be lowered with 'tcgen05' on sm_90a; expected fma, mma or wgmma}}
    tile.gemm %x, %x, %c {instruction = #tile.mma<tcgen05, m = 128, n = 128, k = 16, warps_m = 1, warps_n = 1>} : memref<128x128xf16, #tile.shared>, memref<128x128xf16, #tile.shared>, memref<128x128xf32, #tile.shared>
  }
  return
}

// -----

func.func @shared_accumulator() {
  tile.kernel (%b) in (1) threads(32) {
    %x = tile.alloc : memref<16x16xf32, #tile.shared>
    %c = tile.alloc : memref<16x16xf32, #tile.shared>
    // expected-error @below {{expected the accumulator in a fragment on a GPU}}
    tile.gemm %x, %x, %c {instruction = #tile.mma<fma, m = 1, n = 1, k = 1, warps_m = 1, warps_n = 1>} : memref<16x16xf32, #tile.shared>, memref<16x16xf32, #tile.shared>, memref<16x16xf32, #tile.shared>
  }
  return
}

// -----

func.func @shared_mma_accumulator() {
  tile.kernel (%b) in (1) threads(32) {
    %x = tile.alloc : memref<16x16xf16, #tile.shared>
    %c = tile.alloc : memref<16x16xf32, #tile.shared>
    // expected-error @below {{expected the accumulator in a fragment on a GPU}}
    tile.gemm %x, %x, %c {instruction = #tile.mma<mma, m = 16, n = 8, k = 16, warps_m = 1, warps_n = 1>} : memref<16x16xf16, #tile.shared>, memref<16x16xf16, #tile.shared>, memref<16x16xf32, #tile.shared>
  }
  return
}

// -----

func.func @fragment_operand() {
  tile.kernel (%b) in (1) threads(32) {
    %x = tile.alloc {layout = #tile.layout<[16: 8 reg, 2 lane*16][16: 16 lane]>} : memref<16x16xf32, #tile.fragment>
    %y = tile.alloc : memref<16x16xf32, #tile.shared>
    %c = tile.alloc {layout = #tile.layout<[16: 8 reg, 2 lane*16][16: 16 lane]>} : memref<16x16xf32, #tile.fragment>
    // expected-error @below {{expected the operands of multiply-adds in shared memory, got a fragment; run 'tile-infer-layout', which copies it}}
    tile.gemm %x, %y, %c {instruction = #tile.mma<fma, m = 1, n = 1, k = 1, warps_m = 1, warps_n = 1>} : memref<16x16xf32, #tile.fragment>, memref<16x16xf32, #tile.shared>, memref<16x16xf32, #tile.fragment>
  }
  return
}

// -----

func.func @plain_wgmma_operand() {
  tile.kernel (%b) in (1) threads(128) {
    %x = tile.alloc : memref<64x64xf16, #tile.shared>
    %y = tile.alloc : memref<64x64xf16, #tile.shared>
    %c = tile.alloc {layout = #tile.layout<[64: 4 warp, 2 reg*2, 8 lane*4][64: 8 reg*4, 4 lane, 2 reg]>} : memref<64x64xf32, #tile.fragment>
    // expected-error @below {{cannot read its operand with wgmma: expected a swizzled tile}}
    tile.gemm %x, %y, %c {instruction = #tile.mma<wgmma, m = 64, n = 64, k = 16, warps_m = 4, warps_n = 1>} : memref<64x64xf16, #tile.shared>, memref<64x64xf16, #tile.shared>, memref<64x64xf32, #tile.fragment>
  }
  return
}

// -----

func.func @sparse_no_instruction() {
  tile.kernel (%b) in (1) threads(32) {
    %a = tile.alloc : memref<16x16xf16, #tile.shared>
    %e = tile.alloc : memref<16x2xi16, #tile.shared>
    %x = tile.alloc : memref<32x8xf16, #tile.shared>
    %c = tile.alloc {layout = #tile.layout<[16: 2 reg*2, 8 lane*4][8: 4 lane, 2 reg]>} : memref<16x8xf32, #tile.fragment>
    // expected-error @below {{expected an instruction; run 'tile-expand-sparse'}}
    tile.sparse_gemm %a by %e, %x, %c
  }
  return
}

// -----

func.func @sparse_metadata() {
  tile.kernel (%b) in (1) threads(32) {
    %a = tile.alloc : memref<16x16xf16, #tile.shared>
    %e = tile.alloc {layout = #tile.layout<[16: 16 lane][2: 2 reg]>} : memref<16x2xi16, #tile.fragment>
    %x = tile.alloc : memref<32x8xf16, #tile.shared>
    %c = tile.alloc {layout = #tile.layout<[16: 2 reg*2, 8 lane*4][8: 4 lane, 2 reg]>} : memref<16x8xf32, #tile.fragment>
    // expected-error @below {{expected 'metadata' in shared memory; run 'tile-infer-layout', which copies it}}
    tile.sparse_gemm %a by %e, %x, %c {instruction = #tile.mma<mma, m = 16, n = 8, k = 32, warps_m = 1, warps_n = 1>}
  }
  return
}
