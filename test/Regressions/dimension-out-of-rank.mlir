// The size of a dimension that the buffer has not crashed all pipelines.
//
// REQUIRES: tile-run
// RUN: not tile-run --no-notes --target=cpu --shape=0:5 %s 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not tile-run --no-notes --target=cuda --chip=sm_90a --device=model --shape=0:5 %s 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not tile-run --no-notes --target=hip --chip=gfx942 --device=model --shape=0:5 %s 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not tile-run --no-notes --target=ascend --shape=0:5 %s 2>&1 | FileCheck %s --check-prefix=ERROR
//
// So did passes that stand behind or beside the verifier.
// RUN: not tile-opt --tile-legalize-accesses %s 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not tile-opt --tile-estimate=chip=sm_90a %s 2>&1 | FileCheck %s --check-prefix=ERROR

// ERROR: error: 'memref.dim' op expected a dimension from 0 to 0, got 9223372036854775807

func.func @f(%c: memref<?xi32>) {
  %big = arith.constant 9223372036854775807 : index
  %one = arith.constant 1 : i32
  %n = memref.dim %c, %big : memref<?xi32>
  tile.kernel (%i) in (%n) {
    tile.parallel (%t) in (1) {
      %p = affine.apply affine_map<(i, t) -> (i + t)>(%i, %t)
      memref.store %one, %c[%p] : memref<?xi32>
    }
  }
  return
}
