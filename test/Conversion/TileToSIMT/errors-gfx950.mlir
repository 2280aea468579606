// RUN: tile-opt %s --verify-diagnostics --tile-set-target=chip=gfx950 --tile-select-instructions --tile-infer-layout --convert-tile-to-gpu

func.func @f8f6f4() {
  tile.kernel (%b) in (1) threads(64) {
    %x = tile.alloc : memref<32x64xf8E4M3FN, #tile.shared>
    %c = tile.alloc : memref<32x32xf32, #tile.fragment>
    // expected-error @below {{cannot be lowered with 'v_mfma_f32_32x32x64_f8f6f4' yet; expected a smaller K, for which there are other instructions}}
    tile.gemm %x, %x, %c {transpose_b} : memref<32x64xf8E4M3FN, #tile.shared>, memref<32x64xf8E4M3FN, #tile.shared>, memref<32x32xf32, #tile.fragment>
  }
  return
}
