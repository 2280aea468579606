// Ops of dialects that are not loaded have no dialect to ask; the checks of ranks asked it.
//
// REQUIRES: ascend
// RUN: not tile-opt-plain --allow-unregistered-dialect --tile-to-ascend-pipeline=chip=950 %s 2>&1 | FileCheck %s
// CHECK: error: on Ascend, 'foo.number' has no vector instruction and no formula

func.func @unknown(%x: memref<32xf32>) {
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (32) {
      %v = "foo.number"() : () -> f32
      memref.store %v, %x[%i] : memref<32xf32>
    }
  }
  return
}
