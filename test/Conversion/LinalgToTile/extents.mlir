// Dynamic extents that an op wants to be equal have one name: a call with others is an error, where elements past the end were zeros.

// RUN: tile-opt --tile-from-linalg %s | FileCheck %s
// RUN: tile-run %s --func=sum --shape=0:8 --shape=1:8 | FileCheck %s --check-prefix=SAME
// RUN: not tile-run %s --func=sum --shape=0:8 --shape=1:5 2>&1 | FileCheck %s --check-prefix=DIFFERS
// RUN: not tile-run %s --func=product M=8 K=16 L=5 N=8 2>&1 | FileCheck %s --check-prefix=NAME
// SAME: 0 passed, 0 failed, 1 not checked
// DIFFERS: error: argument 1 {{.*}}: expected n0=8, got 5 in dimension 0
// NAME: unknown size L: no tile.shape names it

// The result has the extent of the first operand, by way of tensor.empty.
// CHECK-LABEL: func.func @sum(
// CHECK-SAME: memref<?xf32> {tile.shape = "n0"}, %{{.*}}: memref<?xf32> {tile.shape = "n0"},
// CHECK-SAME: memref<?xf32> {tile.result, tile.shape = "n0"}
#id = affine_map<(i) -> (i)>
func.func @sum(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %t = arith.addf %x, %y : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// Of two names, the first is kept, and what is known of the second.
// CHECK-LABEL: func.func @product(
// CHECK-SAME: {tile.shape = "MxK"}
// CHECK-SAME: {tile.shape = "K%4xN"}
// CHECK-SAME: {tile.result, tile.shape = "MxN"}
func.func @product(%a: tensor<?x?xf32> {tile.shape = "MxK"}, %b: tensor<?x?xf32> {tile.shape = "L%4xN"})
    -> (tensor<?x?xf32> {tile.shape = "MxN"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %n = tensor.dim %b, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Extents that have nothing to do with each other keep what they have.
// CHECK-LABEL: func.func @outer(
// CHECK-SAME: %{{[a-z0-9]+}}: memref<?xf32>, %{{[a-z0-9]+}}: memref<?xf32>, %{{[a-z0-9]+}}: memref<4x4xf32> {tile.result})
func.func @outer(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      outs(%e : tensor<4x4xf32>) {
  ^bb0(%old: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %x = tensor.extract %a[%i] : tensor<?xf32>
    %y = tensor.extract %b[%j] : tensor<?xf32>
    %t = arith.mulf %x, %y : f32
    linalg.yield %t : f32
  } -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}
