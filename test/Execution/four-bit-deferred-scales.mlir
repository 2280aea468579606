// Weights of 4 bits, scaled in bf16, whose scales leave a power of two to the sums (`fastmath<reassoc>`): three, two, one and
// no iterations, with tails of K and M.

// REQUIRES: tile-run, nvidia
// UNSUPPORTED: sanitizer
// RUN: tile-run %s | FileCheck %s --check-prefix=RESULT
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s --check-prefix=RESULT
// RUN: tile-run %s --target=cuda --chip=sm_80 --device=model | FileCheck %s --check-prefix=RESULT
// RUN: tile-translate %s --tile-to-ptx --chip=sm_90a --gpu-function=integers --notes=false | FileCheck %s --check-prefix=PTX
// RUN: sed -e 's/prefer(mma)/prefer(wgmma)/' -e 's/in (6) threads(32)/in (2) threads(128)/' -e 's/x \* 16/x * 64/' -e 's,<16x,<64x,g' -e 's/<16xf32/<64xf32/' -e 's/(16, /(64, /' %s > %t.mlir
// RUN: tile-run %t.mlir --target=cuda --chip=sm_90a --device=model | FileCheck %s --check-prefix=RESULT
// RUN: tile-translate %t.mlir --tile-to-ptx --chip=sm_90a --gpu-function=integers --notes=false | FileCheck %s --check-prefix=PTX
// RESULT: {{^}}10 passed, 0 failed{{$}}

// A pair of weights takes one multiply-add, and nothing else in floats.
// PTX-NOT: add.rn.bf16x2
// PTX: fma.rn.bf16x2
// PTX-NOT: add.rn.bf16x2
// PTX-NOT: {{mul\.rn\.bf16[[:space:]]}}
// PTX: mma

!a_integers = memref<?x?xbf16>
!q_integers = memref<96x?xi8>
!s_integers = memref<?x96xf32>
!c_integers = memref<?x96xf32>
func.func @integers(%a: !a_integers {tile.shape = "MxK"}, %q: !q_integers {tile.shape = "96xH", tile.init = "integers(-128,127)"},
    %s: !s_integers {tile.shape = "Gx96"}, %c: !c_integers {tile.shape = "Mx96", tile.result})
    attributes {tile.reference = @integers_reference, tile.atol = 1.0e-3, tile.rtol = 1.0e-5,
      tile.cases = ["M=5 K=384 H=192 G=3", "M=8 K=128 H=64 G=1", "M=1 K=200 H=100 G=2", "M=3 K=2 H=1 G=1", "M=2 K=0 H=0 G=0"]} {
  tile.kernel (%x) in (6) threads(32) {
    %as = tile.alloc : memref<8x128xbf16, #tile.shared>
    %qs = tile.alloc : memref<16x64xi8, #tile.shared>
    %ss = tile.alloc : memref<16xf32, #tile.shared>
    %w = tile.alloc : memref<16x128xbf16, #tile.fragment>
    %sum = tile.alloc : memref<16x8xf32, #tile.fragment>
    tile.fill %sum, 0.0
    tile.pipelined %t = 0 to ceildiv(dim(%a, 1), 128) stages(2) {
      tile.copy %a[0, %t * 128], %as
      tile.copy %q[%x * 16, %t * 64], %qs
      tile.copy %s[%t, %x * 16], %ss
      %codes = tile.view %qs : memref<16x64xi8, #tile.shared> to memref<16x128xi4, #tile.shared>
      tile.copy %codes, %w
      tile.parallel (%i, %j) in (16, 128) {
        %v = memref.load %w[%i, %j] : memref<16x128xbf16, #tile.fragment>
        %scale = memref.load %ss[%i] : memref<16xf32, #tile.shared>
        %narrow = arith.truncf %scale : f32 to bf16
        %next = arith.mulf %v, %narrow fastmath<reassoc> : bf16
        memref.store %next, %w[%i, %j] : memref<16x128xbf16, #tile.fragment>
      }
      tile.gemm %w, %as, %sum prefer(mma) {transpose_b}
    }
    tile.parallel (%i, %j) in (16, 8) {
      %c0 = arith.constant 0 : index
      %m = memref.dim %c, %c0 : !c_integers
      %n = arith.constant 96 : index
      %column = affine.apply affine_map<(i)[x] -> (x * 16 + i)>(%i)[%x]
      %v = memref.load %sum[%i, %j] : memref<16x8xf32, #tile.fragment>
      %in_m = arith.cmpi slt, %j, %m : index
      %in_n = arith.cmpi slt, %column, %n : index
      %inside = arith.andi %in_m, %in_n : i1
      scf.if %inside {
        memref.store %v, %c[%j, %column] : !c_integers
      }
    }
  }
  return
}
func.func @integers_reference(%a: !a_integers, %q: !q_integers, %s: !s_integers, %c: !c_integers) {
  %zero = arith.constant 0.0 : f64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2 : index
  %four = arith.constant 4 : i8
  %m = memref.dim %a, %c0 : !a_integers
  %k = memref.dim %a, %c1 : !a_integers
  affine.for %i = 0 to %m {
    affine.for %j = 0 to 96 {
      %sum = affine.for %l = 0 to %k iter_args(%acc = %zero) -> f64 {
        %byte = affine.load %q[%j, %l floordiv 2] : !q_integers
        %odd = arith.remui %l, %two : index
        %odd8 = arith.index_cast %odd : index to i8
        %shift = arith.muli %odd8, %four : i8
        %shifted = arith.shrui %byte, %shift : i8
        %half = arith.trunci %shifted : i8 to i4
        %code = arith.sitofp %half : i4 to bf16
        %scale = affine.load %s[%l floordiv 128, %j] : !s_integers
        %narrow = arith.truncf %scale : f32 to bf16
        %weight = arith.mulf %code, %narrow : bf16
        %x = arith.extf %weight : bf16 to f64
        %y = affine.load %a[%i, %l] : !a_integers
        %yd = arith.extf %y : bf16 to f64
        %p = arith.mulf %x, %yd : f64
        %next = arith.addf %acc, %p : f64
        affine.yield %next : f64
      }
      %r = arith.truncf %sum : f64 to f32
      affine.store %r, %c[%i, %j] : !c_integers
    }
  }
  return
}

