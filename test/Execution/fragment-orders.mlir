// Both operands of a product in registers: the instructions share out K among the threads in one order for both. It is that of
// layouts by hand, or one in which a read brings neighbours of weights of 4 bits, which rows of activations that are repeated follow.

// REQUIRES: tile-run, nvidia
// UNSUPPORTED: sanitizer
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_80 --device=model | FileCheck %s
// RUN: tile-opt %s --tile-to-gpu-pipeline=chip=sm_90a --remarks-filter=tile-infer-layout -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LAYOUT
// CHECK: {{^}}6 passed, 0 failed{{$}}

!a = memref<16x128xbf16>
!b = memref<8x128xbf16>
!c = memref<16x8xf32>
!wide = memref<16x128xbf16, #tile.fragment>
!narrow = memref<8x128xbf16, #tile.fragment>
!acc = memref<16x8xf32, #tile.fragment>
// LAYOUT: shuffle inside the warp
func.func @order_of_a(%a: !a, %b: !b, %c: !c {tile.result})
    attributes {tile.reference = @product, tile.atol = 1.0e-3, tile.rtol = 1.0e-5} {
  tile.kernel (%g) in (1) threads(32) {
    %x = tile.alloc {layout = #tile.layout<[16: 2 reg*16, 8 lane*4][128: 2 reg*32, 4 lane, 16 reg]>} : !wide
    %y = tile.alloc {layout = #tile.layout<[8: 8 lane*4][128: 16 reg*2, 4 lane, 2 reg]>} : !narrow
    %sum = tile.alloc : !acc
    tile.fill %sum, 0.0
    tile.copy %a, %x
    tile.copy %b, %y
    tile.gemm %x, %y, %sum prefer(mma) {transpose_b}
    tile.copy %sum, %c
  }
  return
}
// LAYOUT: shuffle inside the warp
func.func @order_of_both(%a: !a, %b: !b, %c: !c {tile.result})
    attributes {tile.reference = @product, tile.atol = 1.0e-3, tile.rtol = 1.0e-5} {
  tile.kernel (%g) in (1) threads(32) {
    %x = tile.alloc {layout = #tile.layout<[16: 2 reg*2, 8 lane*4][128: 16 reg*4, 4 lane, 2 reg]>} : !wide
    %y = tile.alloc {layout = #tile.layout<[8: 8 lane*4][128: 2 reg*16, 4 lane, 16 reg]>} : !narrow
    %sum = tile.alloc : !acc
    tile.fill %sum, 0.0
    tile.copy %a, %x
    tile.copy %b, %y
    tile.gemm %x, %y, %sum prefer(mma) {transpose_b}
    tile.copy %sum, %c
  }
  return
}
// LAYOUT-NOT: shuffle inside the warp
func.func @order_of_b(%a: !a, %b: !b, %c: !c {tile.result})
    attributes {tile.reference = @product, tile.atol = 1.0e-3, tile.rtol = 1.0e-5} {
  tile.kernel (%g) in (1) threads(32) {
    %x = tile.alloc : !wide
    %y = tile.alloc {layout = #tile.layout<[8: 8 lane*4][128: 2 reg*16, 4 lane, 16 reg]>} : !narrow
    %sum = tile.alloc : !acc
    tile.fill %sum, 0.0
    tile.copy %a, %x
    tile.copy %b, %y
    tile.gemm %x, %y, %sum prefer(mma) {transpose_b}
    tile.copy %sum, %c
  }
  return
}
func.func private @product(%a: !a, %b: !b, %c: !c) {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 8 {
      %sum = affine.for %l = 0 to 128 iter_args(%acc = %zero) -> f64 {
        %x = affine.load %a[%i, %l] : !a
        %y = affine.load %b[%j, %l] : !b
        %xd = arith.extf %x : bf16 to f64
        %yd = arith.extf %y : bf16 to f64
        %p = arith.mulf %xd, %yd : f64
        %next = arith.addf %acc, %p : f64
        affine.yield %next : f64
      }
      %r = arith.truncf %sum : f64 to f32
      affine.store %r, %c[%i, %j] : !c
    }
  }
  return
}

// Two warps; one and three rows of activations for the eight columns of the instruction.
!q = memref<64x192xi8>
!codes = memref<32x128xi4, #tile.shared>
!w = memref<32x128xbf16, #tile.fragment>
!sums = memref<32x8xf32, #tile.fragment>
// LAYOUT: [32: 2 warp, 2 reg*16, 8 lane*4][128: 2 reg*32, 4 lane, 16 reg]
// LAYOUT: [8: 8 lane*4][128: 2 reg*16, 4 lane, 16 reg] rep(2 warp)
func.func @repeated_rows(%a: memref<?x384xbf16> {tile.shape = "Mx384"}, %q: !q {tile.init = "integers(-128,127)"},
    %c: memref<?x64xf32> {tile.shape = "Mx64", tile.result})
    attributes {tile.reference = @weights, tile.atol = 1.0e-3, tile.rtol = 1.0e-5, tile.cases = ["M=1", "M=3", "M=4"]} {
  tile.kernel (%x) in (2) threads(64) {
    %as = tile.alloc : memref<4x128xbf16, #tile.shared>
    %qs = tile.alloc : memref<32x64xi8, #tile.shared>
    %w = tile.alloc : !w
    %part = tile.alloc : !narrow
    %sum = tile.alloc : !sums
    tile.fill %sum, 0.0
    tile.pipelined %t = 0 to 3 stages(3) {
      tile.copy %a[0, %t * 128], %as prefer(cp_async)
      tile.copy %q[%x * 32, %t * 64], %qs prefer(cp_async)
      %codes = tile.view %qs : memref<32x64xi8, #tile.shared> to !codes
      tile.copy %codes, %w
      tile.parallel (%i, %j) in (8, 128) do %part[%i, %j] = %as[%i mod 4, %j]
      tile.gemm %w, %part, %sum prefer(mma) {transpose_b}
    }
    tile.parallel (%i, %j) in (32, 8) {
      %c0 = arith.constant 0 : index
      %m = memref.dim %c, %c0 : memref<?x64xf32>
      %column = affine.apply affine_map<(i)[x] -> (x * 32 + i)>(%i)[%x]
      %v = memref.load %sum[%i, %j] : !sums
      %inside = arith.cmpi slt, %j, %m : index
      scf.if %inside {
        memref.store %v, %c[%j, %column] : memref<?x64xf32>
      }
    }
  }
  return
}
func.func private @weights(%a: memref<?x384xbf16>, %q: !q, %c: memref<?x64xf32>) {
  %zero = arith.constant 0.0 : f64
  %c0 = arith.constant 0 : index
  %two = arith.constant 2 : index
  %four = arith.constant 4 : i8
  %m = memref.dim %a, %c0 : memref<?x384xbf16>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to 64 {
      %sum = affine.for %l = 0 to 384 iter_args(%acc = %zero) -> f64 {
        %byte = affine.load %q[%j, %l floordiv 2] : !q
        %odd = arith.remui %l, %two : index
        %odd8 = arith.index_cast %odd : index to i8
        %shift = arith.muli %odd8, %four : i8
        %shifted = arith.shrui %byte, %shift : i8
        %half = arith.trunci %shifted : i8 to i4
        %code = arith.sitofp %half : i4 to f64
        %y = affine.load %a[%i, %l] : memref<?x384xbf16>
        %yd = arith.extf %y : bf16 to f64
        %p = arith.mulf %code, %yd : f64
        %next = arith.addf %acc, %p : f64
        affine.yield %next : f64
      }
      %r = arith.truncf %sum : f64 to f32
      affine.store %r, %c[%i, %j] : memref<?x64xf32>
    }
  }
  return
}
