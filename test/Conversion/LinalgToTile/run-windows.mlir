// RUN: tile-run %s | FileCheck %s
// RUN: tile-opt --tile-from-linalg %s | FileCheck %s --check-prefix=IR
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx942 --device=model | FileCheck %s
// CHECK: 4 passed, 0 failed

// Convolutions of images with channels innermost: rectangles of the image are copied, with what lies outside as 0. Sums are in f32
// and rounded once (2^-8), before a bias of at most 1 is added.

// Padding, pixels and features that fill no tile, and what comes behind.
// IR-LABEL: func.func @padded(
// IR: tile.kernel
// IR: %[[BOX:.*]] = tile.alloc : memref<{{.*}}x32xbf16, #tile.shared>
// IR: tile.reshape %[[BOX]]
// IR: tile.pipelined %{{.*}} = 0 to 9 stages(6)
// IR: tile.copy %arg0[{{.*}}] [{{.*}}, 32], %[[BOX]]
// IR: tile.copy
// IR: tile.gemm
// IR: arith.maximumf
// IR-NOT: tile.kernel
// IR: return
#id = affine_map<(n, h, w, f) -> (n, h, w, f)>
#feature = affine_map<(n, h, w, f) -> (f)>
func.func @padded(%x: tensor<3x9x11x32xbf16>, %w: tensor<3x3x32x40xbf16>, %b: tensor<40xf32>) -> tensor<3x9x11x40xbf16>
    attributes {tile.reference = @padded_reference, tile.atol = 4.0e-3, tile.rtol = 3.90625e-3} {
  %zero = arith.constant 0.0 : bf16
  %zero32 = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : bf16
  } : tensor<3x9x11x32xbf16> to tensor<3x11x13x32xbf16>
  %e = tensor.empty() : tensor<3x9x11x40xbf16>
  %z = linalg.fill ins(%zero : bf16) outs(%e : tensor<3x9x11x40xbf16>) -> tensor<3x9x11x40xbf16>
  %y = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%p, %w : tensor<3x11x13x32xbf16>, tensor<3x3x32x40xbf16>) outs(%z : tensor<3x9x11x40xbf16>) -> tensor<3x9x11x40xbf16>
  %r = linalg.generic {indexing_maps = [#id, #feature, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%y, %b : tensor<3x9x11x40xbf16>, tensor<40xf32>) outs(%e : tensor<3x9x11x40xbf16>) {
  ^bb0(%v: bf16, %c: f32, %old: bf16):
    %wide = arith.extf %v : bf16 to f32
    %s = arith.addf %wide, %c : f32
    %m = arith.maximumf %s, %zero32 : f32
    %t = arith.truncf %m : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<3x9x11x40xbf16>
  return %r : tensor<3x9x11x40xbf16>
}

func.func @padded_reference(%x: memref<3x9x11x32xbf16>, %w: memref<3x3x32x40xbf16>, %b: memref<40xf32>, %y: memref<3x9x11x40xbf16>) {
  %zero = arith.constant 0.0 : bf16
  %zero32 = arith.constant 0.0 : f32
  %p = memref.alloc() : memref<3x11x13x32xbf16>
  linalg.fill ins(%zero : bf16) outs(%p : memref<3x11x13x32xbf16>)
  affine.for %n = 0 to 3 {
    affine.for %h = 0 to 9 {
      affine.for %v = 0 to 11 {
        affine.for %c = 0 to 32 {
          %e = affine.load %x[%n, %h, %v, %c] : memref<3x9x11x32xbf16>
          affine.store %e, %p[%n, %h + 1, %v + 1, %c] : memref<3x11x13x32xbf16>
        }
      }
    }
  }
  %s = memref.alloc() : memref<3x9x11x40xf32>
  linalg.fill ins(%zero32 : f32) outs(%s : memref<3x9x11x40xf32>)
  linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%p, %w : memref<3x11x13x32xbf16>, memref<3x3x32x40xbf16>) outs(%s : memref<3x9x11x40xf32>)
  linalg.generic {indexing_maps = [#id, #feature, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s, %b : memref<3x9x11x40xf32>, memref<40xf32>) outs(%y : memref<3x9x11x40xbf16>) {
  ^bb0(%v: f32, %c: f32, %old: bf16):
    %h = arith.truncf %v : f32 to bf16
    %wide = arith.extf %h : bf16 to f32
    %a = arith.addf %wide, %c : f32
    %m = arith.maximumf %a, %zero32 : f32
    %t = arith.truncf %m : f32 to bf16
    linalg.yield %t : bf16
  }
  memref.dealloc %p : memref<3x11x13x32xbf16>
  memref.dealloc %s : memref<3x9x11x40xf32>
  return
}

// A stride and a dilation: the image is read as two rows by two columns.
// IR-LABEL: func.func @strided(
// IR: tile.reshape %arg0 : memref<2x12x16x64xbf16> to memref<2x6x2x8x128xbf16>
// IR: tile.gemm
func.func @strided(%x: tensor<2x12x16x64xbf16>, %w: tensor<2x2x64x72xbf16>) -> tensor<2x5x7x72xbf16>
    attributes {tile.reference = @strided_reference, tile.atol = 1.0e-4, tile.rtol = 3.90625e-3} {
  %zero = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<2x5x7x72xbf16>
  %z = linalg.fill ins(%zero : bf16) outs(%e : tensor<2x5x7x72xbf16>) -> tensor<2x5x7x72xbf16>
  %y = linalg.conv_2d_nhwc_hwcf {dilations = dense<3> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
      ins(%x, %w : tensor<2x12x16x64xbf16>, tensor<2x2x64x72xbf16>) outs(%z : tensor<2x5x7x72xbf16>) -> tensor<2x5x7x72xbf16>
  return %y : tensor<2x5x7x72xbf16>
}

func.func @strided_reference(%x: memref<2x12x16x64xbf16>, %w: memref<2x2x64x72xbf16>, %y: memref<2x5x7x72xbf16>) {
  %zero = arith.constant 0.0 : f32
  %s = memref.alloc() : memref<2x5x7x72xf32>
  linalg.fill ins(%zero : f32) outs(%s : memref<2x5x7x72xf32>)
  linalg.conv_2d_nhwc_hwcf {dilations = dense<3> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
      ins(%x, %w : memref<2x12x16x64xbf16>, memref<2x2x64x72xbf16>) outs(%s : memref<2x5x7x72xf32>)
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s : memref<2x5x7x72xf32>) outs(%y : memref<2x5x7x72xbf16>) {
  ^bb0(%v: f32, %old: bf16):
    %t = arith.truncf %v : f32 to bf16
    linalg.yield %t : bf16
  }
  memref.dealloc %s : memref<2x5x7x72xf32>
  return
}

// Windows of one pixel: with a stride, and without, where pixels are rows of a matrix.
// IR-LABEL: func.func @points(
// IR: tile.gemm
// IR: memref.collapse_shape
// IR: tile.kernel (%{{.*}}, %{{.*}}) in
// IR: tile.gemm
func.func @points(%x: tensor<2x12x16x32xbf16>, %w: tensor<1x1x32x48xbf16>) -> (tensor<2x6x8x48xbf16>, tensor<2x12x16x48xbf16>)
    attributes {tile.reference = @points_reference, tile.atol = 1.0e-4, tile.rtol = 3.90625e-3} {
  %zero = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<2x6x8x48xbf16>
  %z = linalg.fill ins(%zero : bf16) outs(%e : tensor<2x6x8x48xbf16>) -> tensor<2x6x8x48xbf16>
  %y = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
      ins(%x, %w : tensor<2x12x16x32xbf16>, tensor<1x1x32x48xbf16>) outs(%z : tensor<2x6x8x48xbf16>) -> tensor<2x6x8x48xbf16>
  %e1 = tensor.empty() : tensor<2x12x16x48xbf16>
  %z1 = linalg.fill ins(%zero : bf16) outs(%e1 : tensor<2x12x16x48xbf16>) -> tensor<2x12x16x48xbf16>
  %y1 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<2x12x16x32xbf16>, tensor<1x1x32x48xbf16>) outs(%z1 : tensor<2x12x16x48xbf16>) -> tensor<2x12x16x48xbf16>
  return %y, %y1 : tensor<2x6x8x48xbf16>, tensor<2x12x16x48xbf16>
}

func.func @points_reference(%x: memref<2x12x16x32xbf16>, %w: memref<1x1x32x48xbf16>, %y: memref<2x6x8x48xbf16>,
                            %y1: memref<2x12x16x48xbf16>) {
  %zero = arith.constant 0.0 : f32
  affine.for %n = 0 to 2 {
    affine.for %h = 0 to 12 {
      affine.for %v = 0 to 16 {
        affine.for %f = 0 to 48 {
          %s = affine.for %c = 0 to 32 iter_args(%acc = %zero) -> f32 {
            %p = affine.load %x[%n, %h, %v, %c] : memref<2x12x16x32xbf16>
            %q = affine.load %w[0, 0, %c, %f] : memref<1x1x32x48xbf16>
            %pf = arith.extf %p : bf16 to f32
            %qf = arith.extf %q : bf16 to f32
            %t = arith.mulf %pf, %qf : f32
            %u = arith.addf %acc, %t : f32
            affine.yield %u : f32
          }
          %o = arith.truncf %s : f32 to bf16
          affine.store %o, %y1[%n, %h, %v, %f] : memref<2x12x16x48xbf16>
          affine.if affine_set<(h, v) : (h mod 2 == 0, v mod 2 == 0)>(%h, %v) {
            affine.store %o, %y[%n, %h floordiv 2, %v floordiv 2, %f] : memref<2x6x8x48xbf16>
          }
        }
      }
    }
  }
  return
}

// One dimension, a filter with features first, and any number of images.
// IR-LABEL: func.func @row(
// IR: tile.gemm {{.*}} {transpose_b}
#x1 = affine_map<(n, w, f, k, c) -> (n, w + k, c)>
#w1 = affine_map<(n, w, f, k, c) -> (f, k, c)>
#y1 = affine_map<(n, w, f, k, c) -> (n, w, f)>
func.func @row(%x: tensor<?x40x16xf16> {tile.shape = "Nx40x16"}, %w: tensor<24x5x16xf16>) -> (tensor<?x36x24xf16> {tile.shape = "Nx36x24"})
    attributes {tile.reference = @row_reference, tile.cases = ["N=3"], tile.atol = 1.0e-4, tile.rtol = 9.765625e-4} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f16
  %n = tensor.dim %x, %c0 : tensor<?x40x16xf16>
  %e = tensor.empty(%n) : tensor<?x36x24xf16>
  %z = linalg.fill ins(%zero : f16) outs(%e : tensor<?x36x24xf16>) -> tensor<?x36x24xf16>
  %y = linalg.generic {indexing_maps = [#x1, #w1, #y1], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<?x40x16xf16>, tensor<24x5x16xf16>) outs(%z : tensor<?x36x24xf16>) {
  ^bb0(%p: f16, %q: f16, %acc: f16):
    %t = arith.mulf %p, %q : f16
    %u = arith.addf %acc, %t : f16
    linalg.yield %u : f16
  } -> tensor<?x36x24xf16>
  return %y : tensor<?x36x24xf16>
}

func.func @row_reference(%x: memref<?x40x16xf16>, %w: memref<24x5x16xf16>, %y: memref<?x36x24xf16>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : memref<?x40x16xf16>
  affine.for %i = 0 to %n {
    affine.for %v = 0 to 36 {
      affine.for %f = 0 to 24 {
        %s = affine.for %k = 0 to 5 iter_args(%a = %zero) -> f32 {
          %r = affine.for %c = 0 to 16 iter_args(%acc = %a) -> f32 {
            %p = affine.load %x[%i, %v + %k, %c] : memref<?x40x16xf16>
            %q = affine.load %w[%f, %k, %c] : memref<24x5x16xf16>
            %pf = arith.extf %p : f16 to f32
            %qf = arith.extf %q : f16 to f32
            %t = arith.mulf %pf, %qf : f32
            %u = arith.addf %acc, %t : f32
            affine.yield %u : f32
          }
          affine.yield %r : f32
        }
        %o = arith.truncf %s : f32 to f16
        affine.store %o, %y[%i, %v, %f] : memref<?x36x24xf16>
      }
    }
  }
  return
}
