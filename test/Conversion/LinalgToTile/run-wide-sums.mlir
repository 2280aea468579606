// REQUIRES: tile-run, nvidia, amd
// RUN: tile-opt --tile-from-linalg %s | FileCheck %s --check-prefix=IR
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx942 --device=model | FileCheck %s

// Tiles whose sums have 64 bits have half as many rows as others, and so the registers hold them: the product has 8 rows of 300, where
// 16 spilled on sm_90a; of 32 bits they have 16.

// CHECK: 5 passed, 0 failed

#all = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>

// IR-LABEL: func.func @product(
// IR: tile.alloc : memref<8x300xi64, #tile.fragment>
func.func @product(%a: tensor<3x300xi64> {tile.init = "integers(-9223372036854775808, 9223372036854775807)"},
                   %b: tensor<300x40xi64> {tile.init = "integers(-9223372036854775808, 9223372036854775807)"},
                   %c: tensor<3x40xi64>) -> tensor<3x40xi64> attributes {tile.reference = @product_reference} {
  %r = linalg.matmul ins(%a, %b : tensor<3x300xi64>, tensor<300x40xi64>) outs(%c : tensor<3x40xi64>) -> tensor<3x40xi64>
  return %r : tensor<3x40xi64>
}

func.func private @product_reference(%a: memref<3x300xi64>, %b: memref<300x40xi64>, %c: memref<3x40xi64>, %r: memref<3x40xi64>) {
  affine.for %i = 0 to 3 {
    affine.for %j = 0 to 40 {
      %old = affine.load %c[%i, %j] : memref<3x40xi64>
      %sum = affine.for %k = 0 to 300 iter_args(%s = %old) -> i64 {
        %x = affine.load %a[%i, %k] : memref<3x300xi64>
        %y = affine.load %b[%k, %j] : memref<300x40xi64>
        %p = arith.muli %x, %y : i64
        %t = arith.addi %s, %p : i64
        affine.yield %t : i64
      }
      affine.store %sum, %r[%i, %j] : memref<3x40xi64>
    }
  }
  return
}

// IR-LABEL: func.func @sums(
// IR: tile.alloc : memref<8x512xf64, #tile.fragment>
func.func @sums(%x: tensor<?x512xf64> {tile.shape = "Mx512"}, %c: tensor<?xf64> {tile.shape = "M"})
    -> (tensor<?xf64> {tile.shape = "M"})
    attributes {tile.reference = @sums_reference, tile.rtol = 1.0e-13, tile.atol = 1.0e-12, tile.cases = ["M=1", "M=19", "M=32"]} {
  %r = linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x512xf64>) outs(%c : tensor<?xf64>) {
  ^bb0(%v: f64, %s: f64):
    %t = arith.addf %s, %v : f64
    linalg.yield %t : f64
  } -> tensor<?xf64>
  return %r : tensor<?xf64>
}

func.func private @sums_reference(%x: memref<?x512xf64>, %c: memref<?xf64>, %r: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %m = memref.dim %x, %c0 : memref<?x512xf64>
  affine.for %i = 0 to %m {
    %old = affine.load %c[%i] : memref<?xf64>
    %sum = affine.for %k = 0 to 512 iter_args(%s = %old) -> f64 {
      %v = affine.load %x[%i, %k] : memref<?x512xf64>
      %t = arith.addf %s, %v : f64
      affine.yield %t : f64
    }
    affine.store %sum, %r[%i] : memref<?xf64>
  }
  return
}

// IR-LABEL: func.func @narrow(
// IR: tile.alloc : memref<16x512xi32, #tile.fragment>
func.func @narrow(%x: tensor<20x512xi32>, %c: tensor<20xi32>) -> tensor<20xi32> attributes {tile.reference = @narrow_reference} {
  %r = linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<20x512xi32>) outs(%c : tensor<20xi32>) {
  ^bb0(%v: i32, %s: i32):
    %t = arith.addi %s, %v : i32
    linalg.yield %t : i32
  } -> tensor<20xi32>
  return %r : tensor<20xi32>
}

func.func private @narrow_reference(%x: memref<20x512xi32>, %c: memref<20xi32>, %r: memref<20xi32>) {
  affine.for %i = 0 to 20 {
    %old = affine.load %c[%i] : memref<20xi32>
    %sum = affine.for %k = 0 to 512 iter_args(%s = %old) -> i32 {
      %v = affine.load %x[%i, %k] : memref<20x512xi32>
      %t = arith.addi %s, %v : i32
      affine.yield %t : i32
    }
    affine.store %sum, %r[%i] : memref<20xi32>
  }
  return
}
