// Dynamic extents that are joined: grids, copies and elements of such views on GPUs, where the grid was refused for what follows
// from another view, and copies for every view that is no row. Narrow rows that are selected fill whole vectors on NPUs: the loops over them
// were not divided, and did not fit UB.

// REQUIRES: tile-run, nvidia, amd, ascend
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_80 --device=model | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx942 --device=model | FileCheck %s
// RUN: tile-run %s --target=ascend --chip=910B --func=joined | FileCheck %s --check-prefix=NPU
// RUN: tile-run %s --target=ascend --chip=950 --func=joined | FileCheck %s --check-prefix=NPU
// CHECK-NOT: FAIL
// CHECK: {{^}}13 passed, 0 failed{{$}}
// NPU: {{^}}5 passed, 0 failed{{$}}

// Two tensors behind each other, one with rows in front and one behind, and all of it as a row.
func.func @joined(%x: tensor<?x4xf32> {tile.shape = "Ax4"}, %y: tensor<?x4xf32> {tile.shape = "Bx4"})
    -> (tensor<?x4xf32> {tile.shape = "Cx4"}, tensor<?x4xf32> {tile.shape = "A + 3x4"}, tensor<?xf32> {tile.shape = "D"})
    attributes {tile.reference = @joined_reference, 
                tile.cases = ["A=1 B=1 C=2 D=8", "A=3 B=5 C=8 D=32", "A=0 B=2 C=2 D=8", "A=2 B=0 C=2 D=8", "A=300 B=257 C=557 D=2228"]} {
  %quarter = arith.constant 0.25 : f32
  %c = tensor.concat dim(0) %x, %y : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %p = tensor.pad %x low[2, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %quarter : f32
  } : tensor<?x4xf32> to tensor<?x4xf32>
  %f = tensor.collapse_shape %c [[0, 1]] : tensor<?x4xf32> into tensor<?xf32>
  return %c, %p, %f : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?xf32>
}
func.func private @joined_reference(%x: memref<?x4xf32>, %y: memref<?x4xf32>, %c: memref<?x4xf32>, %p: memref<?x4xf32>, %f: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %quarter = arith.constant 0.25 : f32
  %a = memref.dim %x, %c0 : memref<?x4xf32>
  %b = memref.dim %y, %c0 : memref<?x4xf32>
  linalg.fill ins(%quarter : f32) outs(%p : memref<?x4xf32>)
  affine.for %j = 0 to 4 {
    affine.for %i = 0 to %a {
      %v = affine.load %x[%i, %j] : memref<?x4xf32>
      affine.store %v, %c[%i, %j] : memref<?x4xf32>
      affine.store %v, %p[%i + 2, %j] : memref<?x4xf32>
      affine.store %v, %f[%i * 4 + %j] : memref<?xf32>
    }
    affine.for %i = 0 to %b {
      %v = affine.load %y[%i, %j] : memref<?x4xf32>
      affine.store %v, %c[%i + symbol(%a), %j] : memref<?x4xf32>
      affine.store %v, %f[(%i + symbol(%a)) * 4 + %j] : memref<?xf32>
    }
  }
  return
}

