// Parts of a shared tile of 4-bit weights at constant places, one after the other the operand of a gemm: threads read them in the
// same vectors as a whole tile. Rows of the tile are longer than those of one product, so that a tensor copy reads more at once.

// REQUIRES: tile-run, nvidia
// UNSUPPORTED: sanitizer
// RUN: tile-run %s | FileCheck %s --check-prefix=RESULT
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s --check-prefix=RESULT
// RUN: tile-translate %s --tile-to-ptx --chip=sm_90a --gpu-function=warps --notes=false | FileCheck %s --check-prefix=PTX
// RESULT: {{^}}2 passed, 0 failed{{$}}

// PTX: .entry warps
// PTX-NOT: ld.shared.b8
// PTX: ld.shared.v4.b32
// PTX-NOT: ld.shared.b8
// PTX: ret;

!a_w = memref<11x512xbf16>
!q_w = memref<192x256xi8>
!s_w = memref<4x192xf32>
!c_w = memref<11x192xf32>
func.func @warps(%a: !a_w, %q: !q_w {tile.init = "integers(-128,127)"}, %s: !s_w, %c: !c_w {tile.result})
    attributes {tile.reference = @weights_reference, tile.atol = 1.0e-3, tile.rtol = 1.0e-5} {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%x) in (2) threads(256) {
    %qs = tile.alloc : memref<128x128xi8, #tile.shared>
    %sum = tile.alloc : memref<128x16xf32, #tile.fragment>
    %as0 = tile.alloc : memref<16x128xbf16, #tile.shared>
    %ss0 = tile.alloc : memref<128xf32, #tile.shared>
    %w0 = tile.alloc : memref<128x128xbf16, #tile.fragment>
    %as1 = tile.alloc : memref<16x128xbf16, #tile.shared>
    %ss1 = tile.alloc : memref<128xf32, #tile.shared>
    %w1 = tile.alloc : memref<128x128xbf16, #tile.fragment>
    tile.fill %sum, %zero : memref<128x16xf32, #tile.fragment>
    tile.pipelined %t = 0 to 2 stages(2) {
      tile.copy %q[%x * 128, %t * 128], %qs : !q_w, memref<128x128xi8, #tile.shared>
      %codes = tile.view %qs : memref<128x128xi8, #tile.shared> to memref<128x256xi4, #tile.shared>
      tile.copy %a[0, %t * 256 + 0], %as0 : !a_w, memref<16x128xbf16, #tile.shared>
      tile.copy %s[%t * 2 + 0, %x * 128], %ss0 : !s_w, memref<128xf32, #tile.shared>
      tile.copy %a[0, %t * 256 + 128], %as1 : !a_w, memref<16x128xbf16, #tile.shared>
      tile.copy %s[%t * 2 + 1, %x * 128], %ss1 : !s_w, memref<128xf32, #tile.shared>
      tile.copy %codes[0, 0], %w0 : memref<128x256xi4, #tile.shared>, memref<128x128xbf16, #tile.fragment>
      tile.parallel (%i, %j) in (128, 128) {
        %v = memref.load %w0[%i, %j] : memref<128x128xbf16, #tile.fragment>
        %scale = memref.load %ss0[%i] : memref<128xf32, #tile.shared>
        %narrow = arith.truncf %scale : f32 to bf16
        %next = arith.mulf %v, %narrow : bf16
        memref.store %next, %w0[%i, %j] : memref<128x128xbf16, #tile.fragment>
      }
      tile.gemm %w0, %as0, %sum prefer(mma) {transpose_b} : memref<128x128xbf16, #tile.fragment>, memref<16x128xbf16, #tile.shared>, memref<128x16xf32, #tile.fragment>
      tile.copy %codes[0, 128], %w1 : memref<128x256xi4, #tile.shared>, memref<128x128xbf16, #tile.fragment>
      tile.parallel (%i, %j) in (128, 128) {
        %v = memref.load %w1[%i, %j] : memref<128x128xbf16, #tile.fragment>
        %scale = memref.load %ss1[%i] : memref<128xf32, #tile.shared>
        %narrow = arith.truncf %scale : f32 to bf16
        %next = arith.mulf %v, %narrow : bf16
        memref.store %next, %w1[%i, %j] : memref<128x128xbf16, #tile.fragment>
      }
      tile.gemm %w1, %as1, %sum prefer(mma) {transpose_b} : memref<128x128xbf16, #tile.fragment>, memref<16x128xbf16, #tile.shared>, memref<128x16xf32, #tile.fragment>
    }
    tile.parallel (%i, %j) in (128, 16) {
      %m = arith.constant 11 : index
      %n = arith.constant 192 : index
      %column = affine.apply affine_map<(i)[x] -> (x * 128 + i)>(%i)[%x]
      %v = memref.load %sum[%i, %j] : memref<128x16xf32, #tile.fragment>
      %in_m = arith.cmpi slt, %j, %m : index
      %in_n = arith.cmpi slt, %column, %n : index
      %inside = arith.andi %in_m, %in_n : i1
      scf.if %inside {
        memref.store %v, %c[%j, %column] : !c_w
      }
    }
  }
  return
}
func.func @groups(%a: !a_w, %q: !q_w {tile.init = "integers(-128,127)"}, %s: !s_w, %c: !c_w {tile.result})
    attributes {tile.reference = @weights_reference, tile.atol = 1.0e-3, tile.rtol = 1.0e-5} {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%x) in (2) threads(256) {
    %qs = tile.alloc : memref<128x128xi8, #tile.shared>
    %sum = tile.alloc : memref<128x16xf32, #tile.fragment>
    %as0 = tile.alloc : memref<16x128xbf16, #tile.shared>
    %ss0 = tile.alloc : memref<128xf32, #tile.shared>
    %w0 = tile.alloc : memref<128x128xbf16, #tile.fragment>
    %as1 = tile.alloc : memref<16x128xbf16, #tile.shared>
    %ss1 = tile.alloc : memref<128xf32, #tile.shared>
    %w1 = tile.alloc : memref<128x128xbf16, #tile.fragment>
    tile.fill %sum, %zero : memref<128x16xf32, #tile.fragment>
    tile.pipelined %t = 0 to 2 stages(2) {
      tile.copy %q[%x * 128, %t * 128], %qs : !q_w, memref<128x128xi8, #tile.shared>
      %codes = tile.view %qs : memref<128x128xi8, #tile.shared> to memref<128x256xi4, #tile.shared>
      tile.copy %a[0, %t * 256 + 0], %as0 : !a_w, memref<16x128xbf16, #tile.shared>
      tile.copy %s[%t * 2 + 0, %x * 128], %ss0 : !s_w, memref<128xf32, #tile.shared>
      tile.copy %a[0, %t * 256 + 128], %as1 : !a_w, memref<16x128xbf16, #tile.shared>
      tile.copy %s[%t * 2 + 1, %x * 128], %ss1 : !s_w, memref<128xf32, #tile.shared>
      tile.copy %codes[0, 0], %w0 : memref<128x256xi4, #tile.shared>, memref<128x128xbf16, #tile.fragment>
      tile.parallel (%i, %j) in (128, 128) {
        %v = memref.load %w0[%i, %j] : memref<128x128xbf16, #tile.fragment>
        %scale = memref.load %ss0[%i] : memref<128xf32, #tile.shared>
        %narrow = arith.truncf %scale : f32 to bf16
        %next = arith.mulf %v, %narrow : bf16
        memref.store %next, %w0[%i, %j] : memref<128x128xbf16, #tile.fragment>
      }
      tile.gemm %w0, %as0, %sum prefer(wgmma) {transpose_b} : memref<128x128xbf16, #tile.fragment>, memref<16x128xbf16, #tile.shared>, memref<128x16xf32, #tile.fragment>
      tile.copy %codes[0, 128], %w1 : memref<128x256xi4, #tile.shared>, memref<128x128xbf16, #tile.fragment>
      tile.parallel (%i, %j) in (128, 128) {
        %v = memref.load %w1[%i, %j] : memref<128x128xbf16, #tile.fragment>
        %scale = memref.load %ss1[%i] : memref<128xf32, #tile.shared>
        %narrow = arith.truncf %scale : f32 to bf16
        %next = arith.mulf %v, %narrow : bf16
        memref.store %next, %w1[%i, %j] : memref<128x128xbf16, #tile.fragment>
      }
      tile.gemm %w1, %as1, %sum prefer(wgmma) {transpose_b} : memref<128x128xbf16, #tile.fragment>, memref<16x128xbf16, #tile.shared>, memref<128x16xf32, #tile.fragment>
    }
    tile.parallel (%i, %j) in (128, 16) {
      %m = arith.constant 11 : index
      %n = arith.constant 192 : index
      %column = affine.apply affine_map<(i)[x] -> (x * 128 + i)>(%i)[%x]
      %v = memref.load %sum[%i, %j] : memref<128x16xf32, #tile.fragment>
      %in_m = arith.cmpi slt, %j, %m : index
      %in_n = arith.cmpi slt, %column, %n : index
      %inside = arith.andi %in_m, %in_n : i1
      scf.if %inside {
        memref.store %v, %c[%j, %column] : !c_w
      }
    }
  }
  return
}
func.func @weights_reference(%a: !a_w, %q: !q_w, %s: !s_w, %c: !c_w) {
  %zero = arith.constant 0.0 : f64
  %two = arith.constant 2 : index
  %four = arith.constant 4 : i8
  affine.for %i = 0 to 11 {
    affine.for %j = 0 to 192 {
      %sum = affine.for %l = 0 to 512 iter_args(%acc = %zero) -> f64 {
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
