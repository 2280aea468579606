// What is inserted with strides, as a transposed convolution does with its image, is read where it is used: one kernel.

// RUN: tile-run %s | FileCheck %s
// RUN: tile-opt --tile-from-linalg %s | FileCheck %s --check-prefix=IR
// CHECK: 3 passed, 0 failed
// IR-COUNT-1: tile.kernel
// IR-NOT: tile.kernel

#id = affine_map<(i, j) -> (i, j)>
func.func @spread(%x: tensor<?x4xf32> {tile.shape = "Nx4"}) -> (tensor<40x11xf32>)
    attributes {tile.reference = @spread_reference, tile.cases = ["N=13", "N=1", "N=0"]} {
  %c0 = arith.constant 0 : index
  %seven = arith.constant 7.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty() : tensor<40x11xf32>
  %f = linalg.fill ins(%seven : f32) outs(%e : tensor<40x11xf32>) -> tensor<40x11xf32>
  %s = tensor.insert_slice %x into %f[1, 2] [%n, 4] [3, 2] : tensor<?x4xf32> into tensor<40x11xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<40x11xf32>) outs(%e : tensor<40x11xf32>) {
  ^bb0(%p: f32, %old: f32):
    %t = arith.addf %p, %p : f32
    linalg.yield %t : f32
  } -> tensor<40x11xf32>
  return %r : tensor<40x11xf32>
}

func.func @spread_reference(%x: memref<?x4xf32>, %r: memref<40x11xf32>) {
  %c0 = arith.constant 0 : index
  %fourteen = arith.constant 14.0 : f32
  %n = memref.dim %x, %c0 : memref<?x4xf32>
  affine.for %i = 0 to 40 {
    affine.for %j = 0 to 11 {
      affine.store %fourteen, %r[%i, %j] : memref<40x11xf32>
    }
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to 4 {
      %v = affine.load %x[%i, %j] : memref<?x4xf32>
      %t = arith.addf %v, %v : f32
      affine.store %t, %r[%i * 3 + 1, %j * 2 + 2] : memref<40x11xf32>
    }
  }
  return
}
