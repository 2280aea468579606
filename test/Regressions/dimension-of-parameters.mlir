// A dimension that the buffer has not, in a module with parameters: these are folded before the semantic checks, by patterns
// of upstream that crashed. The test of such dimensions had no parameter.
//
// RUN: not tile-opt --tile-bind-parameters %s 2>&1 | FileCheck %s
// RUN: not tile-opt --tile-to-cpu-pipeline %s 2>&1 | FileCheck %s
// RUN: %if tile-run %{ not tile-run --no-notes --target=cpu --shape=0:5x5 %s 2>&1 | FileCheck %s %}

// CHECK: error: 'memref.dim' op expected a dimension from 0 to 1, got -1
// CHECK-NOT: PLEASE submit a bug report

tile.param @rows = 4 in [4, 8]
func.func @f(%a: memref<?x?xf32>) {
  %last = arith.constant -1 : index
  %n = memref.dim %a, %last : memref<?x?xf32>
  tile.kernel (%i) in (ceildiv(%n, @rows)) {
    %t = tile.alloc(@rows) : memref<?x4xf32, #tile.fragment>
    tile.fill %t, 1.0
    tile.copy %t, %a[%i * @rows, 0]
  }
  return
}
