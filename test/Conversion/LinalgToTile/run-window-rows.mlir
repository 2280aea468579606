// RUN: tile-run %s | FileCheck %s
// RUN: tile-opt --tile-from-linalg %s | FileCheck %s --check-prefix=IR
// RUN: tile-opt --tile-from-linalg %s --remark-policy=all --remarks-filter=convert-linalg-to-tile -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx942 --device=model | FileCheck %s
// CHECK: 5 passed, 0 failed
// REMARK-COUNT-3: [Passed] GatheredRows | Category:convert-linalg-to-tile
// REMARK-NOT: GatheredRows

// Convolutions of images of few channels: a kernel writes the rows of the windows, which the product copies. Sums are in f32 and
// rounded once: 2^-8, or 2^-11 of f16.

#id = affine_map<(n, h, w, f) -> (n, h, w, f)>

// The first layer of a network: three channels, a stride of 2, odd extents.
// IR-LABEL: func.func @three(
// IR: tile.kernel
// IR: tile.kernel
// IR: tile.reshape
// IR: tile.kernel
// IR: tile.pipelined
// IR: tile.copy
// IR: tile.copy
// IR: tile.gemm
func.func @three(%x: tensor<2x15x17x3xbf16>, %w: tensor<7x7x3x16xbf16>) -> tensor<2x8x9x16xbf16>
    attributes {tile.reference = @three_reference, tile.atol = 1.0e-4, tile.rtol = 3.90625e-3} {
  %zero = arith.constant 0.0 : bf16
  %p = tensor.pad %x low[0, 3, 3, 0] high[0, 3, 3, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : bf16
  } : tensor<2x15x17x3xbf16> to tensor<2x21x23x3xbf16>
  %e = tensor.empty() : tensor<2x8x9x16xbf16>
  %z = linalg.fill ins(%zero : bf16) outs(%e : tensor<2x8x9x16xbf16>) -> tensor<2x8x9x16xbf16>
  %y = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
      ins(%p, %w : tensor<2x21x23x3xbf16>, tensor<7x7x3x16xbf16>) outs(%z : tensor<2x8x9x16xbf16>) -> tensor<2x8x9x16xbf16>
  return %y : tensor<2x8x9x16xbf16>
}

func.func @three_reference(%x: memref<2x15x17x3xbf16>, %w: memref<7x7x3x16xbf16>, %y: memref<2x8x9x16xbf16>) {
  %zero = arith.constant 0.0 : bf16
  %zero32 = arith.constant 0.0 : f32
  %p = memref.alloc() : memref<2x21x23x3xbf16>
  linalg.fill ins(%zero : bf16) outs(%p : memref<2x21x23x3xbf16>)
  affine.for %n = 0 to 2 {
    affine.for %h = 0 to 15 {
      affine.for %v = 0 to 17 {
        affine.for %c = 0 to 3 {
          %e = affine.load %x[%n, %h, %v, %c] : memref<2x15x17x3xbf16>
          affine.store %e, %p[%n, %h + 3, %v + 3, %c] : memref<2x21x23x3xbf16>
        }
      }
    }
  }
  %s = memref.alloc() : memref<2x8x9x16xf32>
  linalg.fill ins(%zero32 : f32) outs(%s : memref<2x8x9x16xf32>)
  linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
      ins(%p, %w : memref<2x21x23x3xbf16>, memref<7x7x3x16xbf16>) outs(%s : memref<2x8x9x16xf32>)
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s : memref<2x8x9x16xf32>) outs(%y : memref<2x8x9x16xbf16>) {
  ^bb0(%v: f32, %old: bf16):
    %t = arith.truncf %v : f32 to bf16
    linalg.yield %t : bf16
  }
  memref.dealloc %p : memref<2x21x23x3xbf16>
  memref.dealloc %s : memref<2x8x9x16xf32>
  return
}