!a_floats = memref<?x?xbf16>
!q_floats = memref<96x?xi8>
!s_floats = memref<?x96xf32>
!c_floats = memref<?x96xf32>
func.func @floats(%a: !a_floats {tile.shape = "MxK"}, %q: !q_floats {tile.shape = "96xH", tile.init = "integers(-128,127)"},
    %s: !s_floats {tile.shape = "Gx96"}, %c: !c_floats {tile.shape = "Mx96", tile.result})
    attributes {tile.reference = @floats_reference, tile.atol = 1.0e-3, tile.rtol = 1.0e-5,
      tile.cases = ["M=5 K=384 H=192 G=3", "M=8 K=128 H=64 G=1", "M=1 K=200 H=100 G=2", "M=3 K=2 H=1 G=1", "M=2 K=0 H=0 G=0"]} {
  tile.kernel (%x) in (6) threads(32) {
    %as = tile.alloc : memref<8x128xbf16, #tile.shared>
    %qs = tile.alloc : memref<16x64xi8, #tile.shared>
    %ss = tile.alloc : memref<16xf32, #tile.shared>
    %w = tile.alloc : memref<16x128xbf16, #tile.fragment>
    %sum = tile.alloc : memref<16x8xf32, #tile.fragment>
    tile.fill %sum, 0.0
    tile.pipelined %t = 0 to ceildiv(dim(%a, 1), 128) stages(2) {
      tile.copy %a[0, %t * 128], %as
      tile.copy %q[%x * 16, %t * 64], %qs
      tile.copy %s[%t, %x * 16], %ss
      %codes = tile.view %qs : memref<16x64xi8, #tile.shared> to memref<16x128xf4E2M1FN, #tile.shared>
      tile.copy %codes, %w
      tile.parallel (%i, %j) in (16, 128) {
        %v = memref.load %w[%i, %j] : memref<16x128xbf16, #tile.fragment>
        %scale = memref.load %ss[%i] : memref<16xf32, #tile.shared>
        %narrow = arith.truncf %scale : f32 to bf16
        %next = arith.mulf %v, %narrow fastmath<reassoc> : bf16
        memref.store %next, %w[%i, %j] : memref<16x128xbf16, #tile.fragment>
      }
      tile.gemm %w, %as, %sum prefer(mma) {transpose_b}
    }
    tile.parallel (%i, %j) in (16, 8) {
      %c0 = arith.constant 0 : index
      %m = memref.dim %c, %c0 : !c_floats
      %n = arith.constant 96 : index
      %column = affine.apply affine_map<(i)[x] -> (x * 16 + i)>(%i)[%x]
      %v = memref.load %sum[%i, %j] : memref<16x8xf32, #tile.fragment>
      %in_m = arith.cmpi slt, %j, %m : index
      %in_n = arith.cmpi slt, %column, %n : index
      %inside = arith.andi %in_m, %in_n : i1
      scf.if %inside {
        memref.store %v, %c[%j, %column] : !c_floats
      }
    }
  }
  return
}
func.func @floats_reference(%a: !a_floats, %q: !q_floats, %s: !s_floats, %c: !c_floats) {
  %zero = arith.constant 0.0 : f64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2 : index
  %four = arith.constant 4 : i8
  %m = memref.dim %a, %c0 : !a_floats
  %k = memref.dim %a, %c1 : !a_floats
  affine.for %i = 0 to %m {
    affine.for %j = 0 to 96 {
      %sum = affine.for %l = 0 to %k iter_args(%acc = %zero) -> f64 {
        %byte = affine.load %q[%j, %l floordiv 2] : !q_floats
        %odd = arith.remui %l, %two : index
        %odd8 = arith.index_cast %odd : index to i8
        %shift = arith.muli %odd8, %four : i8
        %shifted = arith.shrui %byte, %shift : i8
        %half = arith.trunci %shifted : i8 to i4
        %bits = arith.bitcast %half : i4 to f4E2M1FN
        %wide = arith.extf %bits : f4E2M1FN to f32
        %code = arith.truncf %wide : f32 to bf16
        %scale = affine.load %s[%l floordiv 128, %j] : !s_floats
        %narrow = arith.truncf %scale : f32 to bf16
        %weight = arith.mulf %code, %narrow : bf16
        %x = arith.extf %weight : bf16 to f64
        %y = affine.load %a[%i, %l] : !a_floats
        %yd = arith.extf %y : bf16 to f64
        %p = arith.mulf %x, %yd : f64
        %next = arith.addf %acc, %p : f64
        affine.yield %next : f64
      }
      %r = arith.truncf %sum : f64 to f32
      affine.store %r, %c[%i, %j] : !c_floats
    }
  }
  return
}