// One matrix for all products of a batch: its rows and those of the batch are joined.
func.func @batch(%x: tensor<4x?x17xf32> {tile.shape = "4xMx17"}, %y: tensor<1x17x?xf32> {tile.shape = "1x17xN"})
    -> (tensor<4x?x?xf32> {tile.shape = "4xMxN"})
    attributes {tile.reference = @batch_reference, tile.atol = 1.0e-5, tile.rtol = 1.0e-5,
                tile.cases = ["M=3 N=5", "M=0 N=7", "M=33 N=1", "M=1 N=65"]} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c1 : tensor<4x?x17xf32>
  %n = tensor.dim %y, %c2 : tensor<1x17x?xf32>
  %e = tensor.empty(%m, %n) : tensor<4x?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x?x?xf32>) -> tensor<4x?x?xf32>
  %w = tensor.collapse_shape %y [[0, 1], [2]] : tensor<1x17x?xf32> into tensor<17x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<4x?x17xf32>, tensor<17x?xf32>) outs(%f : tensor<4x?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x?x?xf32>
  return %r : tensor<4x?x?xf32>
}
func.func private @batch_reference(%x: memref<4x?x17xf32>, %y: memref<1x17x?xf32>, %r: memref<4x?x?xf32>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %x, %c1 : memref<4x?x17xf32>
  %n = memref.dim %y, %c2 : memref<1x17x?xf32>
  affine.for %b = 0 to 4 {
    affine.for %i = 0 to %m {
      affine.for %j = 0 to %n {
        %sum = affine.for %k = 0 to 17 iter_args(%s = %zero) -> f32 {
          %v = affine.load %x[%b, %i, %k] : memref<4x?x17xf32>
          %w = affine.load %y[0, %k, %j] : memref<1x17x?xf32>
          %p = arith.mulf %v, %w : f32
          %t = arith.addf %s, %p : f32
          affine.yield %t : f32
        }
        affine.store %sum, %r[%b, %i, %j] : memref<4x?x?xf32>
      }
    }
  }
  return
}

// Views of views, divided and joined, in tile text: a grid by the last one, a copy from it, elements of another one.
func.func @views(%x: memref<?x64xf32> {tile.shape = "Mx64"}, %n: memref<?xi8> {tile.shape = "N"}, %o: memref<?xf32> {tile.shape = "M * 64", tile.result},
                 %z: memref<?x?x2xf32> {tile.shape = "MxNx2", tile.init = "zeros", tile.result})
    attributes {tile.reference = @views_reference, tile.cases = ["M=3 N=5", "M=1 N=1", "M=0 N=3", "M=40 N=33"]} {
  %c0 = arith.constant 0 : index
  %m = memref.dim %x, %c0 : memref<?x64xf32>
  %parts = memref.expand_shape %x [[0], [1, 2]] output_shape [%m, 4, 16] : memref<?x64xf32> into memref<?x4x16xf32>
  %rows = memref.collapse_shape %parts [[0, 1], [2]] : memref<?x4x16xf32> into memref<?x16xf32>
  %pairs = memref.collapse_shape %z [[0, 1], [2]] : memref<?x?x2xf32> into memref<?x2xf32>
  %wide = memref.expand_shape %o [[0, 1]] output_shape [%m, 64] : memref<?xf32> into memref<?x64xf32>
  tile.kernel (%b) in (ceildiv(dim(%rows, 0), 8)) threads(64) {
    %t = tile.alloc : memref<8x16xf32, #tile.shared>
    tile.copy %rows[%b * 8, 0], %t
    tile.parallel (%i, %j) in (8, 16) {
      %r = affine.apply affine_map<(b, i) -> ((b * 8 + i) floordiv 4)>(%b, %i)
      %k = affine.apply affine_map<(b, i, j) -> (((b * 8 + i) mod 4) * 16 + j)>(%b, %i, %j)
      %v = memref.load %t[%i, %j] : memref<8x16xf32, #tile.shared>
      memref.store %v, %wide[%r, %k] : memref<?x64xf32>
    }
  }
  tile.kernel (%b) in (ceildiv(dim(%pairs, 0), 8)) threads(64) {
    %t = tile.alloc : memref<8x2xf32, #tile.shared>
    tile.fill %t, 3.0
    tile.copy %t, %pairs[%b * 8, 0]
  }
  return
}
func.func private @views_reference(%x: memref<?x64xf32>, %n: memref<?xi8>, %o: memref<?xf32>, %z: memref<?x?x2xf32>) {
  %c0 = arith.constant 0 : index
  %three = arith.constant 3.0 : f32
  %m = memref.dim %x, %c0 : memref<?x64xf32>
  linalg.fill ins(%three : f32) outs(%z : memref<?x?x2xf32>)
  affine.for %i = 0 to %m {
    affine.for %j = 0 to 64 {
      %v = affine.load %x[%i, %j] : memref<?x64xf32>
      affine.store %v, %o[%i * 64 + %j] : memref<?xf32>
    }
  }
  return
}
