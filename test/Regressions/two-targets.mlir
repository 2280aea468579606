// A module that names its target, compiled for another one.
//
// REQUIRES: tile-run
// RUN: tile-run --no-notes --target=cuda --chip=sm_80 --device=model %s | FileCheck %s --check-prefix=RIGHT
// RUN: not tile-run --no-notes --target=cuda --chip=sm_90a --device=model %s 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not tile-run --no-notes --target=hip --chip=gfx942 --device=model %s 2>&1 | FileCheck %s --check-prefix=ERROR2
// RUN: not tile-run --no-notes --target=ascend %s 2>&1 | FileCheck %s --check-prefix=ERROR3

// RIGHT: 1 passed, 0 failed
// ERROR: error: 'tile.target' names 'sm_80', but the option 'chip' names 'sm_90a'; leave one of them out
// ERROR2: error: 'tile.target' names 'sm_80', but the option 'chip' names 'gfx942'; leave one of them out
// ERROR3: error: expected an Ascend target, got 'sm_80'; known Ascend targets: 910B, 910C, 950

module attributes {tile.target = #tile.target<"sm_80">} {
func.func @f(%a: memref<8xf32>, %b: memref<8xf32>) {
  tile.kernel (%k) in (1) {
    tile.parallel (%i) in (8) {
      %x = memref.load %a[%i] : memref<8xf32>
      memref.store %x, %b[%i] : memref<8xf32>
    }
  }
  return
}
}
