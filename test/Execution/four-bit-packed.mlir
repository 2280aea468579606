// Weights of 4 bits whose columns lie in the order in which the lanes of a tensor instruction take them: of 128, 32 for each of
// four lanes, and of a word the pairs half a word apart. The index at which the loop reads says so, and all targets follow it;
// where the order is the lanes', they read whole vectors.

// REQUIRES: tile-run, nvidia, amd
// UNSUPPORTED: sanitizer
// RUN: tile-run %s | FileCheck %s --check-prefix=RESULT
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s --check-prefix=RESULT
// RUN: tile-opt %s --tile-to-gpu-pipeline=chip=sm_90a | FileCheck %s
// RUN: sed -e 's/prefer(mma)/prefer(wgmma)/' -e 's/in (6) threads(32)/in (2) threads(128)/' -e 's/x \* 16/x * 64/' -e 's,<16x,<64x,g' -e 's/<16xf32/<64xf32/' -e 's/(16, /(64, /' %s > %t.mlir
// RUN: tile-run %t.mlir --target=cuda --chip=sm_90a --device=model | FileCheck %s --check-prefix=RESULT
// RUN: tile-opt %t.mlir --tile-to-gpu-pipeline=chip=sm_90a | FileCheck %s
// RUN: tile-translate %t.mlir --tile-to-ptx --chip=sm_90a --gpu-function=integers --notes=false | FileCheck %s --check-prefix=PTX
// RUN: sed -E 's/(x|\b)bf16\b/\1f16/g' %s > %t.f16.mlir
// RUN: tile-run %t.f16.mlir --target=cuda --chip=sm_90a --device=model | FileCheck %s --check-prefix=RESULT
// RUN: sed -e 's/ fastmath<reassoc>//' %s > %t.strict.mlir
// RUN: tile-run %t.strict.mlir --target=cuda --chip=sm_80 --device=model | FileCheck %s --check-prefix=RESULT
// RUN: sed -e 's/ prefer(mma)//' -e 's/threads(32)/threads(64)/' %s > %t.any.mlir
// RUN: tile-run %t.any.mlir --target=hip --chip=gfx942 --device=model | FileCheck %s --check-prefix=RESULT
// RESULT: {{^}}20 passed, 0 failed{{$}}

// CHECK-LABEL: gpu.func @integers
// CHECK-NOT: !llvm.ptr<3> -> i8
// CHECK: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> i128
// CHECK: arith.sitofp {{.*}} : vector<2xi4>
// CHECK-NOT: !llvm.ptr<3> -> i8
// CHECK-LABEL: gpu.func @floats
// CHECK-NOT: !llvm.ptr<3> -> i8
// CHECK: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> i128
// CHECK: arith.extf {{.*}} : vector<2xf4E2M1FN>
// CHECK-NOT: !llvm.ptr<3> -> i8
// Words of another order, whose pairs are not half a word apart, are converted as they are.
// CHECK-LABEL: gpu.func @other
// CHECK-NOT: !llvm.ptr<3> -> i8
// CHECK: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> i128
// CHECK: arith.uitofp {{.*}} : vector<8xi4>
// CHECK-NOT: !llvm.ptr<3> -> i8
// Two elements of a pair are one code.
// CHECK-LABEL: gpu.func @twice
// CHECK-NOT: !llvm.ptr<3> -> i128
// CHECK: mma

// A word takes a shift, four operations of logic and four multiply-adds.
// PTX: ld.shared.v4.b32
// PTX-NOT: prmt.b32
// PTX: lop3.b32
// PTX: fma.rn.bf16x2
// PTX-NOT: prmt.b32
// PTX: wgmma

