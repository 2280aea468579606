// REQUIRES: tile-run
// RUN: tile-run --target=ascend %s | FileCheck %s
// RUN: tile-run --target=ascend --chip=950 %s | FileCheck %s
// RUN: tile-run --target=ascend %S/im2col.mlir | FileCheck %s --check-prefix=WINDOWS

// Windows of a convolution on the Ascend model. Sixteen channels of a pixel are one copy; three, in the other file, are moved by
// the scalar unit. Strides, dilation, padding, tiles that leave the matrix on all sides; a convolution as a product, with tails.

// CHECK-NOT: FAIL
// CHECK: {{^}}2 passed, 0 failed
// WINDOWS-NOT: FAIL
// WINDOWS: {{^}}8 passed, 0 failed

!image = memref<?x9x11x16xf16>
func.func @convolution(%x: !image {tile.shape = "Nx9x11x16"}, %w: memref<144x40xf16>, %y: memref<?x40xf32> {tile.shape = "Px40", tile.result})
    attributes {tile.reference = @convolution_reference, tile.atol = 1.0e-3, tile.rtol = 1.0e-3, tile.cases = ["N=2 P=60", "N=1 P=30"]} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %p = memref.dim %y, %c0 : memref<?x40xf32>
  %blocks = affine.apply affine_map<(n) -> (n ceildiv 32)>(%p)
  tile.kernel (%b) in (%blocks) {
    %xs = tile.alloc : memref<32x48xf16, #tile.shared>
    %ws = tile.alloc : memref<48x40xf16, #tile.shared>
    %acc = tile.alloc : memref<32x40xf32, #tile.fragment>
    tile.fill %acc, %zero : memref<32x40xf32, #tile.fragment>
    tile.pipelined %k = 0 to 3 stages(2) {
      tile.im2col %x[%b * 32, %k * 48], %xs kernel(3, 3) stride(2) dilation(1) pad(1) : !image, memref<32x48xf16, #tile.shared>
      tile.copy %w[%k * 48, 0], %ws : memref<144x40xf16>, memref<48x40xf16, #tile.shared>
      tile.gemm %xs, %ws, %acc : memref<32x48xf16, #tile.shared>, memref<48x40xf16, #tile.shared>, memref<32x40xf32, #tile.fragment>
    }
    tile.copy %acc, %y[%b * 32, 0] : memref<32x40xf32, #tile.fragment>, memref<?x40xf32>
  }
  return
}
// OH = (9 + 2 - 2 - 1)/2 + 1 = 5, OW = (11 + 2 - 2 - 1)/2 + 1 = 6
func.func @convolution_reference(%x: !image, %w: memref<144x40xf16>, %y: memref<?x40xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : !image
  affine.for %i = 0 to %n {
    affine.for %oh = 0 to 5 {
      affine.for %ow = 0 to 6 {
        affine.for %f = 0 to 40 {
          affine.store %zero, %y[%i * 30 + %oh * 6 + %ow, %f] : memref<?x40xf32>
          affine.for %kh = 0 to 3 {
            affine.for %kw = 0 to 3 {
              affine.if affine_set<(h, w, kh, kw) : (h * 2 + kh - 1 >= 0, -h * 2 - kh + 9 >= 0, w * 2 + kw - 1 >= 0, -w * 2 - kw + 11 >= 0)>(%oh, %ow, %kh, %kw) {
                affine.for %c = 0 to 16 {
                  %a = affine.load %x[%i, %oh * 2 + %kh - 1, %ow * 2 + %kw - 1, %c] : !image
                  %b = affine.load %w[%kh * 48 + %kw * 16 + %c, %f] : memref<144x40xf16>
                  %ad = arith.extf %a : f16 to f32
                  %bd = arith.extf %b : f16 to f32
                  %p = arith.mulf %ad, %bd : f32
                  %old = affine.load %y[%i * 30 + %oh * 6 + %ow, %f] : memref<?x40xf32>
                  %new = arith.addf %old, %p : f32
                  affine.store %new, %y[%i * 30 + %oh * 6 + %ow, %f] : memref<?x40xf32>
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
