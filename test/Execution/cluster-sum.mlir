// Blocks that share K add their parts up in clusters, by a rule from two kernels, and by hand: with tails, stored turned, of sizes that
// are known at the launch, in shares that differ. Elsewhere the second kernel adds them up.

// REQUIRES: tile-run, nvidia, amd
// RUN: tile-run %s --func=copied --func=turned --func=known | FileCheck %s
// RUN: tile-run %s --func=copied --func=turned --func=known --target=cuda --chip=sm_80 --device=model | FileCheck %s
// RUN: tile-run %s --func=copied --func=turned --func=known --target=hip --chip=gfx942 --device=model | FileCheck %s
// CHECK: {{^}}5 passed, 0 failed{{$}}
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s --check-prefix=CLUSTER
// RUN: env TILE_SIMT_SEED=3 tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s --check-prefix=CLUSTER
// CLUSTER: {{^}}7 passed, 0 failed{{$}}
// RUN: tile-opt %s --tile-to-gpu-pipeline=chip=sm_90a | FileCheck %s --check-prefix=IR

// One kernel each.
// IR-NOT: gpu.func @{{.*}}_1
// IR-LABEL: gpu.func @copied_0
// IR-SAME: cluster = [1, 1, 2]
// IR-NOT: gpu.func @{{.*}}_1

// 100 x 72 of tiles of 64 x 64: rows and columns end in a tile.
func.func @copied(%a: memref<100x512xf16>, %b: memref<72x512xf16>, %c: memref<100x72xf16> {tile.result})
    attributes {tile.reference = @product, tile.atol = 1.0e-2, tile.rtol = 1.0e-2} {
  %parts = tile.alloc : memref<2x100x72xf32>
  tile.kernel (%x, %y, %z) in (2, 2, 2) threads(128) {
    %as = tile.alloc : memref<64x64xf16, #tile.shared>
    %bs = tile.alloc : memref<64x64xf16, #tile.shared>
    %sum = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %sum, 0.0
    tile.pipelined %k = 0 to 4 stages(2) {
      tile.copy %a[%y * 64, %z * 256 + %k * 64], %as
      tile.copy %b[%x * 64, %z * 256 + %k * 64], %bs
      tile.gemm %as, %bs, %sum {transpose_b}
    }
    tile.copy %sum, %parts[%z, %y * 64, %x * 64]
  }
  tile.kernel (%x, %y) in (1, 25) threads(128) {
    %all = tile.alloc : memref<2x4x128xf32, #tile.fragment>
    %sum = tile.alloc : memref<4x128xf32, #tile.fragment>
    tile.copy %parts[0, %y * 4, %x * 128], %all
    tile.reduce sum %all, %sum dim(0)
    tile.copy %sum, %c[%y * 4, %x * 128]
  }
  return
}

func.func @product(%a: memref<100x512xf16>, %b: memref<72x512xf16>, %c: memref<100x72xf16>) {
  affine.for %i = 0 to 100 {
    affine.for %j = 0 to 72 {
      %zero = arith.constant 0.0 : f32
      %s = affine.for %l = 0 to 512 iter_args(%acc = %zero) -> f32 {
        %x = affine.load %a[%i, %l] : memref<100x512xf16>
        %y = affine.load %b[%j, %l] : memref<72x512xf16>
        %xf = arith.extf %x : f16 to f32
        %yf = arith.extf %y : f16 to f32
        %p = arith.mulf %xf, %yf : f32
        %next = arith.addf %acc, %p : f32
        affine.yield %next : f32
      }
      %r = arith.truncf %s : f32 to f16
      affine.store %r, %c[%i, %j] : memref<100x72xf16>
    }
  }
  return
}

// The rows of the product are the columns of the result, of which there are 5 of 8.
func.func @turned(%a: memref<5x256xf16>, %w: memref<128x256xf16>, %c: memref<5x128xf32> {tile.result})
    attributes {tile.reference = @narrow, tile.atol = 1.0e-2, tile.rtol = 1.0e-2} {
  %parts = tile.alloc : memref<2x5x128xf32>
  tile.kernel (%x, %z) in (2, 2) threads(128) {
    %as = tile.alloc : memref<8x64xf16, #tile.shared>
    %ws = tile.alloc : memref<64x64xf16, #tile.shared>
    %sum = tile.alloc : memref<64x8xf32, #tile.fragment>
    tile.fill %sum, 0.0
    tile.pipelined %k = 0 to 2 stages(2) {
      tile.copy %a[0, %z * 128 + %k * 64], %as
      tile.copy %w[%x * 64, %z * 128 + %k * 64], %ws
      tile.gemm %ws, %as, %sum {transpose_b}
    }
    tile.parallel (%i, %j) in (64, 8) do {
      if %j < 5 { %parts[%z, %j, %x * 64 + %i] = %sum[%i, %j] }
    }
  }
  tile.kernel (%x, %y) in (2, 5) threads(64) {
    %all = tile.alloc : memref<2x1x64xf32, #tile.fragment>
    %sum = tile.alloc : memref<1x64xf32, #tile.fragment>
    tile.copy %parts[0, %y, %x * 64], %all
    tile.reduce sum %all, %sum dim(0)
    tile.copy %sum, %c[%y, %x * 64]
  }
  return
}