!a_integers = memref<?x?xbf16>
!q_integers = memref<96x?xi8>
!s_integers = memref<?x96xf32>
!c_integers = memref<?x96xf32>
func.func @integers(%a: !a_integers {tile.shape = "MxK"}, %q: !q_integers {tile.shape = "96xH", tile.init = "integers(-128,127)"},
    %s: !s_integers {tile.shape = "Gx96"}, %c: !c_integers {tile.shape = "Mx96", tile.result})
    attributes {tile.reference = @integers_reference, tile.atol = 1.0e-3, tile.rtol = 1.0e-5,
      tile.cases = ["M=5 K=384 H=192 G=3", "M=8 K=128 H=64 G=1", "M=1 K=200 H=128 G=2", "M=3 K=2 H=64 G=1", "M=2 K=0 H=0 G=0"]} {
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
      tile.parallel (%i, %j) in (16, 128) do fastmath<reassoc>
          %w[%i, %j] = bf16(%codes[%i, %j mod 8 floordiv 2 * 32 + %j floordiv 32 * 8 + %j mod 2 * 4 + %j mod 32 floordiv 8]) * bf16(%ss[%i])
      tile.gemm %w, %as, %sum prefer(mma) {transpose_b}
    }
    tile.parallel (%i, %j) in (16, 8) {
      %c0 = arith.constant 0 : index
      %m = memref.dim %c, %c0 : !c_integers
      %column = affine.apply affine_map<(i)[x] -> (x * 16 + i)>(%i)[%x]
      %v = memref.load %sum[%i, %j] : memref<16x8xf32, #tile.fragment>
      %n = arith.constant 96 : index
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
        %place = affine.apply affine_map<(l) -> (l floordiv 128 * 128 + l mod 8 floordiv 2 * 32 + l mod 128 floordiv 32 * 8 + l mod 2 * 4 + l mod 32 floordiv 8)>(%l)
        %byte_place = arith.divui %place, %two : index
        %byte = memref.load %q[%j, %byte_place] : !q_integers
        %odd = arith.remui %place, %two : index
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
      tile.cases = ["M=5 K=384 H=192 G=3", "M=8 K=128 H=64 G=1", "M=1 K=200 H=128 G=2", "M=3 K=2 H=64 G=1", "M=2 K=0 H=0 G=0"]} {
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
      tile.parallel (%i, %j) in (16, 128) do fastmath<reassoc>
          %w[%i, %j] = bf16(%codes[%i, %j mod 8 floordiv 2 * 32 + %j floordiv 32 * 8 + %j mod 2 * 4 + %j mod 32 floordiv 8]) * bf16(%ss[%i])
      tile.gemm %w, %as, %sum prefer(mma) {transpose_b}
    }
    tile.parallel (%i, %j) in (16, 8) {
      %c0 = arith.constant 0 : index
      %m = memref.dim %c, %c0 : !c_floats
      %column = affine.apply affine_map<(i)[x] -> (x * 16 + i)>(%i)[%x]
      %v = memref.load %sum[%i, %j] : memref<16x8xf32, #tile.fragment>
      %n = arith.constant 96 : index
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
        %place = affine.apply affine_map<(l) -> (l floordiv 128 * 128 + l mod 8 floordiv 2 * 32 + l mod 128 floordiv 32 * 8 + l mod 2 * 4 + l mod 32 floordiv 8)>(%l)
        %byte_place = arith.divui %place, %two : index
        %byte = memref.load %q[%j, %byte_place] : !q_floats
        %odd = arith.remui %place, %two : index
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

!a_other = memref<?x?xbf16>
!q_other = memref<96x?xi8>
!s_other = memref<?x96xf32>
!c_other = memref<?x96xf32>
func.func @other(%a: !a_other {tile.shape = "MxK"}, %q: !q_other {tile.shape = "96xH", tile.init = "integers(-128,127)"},
    %s: !s_other {tile.shape = "Gx96"}, %c: !c_other {tile.shape = "Mx96", tile.result})
    attributes {tile.reference = @other_reference, tile.atol = 1.0e-3, tile.rtol = 1.0e-5,
      tile.cases = ["M=5 K=384 H=192 G=3", "M=8 K=128 H=64 G=1", "M=1 K=200 H=128 G=2", "M=3 K=2 H=64 G=1", "M=2 K=0 H=0 G=0"]} {
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
      tile.parallel (%i, %j) in (16, 128) {
        %place = affine.apply affine_map<(j) -> (j mod 8 floordiv 2 * 32 + j floordiv 8 * 2 + j mod 2)>(%j)
        %half = memref.load %codes[%i, %place] : memref<16x128xi4, #tile.shared>
        %v = arith.uitofp %half : i4 to bf16
        %scale = memref.load %ss[%i] : memref<16xf32, #tile.shared>
        %narrow = arith.truncf %scale : f32 to bf16
        %next = arith.mulf %v, %narrow : bf16
        memref.store %next, %w[%i, %j] : memref<16x128xbf16, #tile.fragment>
      }
      tile.gemm %w, %as, %sum prefer(mma) {transpose_b}
    }
    tile.parallel (%i, %j) in (16, 8) {
      %c0 = arith.constant 0 : index
      %m = memref.dim %c, %c0 : !c_other
      %column = affine.apply affine_map<(i)[x] -> (x * 16 + i)>(%i)[%x]
      %v = memref.load %sum[%i, %j] : memref<16x8xf32, #tile.fragment>
      %n = arith.constant 96 : index
      %in_m = arith.cmpi slt, %j, %m : index
      %in_n = arith.cmpi slt, %column, %n : index
      %inside = arith.andi %in_m, %in_n : i1
      scf.if %inside {
        memref.store %v, %c[%j, %column] : !c_other
      }
    }
  }
  return
}
func.func @other_reference(%a: !a_other, %q: !q_other, %s: !s_other, %c: !c_other) {
  %zero = arith.constant 0.0 : f64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2 : index
  %four = arith.constant 4 : i8
  %m = memref.dim %a, %c0 : !a_other
  %k = memref.dim %a, %c1 : !a_other
  affine.for %i = 0 to %m {
    affine.for %j = 0 to 96 {
      %sum = affine.for %l = 0 to %k iter_args(%acc = %zero) -> f64 {
        %place = affine.apply affine_map<(l) -> (l floordiv 128 * 128 + l mod 8 floordiv 2 * 32 + l mod 128 floordiv 8 * 2 + l mod 2)>(%l)
        %byte_place = arith.divui %place, %two : index
        %byte = memref.load %q[%j, %byte_place] : !q_other
        %odd = arith.remui %place, %two : index
        %odd8 = arith.index_cast %odd : index to i8
        %shift = arith.muli %odd8, %four : i8
        %shifted = arith.shrui %byte, %shift : i8
        %half = arith.trunci %shifted : i8 to i4
        %code = arith.uitofp %half : i4 to bf16
        %scale = affine.load %s[%l floordiv 128, %j] : !s_other
        %narrow = arith.truncf %scale : f32 to bf16
        %weight = arith.mulf %code, %narrow : bf16
        %x = arith.extf %weight : bf16 to f64
        %y = affine.load %a[%i, %l] : !a_other
        %yd = arith.extf %y : bf16 to f64
        %p = arith.mulf %x, %yd : f64
        %next = arith.addf %acc, %p : f64
        affine.yield %next : f64
      }
      %r = arith.truncf %sum : f64 to f32
      affine.store %r, %c[%i, %j] : !c_other
    }
  }
  return
}

