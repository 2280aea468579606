// Stream-K: blocks share the steps of all tiles evenly. A block of two steps ends one tile and begins the next, so that the
// pipelined loop stores and clears its accumulator behind a condition that the consumer warps alone evaluate.

// REQUIRES: tile-run, nvidia
// UNSUPPORTED: sanitizer
// RUN: tile-run %s | FileCheck %s --check-prefix=RESULT
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s --check-prefix=RESULT
// RUN: tile-opt %s --tile-to-gpu-pipeline=chip=sm_90a | FileCheck %s
// RESULT: {{^}}1 passed, 0 failed{{$}}

// One more warp copies.
// CHECK-LABEL: gpu.func @weights_0
// CHECK-SAME: known_block_size = array<i32: 288, 1, 1>
// CHECK: wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16

!a_w = memref<11x320xbf16>
!q_w = memref<192x160xi8>
!s_w = memref<3x192xf32>
!c_w = memref<11x192xf32>
!parts = memref<2x11x192xf32>
!acc = memref<128x16xf32, #tile.fragment>
func.func @weights(%a: !a_w, %q: !q_w {tile.init = "integers(-128,127)"}, %s: !s_w,
                   %parts: !parts {tile.init = "poison"}, %c: !c_w {tile.result})
    attributes {tile.reference = @weights_reference, tile.atol = 1.0e-3, tile.rtol = 1.0e-5} {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%b) in (3) threads(256) {
    %as = tile.alloc : memref<16x128xbf16, #tile.shared>
    %qs = tile.alloc : memref<128x64xi8, #tile.shared>
    %ss = tile.alloc : memref<128xf32, #tile.shared>
    %w = tile.alloc : memref<128x128xbf16, #tile.fragment>
    %sum = tile.alloc : !acc
    tile.fill %sum, %zero : !acc
    tile.pipelined %t = 0 to 2 stages(2) {
      %x = affine.apply affine_map<(t)[b] -> ((b * 2 + t) floordiv 3)>(%t)[%b]
      %step = affine.apply affine_map<(t)[b] -> ((b * 2 + t) mod 3)>(%t)[%b]
      tile.copy %a[0, %step * 128], %as : !a_w, memref<16x128xbf16, #tile.shared>
      tile.copy %q[%x * 128, %step * 64], %qs : !q_w, memref<128x64xi8, #tile.shared>
      tile.copy %s[%step, %x * 128], %ss : !s_w, memref<128xf32, #tile.shared>
      %codes = tile.view %qs : memref<128x64xi8, #tile.shared> to memref<128x128xi4, #tile.shared>
      tile.copy %codes, %w : memref<128x128xi4, #tile.shared>, memref<128x128xbf16, #tile.fragment>
      tile.parallel (%i, %j) in (128, 128) {
        %v = memref.load %w[%i, %j] : memref<128x128xbf16, #tile.fragment>
        %scale = memref.load %ss[%i] : memref<128xf32, #tile.shared>
        %narrow = arith.truncf %scale : f32 to bf16
        %next = arith.mulf %v, %narrow : bf16
        memref.store %next, %w[%i, %j] : memref<128x128xbf16, #tile.fragment>
      }
      tile.gemm %w, %as, %sum prefer(wgmma) {transpose_b} : memref<128x128xbf16, #tile.fragment>, memref<16x128xbf16, #tile.shared>, memref<128x16xf32, #tile.fragment>
      %last_step = arith.constant 2 : index
      %last_turn = arith.constant 1 : index
      %ends_tile = arith.cmpi eq, %step, %last_step : index
      %ends_block = arith.cmpi eq, %t, %last_turn : index
      %ends = arith.ori %ends_tile, %ends_block : i1
      scf.if %ends {
        %part = affine.apply affine_map<(x)[b] -> (b - x * 3 floordiv 2)>(%x)[%b]
        tile.parallel (%i, %j) in (128, 16) {
          %m = arith.constant 11 : index
          %n = arith.constant 192 : index
          %column = affine.apply affine_map<(i)[x] -> (x * 128 + i)>(%i)[%x]
          %v = memref.load %sum[%i, %j] : !acc
          %in_m = arith.cmpi slt, %j, %m : index
          %in_n = arith.cmpi slt, %column, %n : index
          %inside = arith.andi %in_m, %in_n : i1
          scf.if %inside {
            memref.store %v, %parts[%part, %j, %column] : !parts
          }
        }
        tile.fill %sum, %zero : !acc
      }
    }
  }
  tile.kernel (%y) in (11) threads(64) {
    %all = tile.alloc : memref<2x1x192xf32, #tile.fragment>
    %row = tile.alloc : memref<1x192xf32, #tile.fragment>
    tile.copy %parts[0, %y, 0], %all : !parts, memref<2x1x192xf32, #tile.fragment>
    tile.reduce sum %all, %row dim(0) : memref<2x1x192xf32, #tile.fragment>, memref<1x192xf32, #tile.fragment>
    tile.copy %row, %c[%y, 0] : memref<1x192xf32, #tile.fragment>, !c_w
  }
  return
}
func.func @weights_reference(%a: !a_w, %q: !q_w, %s: !s_w, %parts: !parts, %c: !c_w) {
  %zero = arith.constant 0.0 : f64
  %two = arith.constant 2 : index
  %four = arith.constant 4 : i8
  affine.for %i = 0 to 11 {
    affine.for %j = 0 to 192 {
      %sum = affine.for %l = 0 to 320 iter_args(%acc = %zero) -> f64 {
        %byte = affine.load %q[%j, %l floordiv 2] : !q_w
        %odd = arith.remui %l, %two : index
        %odd8 = arith.index_cast %odd : index to i8
        %shift = arith.muli %odd8, %four : i8
        %shifted = arith.shrui %byte, %shift : i8
        %half = arith.trunci %shifted : i8 to i4
        %code = arith.sitofp %half : i4 to bf16
        %scale = affine.load %s[%l floordiv 128, %j] : !s_w
        %narrow = arith.truncf %scale : f32 to bf16
        %weight = arith.mulf %code, %narrow : bf16
        %x = arith.extf %weight : bf16 to f64
        %y = affine.load %a[%i, %l] : !a_w
        %yd = arith.extf %y : bf16 to f64
        %p = arith.mulf %x, %yd : f64
        %next = arith.addf %acc, %p : f64
        affine.yield %next : f64
      }
      %r = arith.truncf %sum : f64 to f32
      affine.store %r, %c[%i, %j] : !c_w
    }
  }
  return
}
