// RUN: tile-opt %s --tile-set-target=chip=gfx942 --tile-select-instructions --tile-infer-layout --tile-schedule | FileCheck %s --check-prefixes=CHECK,NARROW
// RUN: tile-opt %s --tile-set-target=chip=gfx950 --tile-select-instructions --tile-infer-layout --tile-schedule | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: tile-opt %s --tile-set-target=chip=gfx942 --tile-select-instructions --remarks-filter=tile-select-instructions -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tile-opt %s --tile-set-target=chip=gfx950 --tile-select-instructions --tile-schedule --remarks-filter=tile-schedule -o /dev/null 2>&1 | FileCheck %s --check-prefix=MIXED

!halves = memref<64x32xf16, #tile.shared>

// The widest copies are the default; where a lane moves less than through registers, tiles wait in those.
// REMARK: [Missed] AsyncCopy | {{.*}}no cp_async: a lane moves 4 bytes, and 16 through registers; say so with 'prefer(cp_async)'
// CHECK-LABEL: @default
func.func @default(%a: memref<64x256xf16>, %s: memref<64x32xf16>) {
  tile.kernel (%b) in (1) threads(128) {
    %t = tile.alloc : !halves
    // NARROW: tile.alloc {layout = {{.*}}} : memref<64x32xf16, #tile.fragment>
    // NARROW-NOT: cp_async
    // WIDE: tile.copy {{.*}}#tile.transfer<cp_async, bytes = 16>
    // WIDE: tile.async_commit
    // CHECK: tile.pipelined
    tile.pipelined %k = 0 to 8 stages(3) {
      // WIDE: tile.async_wait pending(1)
      tile.copy %a[0, %k * 32], %t : memref<64x256xf16>, !halves
      tile.copy %t, %s : !halves, memref<64x32xf16>
    }
  }
  return
}

// CHECK-LABEL: @asked
func.func @asked(%a: memref<64x256xf16>, %s: memref<64x32xf16>) {
  tile.kernel (%b) in (1) threads(128) {
    %t = tile.alloc : !halves
    // NARROW: tile.copy {{.*}}#tile.transfer<cp_async, bytes = 4>
    // WIDE: tile.copy {{.*}}#tile.transfer<cp_async, bytes = 16>
    // CHECK: tile.async_wait pending(1)
    tile.pipelined %k = 0 to 8 stages(3) {
      tile.copy %a[0, %k * 32], %t prefer(cp_async) : memref<64x256xf16>, !halves
      tile.copy %t, %s : !halves, memref<64x32xf16>
    }
  }
  return
}

// One copy that converts: both go through registers, one tile ahead.
// MIXED: [Missed] AsyncCopy | {{.*}}another copy of the loop goes through registers
// MIXED: [Passed] Prefetch
// CHECK-LABEL: @mixed
// CHECK-NOT: cp_async
// CHECK: return
func.func @mixed(%a: memref<64x256xf16>, %b: memref<64x256xf32>, %s: memref<64x32xf16>) {
  tile.kernel (%x) in (1) threads(128) {
    %t = tile.alloc : !halves
    %u = tile.alloc : !halves
    tile.pipelined %k = 0 to 8 stages(3) {
      tile.copy %a[0, %k * 32], %t : memref<64x256xf16>, !halves
      tile.copy %b[0, %k * 32], %u : memref<64x256xf32>, !halves
      tile.copy %t, %s : !halves, memref<64x32xf16>
      tile.copy %u, %s : !halves, memref<64x32xf16>
    }
  }
  return
}
