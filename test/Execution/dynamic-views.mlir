// Dynamic dimensions that are joined and divided: several of one, in views of views, where extents are 0 and 1.

// REQUIRES: tile-run, nvidia, amd, ascend
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx942 --device=model | FileCheck %s
// RUN: tile-run %s --target=ascend --chip=910B | FileCheck %s
// RUN: tile-run %s --target=ascend --chip=950 | FileCheck %s
// CHECK: {{^}}12 passed, 0 failed{{$}}

!d = memref<?x?xf32>
!o = memref<?xf32>
func.func @expand(%x: !o {tile.shape = "H"}, %y: !d {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @expand_reference, tile.atol = 0.0, tile.rtol = 0.0, tile.cases = ["M=5 N=7 H=35", "M=0 N=7 H=0"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %y, %c0 : !d
  %n = memref.dim %y, %c1 : !d
  %e = memref.expand_shape %x [[0, 1]] output_shape [%m, %n] : !o into !d
  tile.kernel (%i, %j) in (ceildiv(%n, 32), ceildiv(%m, 8)) threads(64) {
    %t = tile.alloc : memref<8x32xf32, #tile.shared>
    tile.copy %e[%j * 8, %i * 32], %t
    tile.copy %t, %y[%j * 8, %i * 32]
  }
  return
}
func.func @expand_reference(%x: !o, %y: !d) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %y, %c0 : !d
  %n = memref.dim %y, %c1 : !d
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %k = affine.apply affine_map<(i, j)[n] -> (i * n + j)>(%i, %j)[%n]
      %v = memref.load %x[%k] : !o
      affine.store %v, %y[%i, %j] : !d
    }
  }
  return
}

// Views of views, from which the grid follows.
func.func @collapse(%x: memref<1x?x?xf32> {tile.shape = "1xMxN"}, %y: memref<?x?xf32> {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @collapse_reference, tile.atol = 0.0, tile.rtol = 0.0, tile.cases = ["M=5 N=7", "M=0 N=7", "M=7 N=0", "M=1 N=1", "M=1 N=65",
                "M=65 N=1"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = memref.collapse_shape %x [[0, 1], [2]] : memref<1x?x?xf32> into !d
  %w = memref.collapse_shape %v [[0, 1]] : !d into !o
  %m = memref.dim %v, %c0 : !d
  %n = memref.dim %v, %c1 : !d
  %e = memref.expand_shape %w [[0, 1]] output_shape [%m, %n] : !o into !d
  %mm = memref.dim %e, %c0 : !d
  %nn = memref.dim %e, %c1 : !d
  %gm = affine.apply affine_map<(m) -> (m ceildiv 8)>(%mm)
  %gn = affine.apply affine_map<(m) -> (m ceildiv 32)>(%nn)
  tile.kernel (%i, %j) in (%gn, %gm) threads(64) {
    %t = tile.alloc : memref<8x32xf32, #tile.shared>
    %u = tile.alloc : memref<8x32xf32, #tile.shared>
    tile.copy %e[%j * 8, %i * 32], %t
    tile.copy %v[%j * 8, %i * 32], %u
    tile.parallel (%a, %b) in (8, 32) do %t[%a, %b] = %t[%a, %b] + %u[%a, %b]
    tile.copy %t, %y[%j * 8, %i * 32]
  }
  return
}
func.func @collapse_reference(%x: memref<1x?x?xf32>, %y: !d) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %y, %c0 : !d
  %n = memref.dim %y, %c1 : !d
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %v = affine.load %x[0, %i, %j] : memref<1x?x?xf32>
      %s = arith.addf %v, %v : f32
      affine.store %s, %y[%i, %j] : !d
    }
  }
  return
}
// Dimensions that are 1 as the kernel runs; elements and tiles that are written through views.
func.func @ones(%x: memref<?x?xf32> {tile.shape = "AxM"}, %y: memref<?xf32> {tile.shape = "M", tile.result})
    attributes {tile.reference = @ones_reference, tile.atol = 0.0, tile.rtol = 0.0, tile.cases = ["A=1 M=7", "A=1 M=0", "A=1 M=1", "A=1 M=300"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %y, %c0 : !o
  tile.kernel (%i) in (ceildiv(dim(%x, 1), 64)) threads(64) {
    %a = memref.dim %x, %c0 : !d
    %w = memref.collapse_shape %x [[0, 1]] : !d into !o
    %e = memref.expand_shape %y [[0, 1, 2]] output_shape [1, %m, %a] : !o into memref<1x?x?xf32>
    %f = memref.expand_shape %y [[0, 1, 2]] output_shape [1, %m, 1] : !o into memref<1x?x1xf32>
    %t = tile.alloc : memref<64xf32, #tile.shared>
    %u = tile.alloc : memref<1x64x1xf32, #tile.shared>
    tile.copy %w[%i * 64], %t
    tile.parallel (%b) in (64) do %u[0, %b, 0] = %t[%b] * 2.0
    tile.copy %u, %f[0, %i * 64, 0]
    tile.parallel (%b) in (64) do {
      if %i * 64 + %b < dim(%e, 1) { %e[0, %i * 64 + %b, 0] = %e[0, %i * 64 + %b, 0] + %w[%i * 64 + %b] }
    }
  }
  return
}
func.func @ones_reference(%x: !d, %y: !o) {
  %c0 = arith.constant 0 : index
  %three = arith.constant 3.0 : f32
  %m = memref.dim %y, %c0 : !o
  affine.for %i = 0 to %m {
    %v = affine.load %x[0, %i] : !d
    %s = arith.mulf %v, %three : f32
    affine.store %s, %y[%i] : !o
  }
  return
}