// One channel, whose dimension is gone before: the product gathers elements. No padding, features that fill no tile.
func.func @one(%x: tensor<1x9x10x1xf16>, %w: tensor<3x3x1x24xf16>) -> tensor<1x7x8x24xf16>
    attributes {tile.reference = @one_reference, tile.atol = 1.0e-4, tile.rtol = 4.8828125e-4} {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<1x7x8x24xf16>
  %z = linalg.fill ins(%zero : f16) outs(%e : tensor<1x7x8x24xf16>) -> tensor<1x7x8x24xf16>
  %y = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<1x9x10x1xf16>, tensor<3x3x1x24xf16>) outs(%z : tensor<1x7x8x24xf16>) -> tensor<1x7x8x24xf16>
  return %y : tensor<1x7x8x24xf16>
}

func.func @one_reference(%x: memref<1x9x10x1xf16>, %w: memref<3x3x1x24xf16>, %y: memref<1x7x8x24xf16>) {
  %zero = arith.constant 0.0 : f16
  %zero32 = arith.constant 0.0 : f32
  %p = memref.alloc() : memref<1x9x10x1xf16>
  linalg.fill ins(%zero : f16) outs(%p : memref<1x9x10x1xf16>)
  affine.for %n = 0 to 1 {
    affine.for %h = 0 to 9 {
      affine.for %v = 0 to 10 {
        affine.for %c = 0 to 1 {
          %e = affine.load %x[%n, %h, %v, %c] : memref<1x9x10x1xf16>
          affine.store %e, %p[%n, %h + 0, %v + 0, %c] : memref<1x9x10x1xf16>
        }
      }
    }
  }
  %s = memref.alloc() : memref<1x7x8x24xf32>
  linalg.fill ins(%zero32 : f32) outs(%s : memref<1x7x8x24xf32>)
  linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%p, %w : memref<1x9x10x1xf16>, memref<3x3x1x24xf16>) outs(%s : memref<1x7x8x24xf32>)
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s : memref<1x7x8x24xf32>) outs(%y : memref<1x7x8x24xf16>) {
  ^bb0(%v: f32, %old: f16):
    %t = arith.truncf %v : f32 to f16
    linalg.yield %t : f16
  }
  memref.dealloc %p : memref<1x9x10x1xf16>
  memref.dealloc %s : memref<1x7x8x24xf32>
  return
}

// Four channels, a stride of 3 and a dilation of 2.
func.func @four(%x: tensor<1x23x26x4xbf16>, %w: tensor<3x5x4x16xbf16>) -> tensor<1x7x7x16xbf16>
    attributes {tile.reference = @four_reference, tile.atol = 1.0e-4, tile.rtol = 3.90625e-3} {
  %zero = arith.constant 0.0 : bf16
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : bf16
  } : tensor<1x23x26x4xbf16> to tensor<1x25x28x4xbf16>
  %e = tensor.empty() : tensor<1x7x7x16xbf16>
  %z = linalg.fill ins(%zero : bf16) outs(%e : tensor<1x7x7x16xbf16>) -> tensor<1x7x7x16xbf16>
  %y = linalg.conv_2d_nhwc_hwcf {dilations = dense<2> : tensor<2xi64>, strides = dense<3> : tensor<2xi64>}
      ins(%p, %w : tensor<1x25x28x4xbf16>, tensor<3x5x4x16xbf16>) outs(%z : tensor<1x7x7x16xbf16>) -> tensor<1x7x7x16xbf16>
  return %y : tensor<1x7x7x16xbf16>
}

