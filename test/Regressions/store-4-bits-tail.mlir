// f32 to 4-bit floats, where the tile reaches past the end of the rows: half of the elements were wrong.
//
// REQUIRES: tile-run
// RUN: tile-run --no-notes --target=cuda --chip=sm_90a --device=model %s | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run --no-notes --target=hip --chip=gfx942 --device=model %s | FileCheck %s --check-prefix=RIGHT
// RUN: not tile-run --no-notes --target=ascend %s 2>&1 | FileCheck %s --check-prefix=ERROR

// RIGHT: 1 passed, 0 failed
// ERROR: error: elements of type 'f4E2M1FN' have no place on Ascend; widen them to i8, or keep two in an i8

!x = memref<5x64xf32>
!y = memref<5x64xf4E2M1FN>
!t = memref<16x64xf32, #tile.fragment>
func.func @f4_tail(%x: !x, %y: !y {tile.result}) {
  tile.kernel (%b) in (1) threads(128) {
    %t = tile.alloc : !t
    tile.copy %x[0, 0], %t : !x, !t
    tile.copy %t, %y[0, 0] {saturate} : !t, !y
  }
  return
}