!a_twice = memref<?x?xbf16>
!q_twice = memref<96x?xi8>
!s_twice = memref<?x96xf32>
!c_twice = memref<?x96xf32>
func.func @twice(%a: !a_twice {tile.shape = "MxK"}, %q: !q_twice {tile.shape = "96xH", tile.init = "integers(-128,127)"},
    %s: !s_twice {tile.shape = "Gx96"}, %c: !c_twice {tile.shape = "Mx96", tile.result})
    attributes {tile.reference = @twice_reference, tile.atol = 1.0e-3, tile.rtol = 1.0e-5,
      tile.cases = ["M=5 K=384 H=192 G=3", "M=8 K=128 H=64 G=1", "M=1 K=200 H=128 G=2", "M=3 K=2 H=64 G=1", "M=2 K=0 H=0 G=0"]} {
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
      tile.parallel (%i, %j) in (16, 128) {
        %place = affine.apply affine_map<(j) -> (j mod 8 floordiv 2 * 16 + j floordiv 8)>(%j)
        %half = memref.load %codes[%i, %place] : memref<16x128xi4, #tile.shared>
        %v = arith.uitofp %half : i4 to bf16
        %scale = memref.load %ss[%i] : memref<16xf32, #tile.shared>
        %narrow = arith.truncf %scale : f32 to bf16
        %next = arith.mulf %v, %narrow : bf16
        memref.store %next, %w[%i, %j] : memref<16x128xbf16, #tile.fragment>
      }
      tile.gemm %w, %as, %sum prefer(mma) {transpose_b}
    }
    tile.parallel (%i, %j) in (16, 8) {
      %c0 = arith.constant 0 : index
      %m = memref.dim %c, %c0 : !c_twice
      %column = affine.apply affine_map<(i)[x] -> (x * 16 + i)>(%i)[%x]
      %v = memref.load %sum[%i, %j] : memref<16x8xf32, #tile.fragment>
      %n = arith.constant 96 : index
      %in_m = arith.cmpi slt, %j, %m : index
      %in_n = arith.cmpi slt, %column, %n : index
      %inside = arith.andi %in_m, %in_n : i1
      scf.if %inside {
        memref.store %v, %c[%j, %column] : !c_twice
      }
    }
  }
  return
}
func.func @twice_reference(%a: !a_twice, %q: !q_twice, %s: !s_twice, %c: !c_twice) {
  %zero = arith.constant 0.0 : f64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2 : index
  %four = arith.constant 4 : i8
  %m = memref.dim %a, %c0 : !a_twice
  %k = memref.dim %a, %c1 : !a_twice
  affine.for %i = 0 to %m {
    affine.for %j = 0 to 96 {
      %sum = affine.for %l = 0 to %k iter_args(%acc = %zero) -> f64 {
        %place = affine.apply affine_map<(l) -> (l floordiv 128 * 128 + l mod 8 floordiv 2 * 16 + l mod 128 floordiv 8)>(%l)
        %byte_place = arith.divui %place, %two : index
        %byte = memref.load %q[%j, %byte_place] : !q_twice
        %odd = arith.remui %place, %two : index
        %odd8 = arith.index_cast %odd : index to i8
        %shift = arith.muli %odd8, %four : i8
        %shifted = arith.shrui %byte, %shift : i8
        %half = arith.trunci %shifted : i8 to i4
        %code = arith.uitofp %half : i4 to bf16
        %scale = affine.load %s[%l floordiv 128, %j] : !s_twice
        %narrow = arith.truncf %scale : f32 to bf16
        %weight = arith.mulf %code, %narrow : bf16
        %x = arith.extf %weight : bf16 to f64
        %y = affine.load %a[%i, %l] : !a_twice
        %yd = arith.extf %y : bf16 to f64
        %p = arith.mulf %x, %yd : f64
        %next = arith.addf %acc, %p : f64
        affine.yield %next : f64
      }
      %r = arith.truncf %sum : f64 to f32
      affine.store %r, %c[%i, %j] : !c_twice
    }
  }
  return
}
