// RUN: tile-opt %s --split-input-file --verify-diagnostics --tile-set-target=chip=gfx942 --convert-tile-to-simt

// What AMD GPUs do not have.

func.func @pipeline() {
  tile.kernel (%b) in (1) {
    // expected-error @below {{needs transaction-count barriers, which gfx942 does not have}}
    %r = tile.create_pipeline : !tile.pipeline<2>
  }
  return
}

// -----

func.func @partitions() {
  tile.kernel (%b) in (1) {
    // expected-error @below {{cannot be lowered to threads of gfx942, which has no barriers for a part of the threads}}
    tile.warp_specialize producer {
    } consumer {
    }
  }
  return
}

// -----

func.func @tensor_copy(%a: memref<64x32xf32>) {
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<64x32xf32, #tile.shared>
    // expected-error @below {{cannot use a tensor copy on gfx942}}
    tile.copy %s, %a {instruction = #tile.transfer<tma>} : memref<64x32xf32, #tile.shared>, memref<64x32xf32>
  }
  return
}

// -----

func.func @other_vendor() {
  tile.kernel (%b) in (1) threads(64) {
    %x = tile.alloc : memref<16x16xf16, #tile.shared>
    %c = tile.alloc {layout = #tile.layout<[16: 4 lane*16, 4 reg][16: 16 lane]>} : memref<16x16xf32, #tile.fragment>
    // expected-error @below {{cannot be lowered with 'mma' on gfx942; expected fma or mfma}}
    tile.gemm %x, %x, %c {instruction = #tile.mma<mma, m = 16, n = 8, k = 16, warps_m = 1, warps_n = 1>} : memref<16x16xf16, #tile.shared>, memref<16x16xf16, #tile.shared>, memref<16x16xf32, #tile.fragment>
  }
  return
}

// -----

// A fence for engines that there are none of is nothing.
func.func @fence() {
  tile.kernel (%b) in (1) {
    tile.barrier async
  }
  return
}
