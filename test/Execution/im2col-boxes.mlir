// Windows whose rows are a box of the image: part of a line, lines, whole images; with padding, dilation, a last block that leaves
// the images. The oracle is the CPU, which reads element by element.

// REQUIRES: tile-run, nvidia, amd
// RUN: tile-run %s --no-notes --func=part_of_line --target=cuda --chip=sm_90a --device=model | FileCheck %s --check-prefix=TWO
// RUN: tile-run %s --no-notes --func=part_of_line --target=cuda --chip=sm_80 --device=model | FileCheck %s --check-prefix=TWO
// RUN: tile-run %s --no-notes --func=lines --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-run %s --no-notes --func=lines --target=hip --chip=gfx942 --device=model | FileCheck %s
// RUN: tile-run %s --no-notes --func=dilated --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-run %s --no-notes --func=images --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-run %s --no-notes --func=images --target=cuda --chip=sm_80 --device=model | FileCheck %s
// RUN: tile-run %s --no-notes --func=fragment --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-translate %s --tile-to-ptx --chip=sm_90a --gpu-function=lines | FileCheck %s --check-prefix=PTX
// PTX: cp.async.bulk.tensor.4d
// CHECK: {{^}}1 passed, 0 failed{{$}}
// TWO: {{^}}2 passed, 0 failed{{$}}

// RUN: tile-opt %s --tile-expand-indexed=windows=true | FileCheck %s --check-prefix=COPIES
// COPIES-NOT: tile.parallel
// COPIES-COUNT-5: tile.copy %arg0[
// COPIES-NOT: tile.im2col

// 8 of the 16 pixels of a line: the box begins in its middle.
func.func @part_of_line(%x: memref<?x16x16x32xf16> {tile.shape = "Nx16x16x32"}, %w: memref<288x32xf16>, %y: memref<?x32xf32> {tile.shape = "Rx32", tile.result})
    attributes {tile.atol = 2.0e-3, tile.cases = ["N=1 R=256", "N=2 R=512"]} {
  %c0 = arith.constant 0 : index
  %rows = memref.dim %y, %c0 : memref<?x32xf32>
  %zero = arith.constant 0.0 : f32
  tile.kernel (%b) in (%rows ceildiv 8) threads(128) {
    %a = tile.alloc : memref<8x16xf16, #tile.shared>
    %bs = tile.alloc : memref<16x32xf16, #tile.shared>
    %acc = tile.alloc : memref<8x32xf32, #tile.fragment>
    tile.fill %acc, %zero : memref<8x32xf32, #tile.fragment>
    tile.pipelined %t = 0 to 18 stages(2) {
      tile.im2col %x[%b * 8, %t * 16], %a kernel(3, 3) pad(1)
      tile.copy %w[%t * 16, 0], %bs
      tile.gemm %a, %bs, %acc
    }
    tile.copy %acc, %y[%b * 8, 0]
  }
  return
}

// Four lines of 16 pixels.
func.func @lines(%x: memref<2x16x16x64xf16>, %w: memref<576x64xf16>, %y: memref<512x64xf32> {tile.result})
    attributes {tile.atol = 4.0e-3} {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%b) in (8) threads(128) {
    %a = tile.alloc : memref<64x64xf16, #tile.shared>
    %bs = tile.alloc : memref<64x64xf16, #tile.shared>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %acc, %zero : memref<64x64xf32, #tile.fragment>
    tile.pipelined %t = 0 to 9 stages(3) {
      tile.im2col %x[%b * 64, %t * 64], %a kernel(3, 3) pad(1)
      tile.copy %w[%t * 64, 0], %bs
      tile.gemm %a, %bs, %acc
    }
    tile.copy %acc, %y[%b * 64, 0]
  }
  return
}

// Windows of 2 x 3 elements that are two apart, an image that is not a square, two halves of the channels.
func.func @dilated(%x: memref<1x10x20x64xf16>, %w: memref<384x64xf16>, %y: memref<128x64xf32> {tile.result})
    attributes {tile.atol = 4.0e-3} {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%b) in (2) threads(128) {
    %a = tile.alloc : memref<64x32xf16, #tile.shared>
    %bs = tile.alloc : memref<32x64xf16, #tile.shared>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %acc, %zero : memref<64x64xf32, #tile.fragment>
    tile.pipelined %t = 0 to 12 stages(2) {
      tile.im2col %x[%b * 64, %t * 32], %a kernel(2, 3) dilation(2)
      tile.copy %w[%t * 32, 0], %bs
      tile.gemm %a, %bs, %acc
    }
    tile.copy %acc, %y[%b * 64, 0]
  }
  return
}

// Two images of 4 x 8 pixels; of the second block's, one is not there.
func.func @images(%x: memref<3x4x8x16xf16>, %y: memref<2x64x144xf16> {tile.result})
    attributes {tile.atol = 0.0, tile.rtol = 0.0} {
  tile.kernel (%b) in (2) threads(128) {
    %a = tile.alloc : memref<64x16xf16, #tile.shared>
    tile.pipelined %t = 0 to 9 stages(2) {
      tile.im2col %x[%b * 64, %t * 16], %a kernel(3, 3) pad(1)
      tile.copy %a, %y[%b, 0, %t * 16] [1, 64, 16]
    }
  }
  return
}

// A fragment: no reshape of it, one line.
func.func @fragment(%x: memref<2x8x64x8xf32>, %y: memref<1024x8xf32> {tile.result})
    attributes {tile.atol = 0.0, tile.rtol = 0.0} {
  tile.kernel (%b) in (16) threads(128) {
    %a = tile.alloc : memref<64x8xf32, #tile.fragment>
    tile.im2col %x[%b * 64, 32], %a kernel(3, 3) pad(1)
    tile.copy %a, %y[%b * 64, 0]
  }
  return
}
