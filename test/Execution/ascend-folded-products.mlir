// REQUIRES: tile-run
// RUN: tile-run --target=ascend %s | FileCheck %s
// RUN: tile-run --target=ascend --chip=950 %s | FileCheck %s
// RUN: tile-translate --tile-to-ascendc %s | FileCheck %s --check-prefix=TEXT

// The products are in a loop without iterations, so that nothing is left for the cube core. Both vector cores have half of
// the rows nevertheless, and both have to run.

// CHECK-NOT: FAIL
// CHECK: {{^}}1 passed, 0 failed

// TEXT: KERNEL_TYPE_MIX_AIC_1_2

func.func @no_steps(%x: memref<64x64xf32>, %y: memref<64x48xf32> {tile.result}) attributes {tile.reference = @twos} {
  %two = arith.constant 2 : index
  tile.kernel (%b) in (1) {
    %a = tile.alloc : memref<32x64xf16, #tile.fragment>
    %w = tile.alloc : memref<32x64xf16, #tile.fragment>
    %t = tile.alloc : memref<64x64xf32, #tile.shared>
    %d = tile.alloc : memref<64x64xf32, #tile.shared>
    %s = tile.alloc : memref<64x48xf32, #tile.shared>
    %c = tile.alloc : memref<32x32xf32, #tile.fragment>
    tile.fill %a, 1.0
    tile.fill %d, 2.0
    tile.fill %c, 1.0
    tile.copy %x, %t
    scf.for %k = %two to %two step %two {
      tile.copy %a, %w
      tile.gemm %a, %w, %c {clear, transpose_b}
    }
    tile.copy %t[6, 29] [32, 4], %c[0, 10] [32, 4]
    tile.parallel (%i, %j) in (64, 48) do %s[%i, %j] = %d[%i, %j]
    tile.copy %s, %y
  }
  return
}

func.func private @twos(%x: memref<64x64xf32>, %y: memref<64x48xf32>) {
  %two = arith.constant 2.0 : f32
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 48 {
      affine.store %two, %y[%i, %j] : memref<64x48xf32>
    }
  }
  return
}
