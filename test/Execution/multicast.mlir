// Blocks of a cluster share the tiles that all of them need: each brings a part of them to all, and none overwrites a stage before
// both have read it. One kernel's blocks stay, the other's are a cluster along x, by hand, in the order of a hint.

// REQUIRES: tile-run, nvidia
// UNSUPPORTED: sanitizer
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s --check-prefix=RESULT
// RUN: tile-opt %s --tile-to-gpu-pipeline=chip=sm_90a | FileCheck %s
// RESULT: {{^}}2 passed, 0 failed{{$}}

// CHECK-LABEL: gpu.func @stays
// CHECK-SAME: cluster = [2]
// CHECK: multicast_mask
// CHECK-LABEL: gpu.func @by_hand
// CHECK-SAME: cluster = [2, 1]
// CHECK: multicast_mask

!a = memref<128x192xf16>
!b = memref<4352x192xf16>
!c = memref<128x4352xf16>
func.func @stays(%a: !a, %b: !b, %c: !c {tile.result})
    attributes {tile.reference = @reference, tile.atol = 1.0e-2, tile.rtol = 1.0e-2} {
  tile.kernel (%x, %y) in (68, 2) cluster(1, 2) {
    %as = tile.alloc : memref<64x64xf16, #tile.shared>
    %bs = tile.alloc : memref<64x64xf16, #tile.shared>
    %sum = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %sum, 0.0
    tile.pipelined %k = 0 to 3 stages(8) {
      tile.copy %a[%y * 64, %k * 64], %as : !a, memref<64x64xf16, #tile.shared>
      tile.copy %b[%x * 64, %k * 64], %bs : !b, memref<64x64xf16, #tile.shared>
      tile.gemm %as, %bs, %sum {transpose_b}
    }
    tile.copy %sum, %c[%y * 64, %x * 64]
  }
  return
}

func.func @reference(%a: !a, %b: !b, %c: !c) {
  affine.for %i = 0 to 128 {
    affine.for %j = 0 to 4352 {
      %zero = arith.constant 0.0 : f32
      %s = affine.for %l = 0 to 192 iter_args(%acc = %zero) -> f32 {
        %x = affine.load %a[%i, %l] : !a
        %y = affine.load %b[%j, %l] : !b
        %xf = arith.extf %x : f16 to f32
        %yf = arith.extf %y : f16 to f32
        %p = arith.mulf %xf, %yf : f32
        %next = arith.addf %acc, %p : f32
        affine.yield %next : f32
      }
      %r = arith.truncf %s : f32 to f16
      affine.store %r, %c[%i, %j] : !c
    }
  }
  return
}

func.func @by_hand(%a: memref<128x160xf32>, %c: memref<128x128xf32> {tile.result})
    attributes {tile.reference = @sums, tile.atol = 1.0e-3, tile.rtol = 1.0e-5} {
  tile.kernel (%x, %y) in (4, 2) cluster(2, 1) {
    tile.rasterize group(2)
    %as = tile.alloc : memref<64x32xf32, #tile.shared>
    %sum = tile.alloc : memref<64xf32, #tile.fragment>
    tile.fill %sum, 0.0
    tile.pipelined %k = 0 to 5 stages(2) {
      tile.copy %a[%y * 64, %k * 32], %as : memref<128x160xf32>, memref<64x32xf32, #tile.shared>
      tile.reduce sum %as, %sum dim(1) {combine} : memref<64x32xf32, #tile.shared>, memref<64xf32, #tile.fragment>
    }
    tile.parallel (%i, %j) in (64, 32) do %c[%y * 64 + %i, %x * 32 + %j] = %sum[%i]
  }
  return
}

func.func @sums(%a: memref<128x160xf32>, %c: memref<128x128xf32>) {
  affine.for %i = 0 to 128 {
    %zero = arith.constant 0.0 : f32
    %s = affine.for %l = 0 to 160 iter_args(%acc = %zero) -> f32 {
      %x = affine.load %a[%i, %l] : memref<128x160xf32>
      %next = arith.addf %acc, %x : f32
      affine.yield %next : f32
    }
    affine.for %j = 0 to 128 {
      affine.store %s, %c[%i, %j] : memref<128x128xf32>
    }
  }
  return
}
