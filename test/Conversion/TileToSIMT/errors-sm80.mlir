// RUN: tile-opt %s --split-input-file --verify-diagnostics --tile-set-target=chip=sm_80 --convert-tile-to-simt

// What older chips do not have.

func.func @pipeline() {
  tile.kernel (%b) in (1) {
    // expected-error @below {{needs transaction-count barriers, which sm_80 does not have}}
    %r = tile.create_pipeline : !tile.pipeline<2>
  }
  return
}

// -----

func.func @tensor_copy(%a: memref<64x32xf32>) {
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<64x32xf32, #tile.shared>
    // expected-error @below {{cannot use a tensor copy on sm_80}}
    tile.copy %s, %a {instruction = #tile.transfer<tma>} : memref<64x32xf32, #tile.shared>, memref<64x32xf32>
  }
  return
}

// -----

func.func @wgmma() {
  tile.kernel (%b) in (1) threads(128) {
    %x = tile.alloc : memref<64x64xf16, #tile.shared>
    %c = tile.alloc {layout = #tile.layout<[64: 4 warp, 2 reg*2, 8 lane*4][64: 8 reg*4, 4 lane, 2 reg]>} : memref<64x64xf32, #tile.fragment>
    // expected-error @below {{expected an instruction of sm_80 for these types, got #tile.mma<wgmma, m = 64, n = 64, k = 16, warps_m = 4, warps_n = 1>}}
    tile.gemm %x, %x, %c {instruction = #tile.mma<wgmma, m = 64, n = 64, k = 16, warps_m = 4, warps_n = 1>} : memref<64x64xf16, #tile.shared>, memref<64x64xf16, #tile.shared>, memref<64x64xf32, #tile.fragment>
  }
  return
}

// -----

func.func @store_wait() {
  tile.kernel (%b) in (1) {
    // expected-error @below {{needs tensor copies, which sm_80 does not have}}
    tile.store_wait pending(0)
  }
  return
}

// -----

func.func @gemm_wait() {
  tile.kernel (%b) in (1) {
    // expected-error @below {{waits for asynchronous gemms, which sm_80 does not have}}
    tile.gemm_wait pending(0)
  }
  return
}

// -----

func.func @register_budgets() {
  tile.kernel (%b) in (1) {
    // expected-error @below {{cannot be lowered to threads of sm_80, which has no register budgets of warpgroups}}
    tile.warp_specialize attributes {consumer_registers = 24 : i64} producer {
    } consumer {
    }
  }
  return
}
