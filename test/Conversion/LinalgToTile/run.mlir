// RUN: tile-run %s | FileCheck %s
// CHECK: 10 passed, 0 failed

// Programs as front ends write them, against loops over the same arguments.

// A transposed operand, a bias and a relu, with tails in all dimensions.
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#id2 = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#col = affine_map<(i, j) -> (j)>
func.func @matmul_bias_relu(
    %a: tensor<?x?xf32> {tile.shape = "MxK"}, %w: tensor<?x?xf32> {tile.shape = "NxK"},
    %bias: tensor<?xf32> {tile.shape = "N"}) -> (tensor<?x?xf32> {tile.shape = "MxN"})
    attributes {tile.reference = @matmul_bias_relu_reference, tile.atol = 1.0e-4, tile.rtol = 1.0e-5,
                tile.cases = ["M=64 N=64 K=32", "M=65 N=130 K=33", "M=1 N=1 K=1", "M=7 N=3 K=0", "M=0 N=4 K=4"]} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %n = tensor.dim %w, %c0 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %w : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %q = arith.mulf %x, %y : f32
    %r = arith.addf %s, %q : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [#id2, #col, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%p, %bias : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %q = arith.addf %x, %y : f32
    %t = arith.maximumf %q, %zero : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
func.func @matmul_bias_relu_reference(%a: memref<?x?xf32>, %w: memref<?x?xf32>, %bias: memref<?xf32>,
                                      %c: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %a, %c0 : memref<?x?xf32>
  %n = memref.dim %w, %c0 : memref<?x?xf32>
  %k = memref.dim %a, %c1 : memref<?x?xf32>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %b = affine.load %bias[%j] : memref<?xf32>
      %sum = affine.for %l = 0 to %k iter_args(%s = %b) -> f32 {
        %x = affine.load %a[%i, %l] : memref<?x?xf32>
        %y = affine.load %w[%j, %l] : memref<?x?xf32>
        %q = arith.mulf %x, %y : f32
        %r = arith.addf %s, %q : f32
        affine.yield %r : f32
      }
      %t = arith.maximumf %sum, %zero : f32
      affine.store %t, %c[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// A softmax over rows of any length: one kernel, in tiles of columns.
func.func @softmax(%x: tensor<?x?xf32> {tile.shape = "MxN"}) -> (tensor<?x?xf32> {tile.shape = "MxN"})
    attributes {tile.reference = @softmax_reference, tile.atol = 1.0e-6, tile.rtol = 1.0e-5,
                tile.cases = ["M=33 N=1024", "M=3 N=2500", "M=1 N=1"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %rows = tensor.empty(%m) : tensor<?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f0 = linalg.fill ins(%lowest : f32) outs(%rows : tensor<?xf32>) -> tensor<?xf32>
  %max = linalg.reduce ins(%x : tensor<?x?xf32>) outs(%f0 : tensor<?xf32>) dimensions = [1]
    (%in: f32, %s: f32) {
      %q = arith.maximumf %in, %s : f32
      linalg.yield %q : f32
    }
  %exp = linalg.generic {indexing_maps = [#id2, #row, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%v: f32, %y: f32, %s: f32):
    %q = arith.subf %v, %y : f32
    %t = math.exp %q : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%rows : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.reduce ins(%exp : tensor<?x?xf32>) outs(%f1 : tensor<?xf32>) dimensions = [1]
    (%in: f32, %s: f32) {
      %q = arith.addf %in, %s : f32
      linalg.yield %q : f32
    }
  %r = linalg.generic {indexing_maps = [#id2, #row, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%v: f32, %y: f32, %s: f32):
    %q = arith.divf %v, %y : f32
    linalg.yield %q : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
func.func @softmax_reference(%x: memref<?x?xf32>, %r: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %m = memref.dim %x, %c0 : memref<?x?xf32>
  %n = memref.dim %x, %c1 : memref<?x?xf32>
  affine.for %i = 0 to %m {
    // Arguments are small: no maximum is needed in f64.
    %sum = affine.for %j = 0 to %n iter_args(%s = %zero) -> f64 {
      %v = affine.load %x[%i, %j] : memref<?x?xf32>
      %w = arith.extf %v : f32 to f64
      %q = math.exp %w : f64
      %t = arith.addf %s, %q : f64
      affine.yield %t : f64
    }
    affine.for %j = 0 to %n {
      %v = affine.load %x[%i, %j] : memref<?x?xf32>
      %w = arith.extf %v : f32 to f64
      %q = math.exp %w : f64
      %t = arith.divf %q, %sum : f64
      %u = arith.truncf %t : f64 to f32
      affine.store %u, %r[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// A padded convolution with strides, as a product with a gathered operand.
func.func @convolution(%x: tensor<2x9x10x5xf32>, %w: tensor<3x3x5x7xf32>) -> tensor<2x5x5x7xf32>
    attributes {tile.reference = @convolution_reference, tile.atol = 1.0e-4, tile.rtol = 1.0e-5} {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<2x9x10x5xf32> to tensor<2x11x12x5xf32>
  %e = tensor.empty() : tensor<2x5x5x7xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x5x5x7xf32>) -> tensor<2x5x5x7xf32>
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%p, %w : tensor<2x11x12x5xf32>, tensor<3x3x5x7xf32>) outs(%f : tensor<2x5x5x7xf32>) -> tensor<2x5x5x7xf32>
  return %r : tensor<2x5x5x7xf32>
}
func.func @convolution_reference(%x: memref<2x9x10x5xf32>, %w: memref<3x3x5x7xf32>, %r: memref<2x5x5x7xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %n = 0 to 2 {
    affine.for %i = 0 to 5 {
      affine.for %j = 0 to 5 {
        affine.for %o = 0 to 7 {
          affine.store %zero, %r[%n, %i, %j, %o] : memref<2x5x5x7xf32>
          affine.for %p = 0 to 3 {
            affine.for %q = 0 to 3 {
              affine.if affine_set<(i, j, p, q) : (i * 2 + p - 1 >= 0, 9 - i * 2 - p >= 0, j * 2 + q - 1 >= 0,
                                                   10 - j * 2 - q >= 0)>(%i, %j, %p, %q) {
                affine.for %c = 0 to 5 {
                  %v = affine.load %x[%n, %i * 2 + %p - 1, %j * 2 + %q - 1, %c] : memref<2x9x10x5xf32>
                  %u = affine.load %w[%p, %q, %c, %o] : memref<3x3x5x7xf32>
                  %s = affine.load %r[%n, %i, %j, %o] : memref<2x5x5x7xf32>
                  %y = arith.mulf %v, %u : f32
                  %z = arith.addf %s, %y : f32
                  affine.store %z, %r[%n, %i, %j, %o] : memref<2x5x5x7xf32>
                }
              }
            }
          }
        }
      }
    }
  }
  return
}

// Data movement alone: a slice with strides, a pad, a concatenation, an insertion and a reshape.
func.func @movement(%x: tensor<6x10xi32>, %y: tensor<3x2xi32>) -> (tensor<2x3x9xi32>, tensor<3x4xi32>)
    attributes {tile.reference = @movement_reference} {
  %nine = arith.constant 9 : i32
  %s = tensor.extract_slice %x[0, 2] [3, 4] [2, 2] : tensor<6x10xi32> to tensor<3x4xi32>
  %t = tensor.extract_slice %x[0, 1] [6, 2] [1, 1] : tensor<6x10xi32> to tensor<6x2xi32>
  %p = tensor.pad %t low[0, 1] high[0, 2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %nine : i32
  } : tensor<6x2xi32> to tensor<6x5xi32>
  %c = tensor.concat dim(1) %t, %p, %t : (tensor<6x2xi32>, tensor<6x5xi32>, tensor<6x2xi32>) -> tensor<6x9xi32>
  %n = tensor.insert_slice %y into %c[2, 6] [3, 2] [1, 1] : tensor<3x2xi32> into tensor<6x9xi32>
  %r = tensor.expand_shape %n [[0, 1], [2]] output_shape [2, 3, 9] : tensor<6x9xi32> into tensor<2x3x9xi32>
  return %r, %s : tensor<2x3x9xi32>, tensor<3x4xi32>
}
func.func @movement_reference(%x: memref<6x10xi32>, %y: memref<3x2xi32>, %r: memref<2x3x9xi32>,
                              %s: memref<3x4xi32>) {
  %nine = arith.constant 9 : i32
  affine.for %i = 0 to 2 {
    affine.for %j = 0 to 3 {
      affine.for %k = 0 to 9 {
        affine.store %nine, %r[%i, %j, %k] : memref<2x3x9xi32>
      }
      affine.for %k = 0 to 2 {
        %v = affine.load %x[%i * 3 + %j, %k + 1] : memref<6x10xi32>
        affine.store %v, %r[%i, %j, %k] : memref<2x3x9xi32>
        affine.store %v, %r[%i, %j, %k + 3] : memref<2x3x9xi32>
        affine.store %v, %r[%i, %j, %k + 7] : memref<2x3x9xi32>
      }
    }
  }
  affine.for %i = 0 to 3 {
    affine.for %j = 0 to 4 {
      %v = affine.load %x[%i * 2, %j * 2 + 2] : memref<6x10xi32>
      affine.store %v, %s[%i, %j] : memref<3x4xi32>
    }
    affine.for %j = 0 to 2 {
      %v = affine.load %y[%i, %j] : memref<3x2xi32>
      affine.store %v, %r[(%i + 2) floordiv 3, (%i + 2) mod 3, %j + 6] : memref<2x3x9xi32>
    }
  }
  return
}