func.func @narrow(%a: memref<5x256xf16>, %w: memref<128x256xf16>, %c: memref<5x128xf32>) {
  affine.for %i = 0 to 5 {
    affine.for %j = 0 to 128 {
      %zero = arith.constant 0.0 : f32
      %s = affine.for %l = 0 to 256 iter_args(%acc = %zero) -> f32 {
        %x = affine.load %a[%i, %l] : memref<5x256xf16>
        %y = affine.load %w[%j, %l] : memref<128x256xf16>
        %xf = arith.extf %x : f16 to f32
        %yf = arith.extf %y : f16 to f32
        %p = arith.mulf %xf, %yf : f32
        %next = arith.addf %acc, %p : f32
        affine.yield %next : f32
      }
      affine.store %s, %c[%i, %j] : memref<5x128xf32>
    }
  }
  return
}

// The sums of two matrices, of any size.
!matrix = memref<?x?xf32>
func.func @known(%a: memref<2x?x?xf32> {tile.shape = "2xMxN"}, %c: !matrix {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @sums, tile.cases = ["M=40 N=72", "M=7 N=3", "M=64 N=64"], tile.atol = 1.0e-5, tile.rtol = 1.0e-5} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %c, %c0 : !matrix
  %n = memref.dim %c, %c1 : !matrix
  %parts = tile.alloc (%m, %n) : memref<2x?x?xf32>
  tile.kernel (%z, %x, %y) in (2, ceildiv(dim(%c, 1), 32), ceildiv(dim(%c, 0), 32)) threads(128) {
    %sum = tile.alloc : memref<32x32xf32, #tile.fragment>
    tile.copy %a[%z, %y * 32, %x * 32] [1, 32, 32], %sum
    tile.copy %sum, %parts[%z, %y * 32, %x * 32] [1, 32, 32]
  }
  tile.kernel (%x, %y) in (ceildiv(dim(%c, 1), 64), dim(%c, 0)) threads(64) {
    %all = tile.alloc : memref<2x1x64xf32, #tile.fragment>
    %sum = tile.alloc : memref<1x64xf32, #tile.fragment>
    tile.copy %parts[0, %y, %x * 64], %all
    tile.reduce sum %all, %sum dim(0)
    tile.copy %sum, %c[%y, %x * 64]
  }
  return
}

func.func @sums(%a: memref<2x?x?xf32>, %c: !matrix) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %c, %c0 : !matrix
  %n = memref.dim %c, %c1 : !matrix
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %zero = arith.constant 0.0 : f32
      %s = affine.for %l = 0 to 2 iter_args(%acc = %zero) -> f32 {
        %x = affine.load %a[%l, %i, %j] : memref<2x?x?xf32>
        %next = arith.addf %acc, %x : f32
        affine.yield %next : f32
      }
      affine.store %s, %c[%i, %j] : !matrix
    }
  }
  return
}

// By hand, three blocks share 32 registers.
func.func @uneven(%a: memref<3x64x64xf32>, %c: memref<64x64xbf16> {tile.result})
    attributes {tile.reference = @three, tile.rtol = 1.0e-2} {
  tile.kernel (%z) in (3) threads(128) cluster(3) {
    %sum = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.copy %a[%z, 0, 0] [1, 64, 64], %sum
    tile.copy %sum, %c {tile.cluster_sum = 3}
  }
  return
}

func.func @three(%a: memref<3x64x64xf32>, %c: memref<64x64xbf16>) {
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 64 {
      %zero = arith.constant 0.0 : f32
      %s = affine.for %l = 0 to 3 iter_args(%acc = %zero) -> f32 {
        %x = affine.load %a[%l, %i, %j] : memref<3x64x64xf32>
        %next = arith.addf %acc, %x : f32
        affine.yield %next : f32
      }
      %r = arith.truncf %s : f32 to bf16
      affine.store %r, %c[%i, %j] : memref<64x64xbf16>
    }
  }
  return
}

// By hand, with what follows the sum in the same loop.
func.func @by_hand(%a: memref<2x64x64xf32>, %c: memref<64x64xf32> {tile.result})
    attributes {tile.reference = @positive, tile.rtol = 1.0e-5} {
  tile.kernel (%z) in (2) threads(128) cluster(2) {
    %sum = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.copy %a[%z, 0, 0] [1, 64, 64], %sum
    tile.parallel (%i, %j) in (64, 64) attributes {tile.cluster_sum = 2} do %c[%i, %j] = max(%sum[%i, %j], 0.0)
  }
  return
}

func.func @positive(%a: memref<2x64x64xf32>, %c: memref<64x64xf32>) {
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 64 {
      %zero = arith.constant 0.0 : f32
      %x = affine.load %a[0, %i, %j] : memref<2x64x64xf32>
      %y = affine.load %a[1, %i, %j] : memref<2x64x64xf32>
      %s = arith.addf %x, %y : f32
      %r = arith.maximumf %s, %zero : f32
      affine.store %r, %c[%i, %j] : memref<64x64xf32>
    }
  }
  return
}
