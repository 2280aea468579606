// What a caller passes stays as it is: host code that inserts elements in a loop works on a copy, unless the function says that its
// argument may be written.

// RUN: tile-opt %s --tile-from-linalg | FileCheck %s

// CHECK-LABEL: func.func @scatter
// CHECK-SAME:  (%[[X:[a-z0-9]+]]: memref<?xf32> {{.*}}, %{{.*}}: memref<?xi32> {{.*}}, %{{.*}}: memref<?xf32> {{.*}}, %[[Y:[a-z0-9]+]]: memref<?xf32>
// CHECK-NOT:   memref.store %{{.*}}, %[[X]]
// CHECK:       memref.store %{{[0-9]+}}, %[[Y]][%
// CHECK-NOT:   memref.store %{{.*}}, %[[X]]
// CHECK:       return
func.func @scatter(%x: tensor<?xf32> {tile.shape = "N"}, %id: tensor<?xi32> {tile.shape = "K"}, %u: tensor<?xf32> {tile.shape = "K"})
    -> (tensor<?xf32> {tile.shape = "N"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = tensor.dim %id, %c0 : tensor<?xi32>
  %r = scf.for %i = %c0 to %k step %c1 iter_args(%t = %x) -> tensor<?xf32> {
    %p = tensor.extract %id[%i] : tensor<?xi32>
    %at = arith.index_cast %p : i32 to index
    %a = tensor.extract %t[%at] : tensor<?xf32>
    %b = tensor.extract %u[%i] : tensor<?xf32>
    %s = arith.addf %a, %b : f32
    %n = tensor.insert %s into %t[%at] : tensor<?xf32>
    scf.yield %n : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// CHECK-LABEL: func.func @in_place
// CHECK-SAME:  (%[[X:[a-z0-9]+]]: memref<4xf32>
// CHECK:       memref.store %{{.*}}, %[[X]]
func.func @in_place(%x: tensor<4xf32> {bufferization.writable = true}, %v: f32) -> tensor<4xf32> {
  %c1 = arith.constant 1 : index
  %r = tensor.insert %v into %x[%c1] : tensor<4xf32>
  return %r : tensor<4xf32>
}
