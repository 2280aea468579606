// The matrix of windows: strides, dilations, padding, tiles that leave the matrix on all sides.

// REQUIRES: tile-run, nvidia, amd
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_80 --device=model | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx942 --device=model | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx1100 --device=model | FileCheck %s
// CHECK: {{^}}8 passed, 0 failed{{$}}

!images = memref<?x7x9x3xi32>

func.func @plain(%x: !images {tile.shape = "Nx7x9x3"}, %y: memref<80x30xi32> {tile.result})
    attributes {tile.reference = @plain_reference, tile.cases = ["N=2", "N=1", "N=0"]} {
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<80x30xi32, #tile.shared>
    // 5·7 rows an image and 27 columns: some of the tile lies outside.
    tile.im2col %x[0, 0], %t kernel(3, 3) : !images, memref<80x30xi32, #tile.shared>
    tile.copy %t, %y : memref<80x30xi32, #tile.shared>, memref<80x30xi32>
  }
  return
}
func.func @plain_reference(%x: !images, %y: memref<80x30xi32>) {
  %c0 = arith.constant 0 : index
  %k3 = arith.constant 3 : index
  %one = arith.constant 1 : index
  %oh = arith.constant 5 : index
  %ow = arith.constant 7 : index
  %v = memref.cast %y : memref<80x30xi32> to memref<?x?xi32>
  func.call @windows(%x, %v, %c0, %c0, %oh, %ow, %k3, %k3, %one, %one, %c0)
      : (!images, memref<?x?xi32>, index, index, index, index, index, index, index, index, index) -> ()
  return
}

// Offsets in the matrix, also negative ones.

func.func @offsets(%x: !images {tile.shape = "Nx7x9x3"}, %y: memref<40x40xi32> {tile.result})
    attributes {tile.reference = @offsets_reference, tile.cases = ["N=2", "N=1"]} {
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<40x40xi32, #tile.shared>
    tile.im2col %x[%b - 4, %b - 7], %t kernel(3, 3) : !images, memref<40x40xi32, #tile.shared>
    tile.copy %t, %y : memref<40x40xi32, #tile.shared>, memref<40x40xi32>
  }
  return
}
func.func @offsets_reference(%x: !images, %y: memref<40x40xi32>) {
  %c0 = arith.constant 0 : index
  %p = arith.constant -4 : index
  %q = arith.constant -7 : index
  %k3 = arith.constant 3 : index
  %one = arith.constant 1 : index
  %oh = arith.constant 5 : index
  %ow = arith.constant 7 : index
  %v = memref.cast %y : memref<40x40xi32> to memref<?x?xi32>
  func.call @windows(%x, %v, %p, %q, %oh, %ow, %k3, %k3, %one, %one, %c0)
      : (!images, memref<?x?xi32>, index, index, index, index, index, index, index, index, index) -> ()
  return
}

// OH = (7 + 4 - 2·2 - 1) / 3 + 1 = 3, OW = (9 + 4 - 2·1 - 1) / 3 + 1 = 4.

func.func @all(%x: !images {tile.shape = "Nx7x9x3"}, %y: memref<16x20xi32> {tile.result})
    attributes {tile.reference = @all_reference, tile.cases = ["N=1", "N=3"]} {
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<16x20xi32, #tile.shared>
    tile.im2col %x[%b + 2, %b + 1], %t kernel(3, 2) stride(3) dilation(2) pad(2) : !images, memref<16x20xi32, #tile.shared>
    tile.copy %t, %y : memref<16x20xi32, #tile.shared>, memref<16x20xi32>
  }
  return
}
func.func @all_reference(%x: !images, %y: memref<16x20xi32>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %v = memref.cast %y : memref<16x20xi32> to memref<?x?xi32>
  func.call @windows(%x, %v, %c2, %c1, %c3, %c4, %c3, %c2, %c3, %c2, %c2)
      : (!images, memref<?x?xi32>, index, index, index, index, index, index, index, index, index) -> ()
  return
}

// A window of one pixel is the image as a matrix, in a float type.

func.func @one(%x: memref<1x3x4x2xf16>, %y: memref<12x2xf16> {tile.result})
    attributes {tile.reference = @one_reference, tile.atol = 0.0, tile.rtol = 0.0} {
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<12x2xf16, #tile.shared>
    tile.im2col %x[0, 0], %t kernel(1, 1) : memref<1x3x4x2xf16>, memref<12x2xf16, #tile.shared>
    tile.copy %t, %y : memref<12x2xf16, #tile.shared>, memref<12x2xf16>
  }
  return
}
func.func @one_reference(%x: memref<1x3x4x2xf16>, %y: memref<12x2xf16>) {
  affine.for %p = 0 to 12 {
    affine.for %c = 0 to 2 {
      %v = affine.load %x[0, %p floordiv 4, %p mod 4, %c] : memref<1x3x4x2xf16>
      affine.store %v, %y[%p, %c] : memref<12x2xf16>
    }
  }
  return
}

// The definition: clears y and scatters each pixel of each window to its place, which no division is needed for.
func.func private @windows(%x: !images, %y: memref<?x?xi32>, %p0: index, %q0: index, %oh: index, %ow: index, %kh: index,
                           %kw: index, %stride: index, %dilation: index, %pad: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %h = arith.constant 7 : index
  %w = arith.constant 9 : index
  %channels = arith.constant 3 : index
  %zero = arith.constant 0 : i32
  %n = memref.dim %x, %c0 : !images
  %rows = memref.dim %y, %c0 : memref<?x?xi32>
  %columns = memref.dim %y, %c1 : memref<?x?xi32>
  linalg.fill ins(%zero : i32) outs(%y : memref<?x?xi32>)
  scf.for %in = %c0 to %n step %c1 {
    scf.for %r = %c0 to %oh step %c1 {
      scf.for %s = %c0 to %ow step %c1 {
        scf.for %i = %c0 to %kh step %c1 {
          scf.for %j = %c0 to %kw step %c1 {
            scf.for %c = %c0 to %channels step %c1 {
              %row = affine.apply affine_map<(n, r, s)[oh, ow, p] -> ((n * oh + r) * ow + s - p)>(%in, %r, %s)[%oh, %ow, %p0]
              %column = affine.apply affine_map<(i, j, c)[kw, q] -> ((i * kw + j) * 3 + c - q)>(%i, %j, %c)[%kw, %q0]
              %a = affine.apply affine_map<(r, i)[s, d, p] -> (r * s - p + i * d)>(%r, %i)[%stride, %dilation, %pad]
              %b = affine.apply affine_map<(r, i)[s, d, p] -> (r * s - p + i * d)>(%s, %j)[%stride, %dilation, %pad]
              %i0 = arith.cmpi ult, %row, %rows : index
              %i1 = arith.cmpi ult, %column, %columns : index
              %i2 = arith.cmpi ult, %a, %h : index
              %i3 = arith.cmpi ult, %b, %w : index
              %i01 = arith.andi %i0, %i1 : i1
              %i23 = arith.andi %i2, %i3 : i1
              %inside = arith.andi %i01, %i23 : i1
              scf.if %inside {
                %v = memref.load %x[%in, %a, %b, %c] : !images
                memref.store %v, %y[%row, %column] : memref<?x?xi32>
              }
            }
          }
        }
      }
    }
  }
  return
}
