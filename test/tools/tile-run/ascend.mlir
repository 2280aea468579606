// REQUIRES: tile-run
// RUN: tile-run %s --target=ascend --func=add | FileCheck %s --check-prefix=CPU
// RUN: tile-run %s --target=ascend --func=add --check=cpu | FileCheck %s --check-prefix=CPU
// RUN: tile-run %s --target=ascend --func=add --check=none | FileCheck %s --check-prefix=NONE
// RUN: tile-run %s --target=ascend --func=lent | FileCheck %s --check-prefix=CPU
// RUN: not tile-run %s --target=ascend --func=other | FileCheck %s --check-prefix=OTHER
// RUN: tile-run %s --target=ascend --func=hand | FileCheck %s --check-prefix=NONE
// RUN: not tile-run %s --target=ascend --func=hand --check=cpu 2>&1 | FileCheck %s --check-prefix=HAND

// Without a reference, a function is compared with itself on the CPU; a
// reference runs there whether it has kernels or not.
// CPU: 1 passed, 0 failed
// CPU-NOT: not checked
// NONE: not checked
// OTHER: 0 passed, 1 failed
// HAND: error:

func.func @add(%a: memref<64xf32>, %b: memref<64xf32> {tile.result}) {
  tile.kernel (%x) in (1) {
    tile.parallel (%i) in (64) {
      %v = memref.load %a[%i] : memref<64xf32>
      %w = arith.addf %v, %v : f32
      memref.store %w, %b[%i] : memref<64xf32>
    }
  }
  return
}

func.func @lent(%a: memref<64xf32>, %b: memref<64xf32> {tile.result}) attributes {tile.reference = @add, tile.atol = 0.0, tile.rtol = 0.0} {
  tile.kernel (%x) in (1) {
    tile.parallel (%i) in (64) {
      %two = arith.constant 2.0 : f32
      %v = memref.load %a[%i] : memref<64xf32>
      %w = arith.mulf %v, %two : f32
      memref.store %w, %b[%i] : memref<64xf32>
    }
  }
  return
}

func.func @other(%a: memref<64xf32>, %b: memref<64xf32> {tile.result}) attributes {tile.reference = @add, tile.atol = 0.0, tile.rtol = 0.0} {
  tile.kernel (%x) in (1) {
    tile.copy %a, %b : memref<64xf32>, memref<64xf32>
  }
  return
}

func.func @hand(%a: memref<64xf32>, %b: memref<64xf32> {tile.result}) {
  tile.kernel (%x) in (1) {
    %t = tile.alloc {ascend.address = 0 : i64} : memref<64xf32, #tile.ub>
    ascend.copy_gm_to_ub %t, %a : memref<64xf32, #tile.ub>, memref<64xf32>
    ascend.copy_ub_to_gm %b, %t : memref<64xf32>, memref<64xf32, #tile.ub>
  }
  return
}