func.func @four_reference(%x: memref<1x23x26x4xbf16>, %w: memref<3x5x4x16xbf16>, %y: memref<1x7x7x16xbf16>) {
  %zero = arith.constant 0.0 : bf16
  %zero32 = arith.constant 0.0 : f32
  %p = memref.alloc() : memref<1x25x28x4xbf16>
  linalg.fill ins(%zero : bf16) outs(%p : memref<1x25x28x4xbf16>)
  affine.for %n = 0 to 1 {
    affine.for %h = 0 to 23 {
      affine.for %v = 0 to 26 {
        affine.for %c = 0 to 4 {
          %e = affine.load %x[%n, %h, %v, %c] : memref<1x23x26x4xbf16>
          affine.store %e, %p[%n, %h + 1, %v + 1, %c] : memref<1x25x28x4xbf16>
        }
      }
    }
  }
  %s = memref.alloc() : memref<1x7x7x16xf32>
  linalg.fill ins(%zero32 : f32) outs(%s : memref<1x7x7x16xf32>)
  linalg.conv_2d_nhwc_hwcf {dilations = dense<2> : tensor<2xi64>, strides = dense<3> : tensor<2xi64>}
      ins(%p, %w : memref<1x25x28x4xbf16>, memref<3x5x4x16xbf16>) outs(%s : memref<1x7x7x16xf32>)
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s : memref<1x7x7x16xf32>) outs(%y : memref<1x7x7x16xbf16>) {
  ^bb0(%v: f32, %old: bf16):
    %t = arith.truncf %v : f32 to bf16
    linalg.yield %t : bf16
  }
  memref.dealloc %p : memref<1x25x28x4xbf16>
  memref.dealloc %s : memref<1x7x7x16xf32>
  return
}

// Windows of one pixel.
func.func @point(%x: tensor<2x11x12x3xbf16>, %w: tensor<1x1x3x16xbf16>) -> tensor<2x6x6x16xbf16>
    attributes {tile.reference = @point_reference, tile.atol = 1.0e-4, tile.rtol = 3.90625e-3} {
  %zero = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<2x6x6x16xbf16>
  %z = linalg.fill ins(%zero : bf16) outs(%e : tensor<2x6x6x16xbf16>) -> tensor<2x6x6x16xbf16>
  %y = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
      ins(%x, %w : tensor<2x11x12x3xbf16>, tensor<1x1x3x16xbf16>) outs(%z : tensor<2x6x6x16xbf16>) -> tensor<2x6x6x16xbf16>
  return %y : tensor<2x6x6x16xbf16>
}

func.func @point_reference(%x: memref<2x11x12x3xbf16>, %w: memref<1x1x3x16xbf16>, %y: memref<2x6x6x16xbf16>) {
  %zero = arith.constant 0.0 : bf16
  %zero32 = arith.constant 0.0 : f32
  %p = memref.alloc() : memref<2x11x12x3xbf16>
  linalg.fill ins(%zero : bf16) outs(%p : memref<2x11x12x3xbf16>)
  affine.for %n = 0 to 2 {
    affine.for %h = 0 to 11 {
      affine.for %v = 0 to 12 {
        affine.for %c = 0 to 3 {
          %e = affine.load %x[%n, %h, %v, %c] : memref<2x11x12x3xbf16>
          affine.store %e, %p[%n, %h + 0, %v + 0, %c] : memref<2x11x12x3xbf16>
        }
      }
    }
  }
  %s = memref.alloc() : memref<2x6x6x16xf32>
  linalg.fill ins(%zero32 : f32) outs(%s : memref<2x6x6x16xf32>)
  linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
      ins(%p, %w : memref<2x11x12x3xbf16>, memref<1x1x3x16xbf16>) outs(%s : memref<2x6x6x16xf32>)
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s : memref<2x6x6x16xf32>) outs(%y : memref<2x6x6x16xbf16>) {
  ^bb0(%v: f32, %old: bf16):
    %t = arith.truncf %v : f32 to bf16
    linalg.yield %t : bf16
  }
  memref.dealloc %p : memref<2x11x12x3xbf16>
  memref.dealloc %s : memref<2x6x6x16xf32>
  return
}


