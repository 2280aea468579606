// What host code asserts is asserted by the kernel behind it on GPUs, and before it on the CPU.

// REQUIRES: tile-run, nvidia, amd
// RUN: not tile-run %s --check=none --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: not tile-run %s --check=none --target=hip --chip=gfx942 --device=model | FileCheck %s
// RUN: not tile-run %s --check=none 2>&1 | FileCheck %s --check-prefix=CPU

// CHECK: N=4 {{.*[mun]s$}}
// CHECK: N=7 {{.*}} FAIL
// CPU: N=4 {{.*[mun]s$}}
// CPU: (N=7): assertion failed: more than five
func.func @f(%x: memref<?xf32> {tile.shape = "N"}, %y: memref<?xf32> {tile.shape = "N", tile.result}) attributes {tile.cases = ["N=4", "N=7"]} {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %d = memref.dim %x, %c0 : memref<?xf32>
  %ok = arith.cmpi sle, %d, %c5 : index
  cf.assert %ok, "more than five"
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (%d) { %v = memref.load %x[%i] : memref<?xf32>
      memref.store %v, %y[%i] : memref<?xf32> }
  }
  return
}
