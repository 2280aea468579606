// RUN: tile-opt %s --tile-inline-calls --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s
// RUN: tile-opt %s --tile-inline-calls --remarks-filter='tile-inline-calls' 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tile-run %s | FileCheck %s --check-prefix=RESULT
// RUN: tile-run %s --target=ascend --func=softmax | FileCheck %s --check-prefix=RESULT
// RUN: tile-opt %s --tile-to-nvvm-pipeline -o /dev/null
// RUN: tile-opt %s --tile-to-rocdl-pipeline -o /dev/null

// Functions with tiles, with a result, with tiles of their own, and one that calls another one.

!tile = memref<16x32xf32, #tile.fragment>
!column = memref<16xf32, #tile.fragment>

// What is inlined everywhere is gone; what nobody calls is gone if it has tiles.
// CHECK-NOT: @subtract_exp
// CHECK-NOT: @unused_helper
// CHECK: func.func private @unused()
// CHECK: func.func @shared_with_host(
func.func private @unused() {
  return
}
func.func private @unused_helper(%x: !tile) {
  func.call @subtract_exp(%x, %x) : (!tile, !tile) -> ()
  return
}
func.func @shared_with_host(%x: f32, %y: f32) -> f32 {
  %s = arith.subf %x, %y : f32
  %e = math.exp %s : f32
  return %e : f32
}
func.func private @subtract_exp(%x: !tile, %y: !tile) {
  tile.parallel (%i, %j) in (16, 32) {
    %v = memref.load %x[%i, %j] : !tile
    %m = memref.load %y[%i, %j] : !tile
    %e = func.call @shared_with_host(%v, %m) : (f32, f32) -> f32
    memref.store %e, %x[%i, %j] : !tile
  }
  return
}
func.func private @row_max(%x: !tile, %broadcast: !tile) {
  %max = tile.alloc : !column
  tile.reduce max %x, %max dim(1) : !tile, !column
  tile.parallel (%i, %j) in (16, 32) {
    %m = memref.load %max[%i] : !column
    memref.store %m, %broadcast[%i, %j] : !tile
  }
  return
}
func.func private @softmax_tile(%x: !tile) {
  %max = tile.alloc : !tile
  func.call @row_max(%x, %max) : (!tile, !tile) -> ()
  func.call @subtract_exp(%x, %max) : (!tile, !tile) -> ()
  %sum = tile.alloc : !column
  tile.reduce sum %x, %sum dim(1) : !tile, !column
  tile.parallel (%i, %j) in (16, 32) {
    %v = memref.load %x[%i, %j] : !tile
    %s = memref.load %sum[%i] : !column
    %r = arith.divf %v, %s : f32
    memref.store %r, %x[%i, %j] : !tile
  }
  return
}

// CHECK-LABEL: func.func @softmax(
// CHECK:         tile.kernel
// CHECK-COUNT-3:   tile.alloc
// CHECK-NOT:       call @
// CHECK:           tile.reduce max {{.*}} loc(callsite("{{.*}}inline-calls.mlir":41:3 at callsite("{{.*}}":50:3 at "{{.*}}":84:5)))
// CHECK-NOT:       call @
// CHECK:           math.exp
// CHECK-NOT:       call @
// CHECK:           tile.reduce sum
// CHECK-NOT:       call @
// REMARK: [Passed] InlinedCalls | Category:tile-inline-calls | {{.*}}calls=4
func.func @softmax(%a: memref<?x32xf32> {tile.shape = "Mx32"},
                   %b: memref<?x32xf32> {tile.shape = "Mx32", tile.result})
    attributes {tile.reference = @reference, tile.cases = ["M=1", "M=16", "M=33"], tile.atol = 1.0e-6, tile.rtol = 1.0e-5} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %m = memref.dim %a, %c0 : memref<?x32xf32>
  %blocks = arith.ceildivui %m, %c16 : index
  tile.kernel (%k) in (%blocks) threads(128) {
    %x = tile.alloc : !tile
    tile.copy %a[%k * 16, 0], %x : memref<?x32xf32>, !tile
    func.call @softmax_tile(%x) : (!tile) -> ()
    tile.copy %x, %b[%k * 16, 0] : !tile, memref<?x32xf32>
  }
  return
}

// A call in host code stays.
// CHECK-LABEL: func.func @reference(
// CHECK:         call @shared_with_host
func.func @reference(%a: memref<?x32xf32>, %b: memref<?x32xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %m = memref.dim %a, %c0 : memref<?x32xf32>
  affine.for %i = 0 to %m {
    %max = affine.for %j = 0 to 32 iter_args(%old = %lowest) -> f32 {
      %v = affine.load %a[%i, %j] : memref<?x32xf32>
      %new = arith.maximumf %old, %v : f32
      affine.yield %new : f32
    }
    %sum = affine.for %j = 0 to 32 iter_args(%old = %zero) -> f32 {
      %v = affine.load %a[%i, %j] : memref<?x32xf32>
      %e = func.call @shared_with_host(%v, %max) : (f32, f32) -> f32
      affine.store %e, %b[%i, %j] : memref<?x32xf32>
      %new = arith.addf %old, %e : f32
      affine.yield %new : f32
    }
    affine.for %j = 0 to 32 {
      %e = affine.load %b[%i, %j] : memref<?x32xf32>
      %r = arith.divf %e, %sum : f32
      affine.store %r, %b[%i, %j] : memref<?x32xf32>
    }
  }
  return
}
// RESULT-COUNT-3: softmax
// RESULT: 3 passed, 0 failed