// What is computed between two convolutions of one pixel stays behind the first: both read matrices.
// IR-LABEL: func.func @between(
// IR: tile.kernel
// IR: tile.gemm
// IR: arith.maximumf
// IR: tile.copy
// IR: tile.kernel
// IR-NOT: tile.parallel
// IR: tile.gemm
// IR-NOT: tile.kernel
// IR: return
#feature = affine_map<(n, h, w, f) -> (f)>
func.func @between(%x: tensor<2x8x9x32xbf16>, %w: tensor<1x1x32x64xbf16>, %b: tensor<64xbf16>, %v: tensor<1x1x64x32xbf16>) -> tensor<2x8x9x32xbf16>
    attributes {tile.reference = @between_reference, tile.atol = 1.0e-4, tile.rtol = 3.90625e-3} {
  %zero = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<2x8x9x64xbf16>
  %z = linalg.fill ins(%zero : bf16) outs(%e : tensor<2x8x9x64xbf16>) -> tensor<2x8x9x64xbf16>
  %y = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<2x8x9x32xbf16>, tensor<1x1x32x64xbf16>) outs(%z : tensor<2x8x9x64xbf16>) -> tensor<2x8x9x64xbf16>
  %r = linalg.generic {indexing_maps = [#id, #feature, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%y, %b : tensor<2x8x9x64xbf16>, tensor<64xbf16>) outs(%e : tensor<2x8x9x64xbf16>) {
  ^bb0(%p: bf16, %c: bf16, %old: bf16):
    %s = arith.addf %p, %c : bf16
    %m = arith.maximumf %s, %zero : bf16
    linalg.yield %m : bf16
  } -> tensor<2x8x9x64xbf16>
  %e2 = tensor.empty() : tensor<2x8x9x32xbf16>
  %z2 = linalg.fill ins(%zero : bf16) outs(%e2 : tensor<2x8x9x32xbf16>) -> tensor<2x8x9x32xbf16>
  %o = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%r, %v : tensor<2x8x9x64xbf16>, tensor<1x1x64x32xbf16>) outs(%z2 : tensor<2x8x9x32xbf16>) -> tensor<2x8x9x32xbf16>
  return %o : tensor<2x8x9x32xbf16>
}

func.func @between_reference(%x: memref<2x8x9x32xbf16>, %w: memref<1x1x32x64xbf16>, %b: memref<64xbf16>, %v: memref<1x1x64x32xbf16>,
                             %o: memref<2x8x9x32xbf16>) {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0.0 : bf16
  %s = memref.alloc() : memref<2x8x9x64xf32>
  %r = memref.alloc() : memref<2x8x9x64xbf16>
  %t = memref.alloc() : memref<2x8x9x32xf32>
  linalg.fill ins(%zero : f32) outs(%s : memref<2x8x9x64xf32>)
  linalg.fill ins(%zero : f32) outs(%t : memref<2x8x9x32xf32>)
  linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%x, %w : memref<2x8x9x32xbf16>, memref<1x1x32x64xbf16>) outs(%s : memref<2x8x9x64xf32>)
  linalg.generic {indexing_maps = [#id, #feature, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s, %b : memref<2x8x9x64xf32>, memref<64xbf16>) outs(%r : memref<2x8x9x64xbf16>) {
  ^bb0(%p: f32, %c: bf16, %old: bf16):
    %h = arith.truncf %p : f32 to bf16
    %a = arith.addf %h, %c : bf16
    %m = arith.maximumf %a, %none : bf16
    linalg.yield %m : bf16
  }
  linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%r, %v : memref<2x8x9x64xbf16>, memref<1x1x64x32xbf16>) outs(%t : memref<2x8x9x32xf32>)
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%t : memref<2x8x9x32xf32>) outs(%o : memref<2x8x9x32xbf16>) {
  ^bb0(%p: f32, %old: bf16):
    %h = arith.truncf %p : f32 to bf16
    linalg.yield %h : bf16
  }
  memref.dealloc %s : memref<2x8x9x64xf32>
  memref.dealloc %r : memref<2x8x9x64xbf16>
  memref.dealloc %t : memref<2x8x9x32xf32>
  return
}
