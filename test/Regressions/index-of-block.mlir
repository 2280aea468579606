// A store of indices outside of 'tile.parallel' is refused: a tile has none (found by the fuzzer of pipelines).

// REQUIRES: tile-run
// RUN: tile-run --no-notes --target=cuda --chip=sm_90a --device=model %s | FileCheck %s --check-prefix=RIGHT
// RUN: not tile-run --no-notes --target=ascend --chip=950 %s 2>&1 | FileCheck %s --check-prefix=ERROR

// RIGHT: 1 passed, 0 failed
// ERROR: error: the scalar unit does not write to global memory on Ascend

func.func @coordinates(%out: memref<8x4xindex> {tile.result}) attributes {tile.reference = @reference} {
  tile.kernel (%x, %y) in (4, 8) {
    memref.store %x, %out[%y, %x] : memref<8x4xindex>
  }
  return
}
func.func @reference(%out: memref<8x4xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  scf.for %y = %c0 to %c8 step %c1 {
    scf.for %x = %c0 to %c4 step %c1 {
      memref.store %x, %out[%y, %x] : memref<8x4xindex>
    }
  }
  return
}
