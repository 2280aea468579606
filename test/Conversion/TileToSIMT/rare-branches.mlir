// The branch for tiles that reach past a buffer computes its coordinates itself, from numbers that LLVM knows nothing of: those of
// the common branch would stay in registers for it. AMD's compiler moves such code by itself.

// RUN: tile-opt %s --pass-pipeline='builtin.module(tile-to-gpu-pipeline{chip=sm_90a})' | FileCheck %s
// RUN: tile-opt %s --pass-pipeline='builtin.module(tile-to-gpu-pipeline{chip=gfx942})' | FileCheck %s --check-prefix=AMD

// CHECK-LABEL: gpu.func @rows
// CHECK:       scf.if
// CHECK-NOT:   llvm.inline_asm has_side_effects
// CHECK:       else
// CHECK:       %[[LANE:.*]] = llvm.inline_asm {{.*}}"", "=r,0" %{{.*}} : (i32) -> i32
// CHECK:       arith.andi %[[LANE]], %c31

// AMD-LABEL: gpu.func @rows
// AMD-NOT:   "=r,0"
func.func @rows(%x: memref<?x?xbf16> {tile.shape = "MxN%8"}, %y: memref<?x?xbf16> {tile.shape = "MxN%8"}) {
  tile.kernel (%i) in (dim(%x, 0)) {
    %t = tile.alloc : memref<1x2048xbf16, #tile.fragment>
    tile.copy %x[%i, 0], %t
    tile.parallel (%a, %j) in (1, 2048) do %t[%a, %j] = %t[%a, %j] + %t[%a, %j]
    tile.copy %t, %y[%i, 0]
  }
  return
}
