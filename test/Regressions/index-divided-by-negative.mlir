// An index divided by a negative number left an op of the middle of the pipeline in the result.
//
// REQUIRES: tile-run
// RUN: not tile-run --no-notes --target=cpu %s 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not tile-run --no-notes --target=cuda --chip=sm_90a --device=model %s 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not tile-run --no-notes --target=hip --chip=gfx942 --device=model %s 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not tile-run --no-notes --target=ascend %s 2>&1 | FileCheck %s --check-prefix=ERROR

// ERROR: error: custom op 'tile.atomic' expected a positive divisor of an index, got -1

func.func @outside(%x: memref<?xi32> {tile.shape = "N", tile.init = "iota", tile.result}, %old: memref<8xi32> {tile.result})
    attributes {tile.cases = ["N=0", "N=1", "N=5", "N=8", "N=100"]} {
  %ten = arith.constant 10 : i32
  %safe = arith.constant -7 : i32
  tile.kernel (%b) in (1) {
    tile.padding_value %x, %safe : memref<?xi32>
    tile.parallel (%i) in (8) {
      %o = tile.atomic add %ten, %x[%i floordiv -1] : i32, memref<?xi32> -> i32
      memref.store %o, %old[%i] : memref<8xi32>
    }
  }
  return
}
