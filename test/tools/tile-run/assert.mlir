// Assertions end the run with their message; assumptions are tested when asked for.

// RUN: %python %S/../../tile-opt/Inputs/exit-code.py 1 tile-run %s --func=asserts N=3 > %t 2>&1
// RUN: FileCheck %s --check-prefix=ASSERT --input-file=%t
// ASSERT: assert.mlir:[[@LINE+12]]:1: error: @asserts crashed (N=3): assertion failed: too few elements
// ASSERT-NOT: {{.}}
// RUN: tile-run %s --func=asserts N=4 | FileCheck %s --check-prefix=FINE
// FINE: asserts N=4

// RUN: %python %S/../../tile-opt/Inputs/exit-code.py 1 tile-run %s --func=assumes --check-assumptions N=3 > %t 2>&1
// RUN: FileCheck %s --check-prefix=ASSUME --input-file=%t
// ASSUME: error: @assumes crashed (N=3): assertion failed:
// RUN: tile-run %s --func=assumes --check-assumptions N=4 | FileCheck %s --check-prefix=HOLDS
// HOLDS: assumes N=4


func.func @asserts(%x: memref<?xf32> {tile.shape = "N"}) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %enough = arith.cmpi sge, %n, %c4 : index
  tile.kernel (%b) in (1) threads(32) {
    tile.device_assert %enough, "too few elements"
  }
  return
}

func.func @assumes(%x: memref<?xf32> {tile.shape = "N"}) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %enough = arith.cmpi sge, %n, %c4 : index
  tile.kernel (%b) in (1) threads(32) {
    tile.assume %enough
  }
  return
}
