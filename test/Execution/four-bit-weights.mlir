// Weights of 4 bits are converted in registers to what one instruction of the tensor cores wants: each thread reads its
// neighbours along K at once, and the instructions share out K accordingly.

// REQUIRES: tile-run, nvidia
// UNSUPPORTED: sanitizer
// RUN: tile-run %s | FileCheck %s --check-prefix=RESULT
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s --check-prefix=RESULT
// RUN: tile-run %s --target=cuda --chip=sm_80 --device=model | FileCheck %s --check-prefix=RESULT
// RUN: tile-opt %s --tile-to-gpu-pipeline=chip=sm_90a | FileCheck %s
// With bf16 in place of f16, too.
// RUN: sed -E 's/(x|\b)f16\b/\1bf16/g' %s > %t.mlir
// RUN: tile-run %t.mlir --target=cuda --chip=sm_90a --device=model | FileCheck %s --check-prefix=RESULT
// RUN: tile-run %t.mlir --target=cuda --chip=sm_80 --device=model | FileCheck %s --check-prefix=RESULT
// RESULT: {{^}}2 passed, 0 failed{{$}}

// CHECK-LABEL: gpu.func @integers
// CHECK: llvm.load {{.*}} {alignment = 8 : i64} : !llvm.ptr<3> -> i64
// CHECK: arith.sitofp {{.*}} : vector<16xi4> to vector<16xbf16>
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> vector<8xbf16>
// CHECK-COUNT-16: mma.sync.aligned.m16n8k16
// CHECK-LABEL: gpu.func @floats
// CHECK: llvm.load {{.*}} {alignment = 8 : i64} : !llvm.ptr<3> -> i64
// CHECK-COUNT-8: mma.sync.aligned.m16n8k16

!a_integers = memref<11x384xbf16>
!q_integers = memref<64x192xi8>
!c_integers = memref<11x64xf32>
func.func @integers(%a: !a_integers, %q: !q_integers {tile.init = "integers(-128,127)"}, %c: !c_integers {tile.result})
    attributes {tile.reference = @integers_reference, tile.atol = 1.0e-3, tile.rtol = 1.0e-5} {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%x) in (2) threads(64) {
    %as = tile.alloc : memref<16x128xbf16, #tile.shared>
    %qs = tile.alloc : memref<32x64xi8, #tile.shared>
    %w = tile.alloc : memref<32x128xbf16, #tile.fragment>
    %sum = tile.alloc : memref<32x16xf32, #tile.fragment>
    tile.fill %sum, %zero : memref<32x16xf32, #tile.fragment>
    tile.pipelined %t = 0 to 3 stages(2) {
      tile.copy %a[0, %t * 128], %as : !a_integers, memref<16x128xbf16, #tile.shared>
      tile.copy %q[%x * 32, %t * 64], %qs : !q_integers, memref<32x64xi8, #tile.shared>
      %codes = tile.view %qs : memref<32x64xi8, #tile.shared> to memref<32x128xi4, #tile.shared>
      tile.copy %codes, %w : memref<32x128xi4, #tile.shared>, memref<32x128xbf16, #tile.fragment>
      tile.gemm %w, %as, %sum prefer(mma) {transpose_b} : memref<32x128xbf16, #tile.fragment>, memref<16x128xbf16, #tile.shared>, memref<32x16xf32, #tile.fragment>
    }
    tile.parallel (%i, %j) in (32, 16) {
      %m = arith.constant 11 : index
      %column = affine.apply affine_map<(i)[x] -> (x * 32 + i)>(%i)[%x]
      %v = memref.load %sum[%i, %j] : memref<32x16xf32, #tile.fragment>
      %inside = arith.cmpi slt, %j, %m : index
      scf.if %inside {
        memref.store %v, %c[%j, %column] : !c_integers
      }
    }
  }
  return
}
func.func @integers_reference(%a: !a_integers, %q: !q_integers, %c: !c_integers) {
  %zero = arith.constant 0.0 : f64
  %two = arith.constant 2 : index
  %four = arith.constant 4 : i8
  affine.for %i = 0 to 11 {
    affine.for %j = 0 to 64 {
      %sum = affine.for %l = 0 to 384 iter_args(%acc = %zero) -> f64 {
        %byte = affine.load %q[%j, %l floordiv 2] : !q_integers
        %odd = arith.remui %l, %two : index
        %odd8 = arith.index_cast %odd : index to i8
        %shift = arith.muli %odd8, %four : i8
        %shifted = arith.shrui %byte, %shift : i8
        %half = arith.trunci %shifted : i8 to i4
        %x = arith.sitofp %half : i4 to f64
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

!a_floats = memref<5x256xf16>
!q_floats = memref<64x128xi8>
!c_floats = memref<5x64xf32>
func.func @floats(%a: !a_floats, %q: !q_floats {tile.init = "integers(-128,127)"}, %c: !c_floats {tile.result})
    attributes {tile.reference = @floats_reference, tile.atol = 1.0e-3, tile.rtol = 1.0e-5} {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%x) in (2) threads(64) {
    %as = tile.alloc : memref<8x128xf16, #tile.shared>
    %qs = tile.alloc : memref<32x64xi8, #tile.shared>
    %w = tile.alloc : memref<32x128xf16, #tile.fragment>
    %sum = tile.alloc : memref<32x8xf32, #tile.fragment>
    tile.fill %sum, %zero : memref<32x8xf32, #tile.fragment>
    tile.pipelined %t = 0 to 2 stages(2) {
      tile.copy %a[0, %t * 128], %as : !a_floats, memref<8x128xf16, #tile.shared>
      tile.copy %q[%x * 32, %t * 64], %qs : !q_floats, memref<32x64xi8, #tile.shared>
      %codes = tile.view %qs : memref<32x64xi8, #tile.shared> to memref<32x128xf4E2M1FN, #tile.shared>
      tile.copy %codes, %w : memref<32x128xf4E2M1FN, #tile.shared>, memref<32x128xf16, #tile.fragment>
      tile.gemm %w, %as, %sum prefer(mma) {transpose_b} : memref<32x128xf16, #tile.fragment>, memref<8x128xf16, #tile.shared>, memref<32x8xf32, #tile.fragment>
    }
    tile.parallel (%i, %j) in (32, 8) {
      %m = arith.constant 5 : index
      %column = affine.apply affine_map<(i)[x] -> (x * 32 + i)>(%i)[%x]
      %v = memref.load %sum[%i, %j] : memref<32x8xf32, #tile.fragment>
      %inside = arith.cmpi slt, %j, %m : index
      scf.if %inside {
        memref.store %v, %c[%j, %column] : !c_floats
      }
    }
  }
  return
}
func.func @floats_reference(%a: !a_floats, %q: !q_floats, %c: !c_floats) {
  %zero = arith.constant 0.0 : f64
  %two = arith.constant 2 : index
  %four = arith.constant 4 : i8
  affine.for %i = 0 to 5 {
    affine.for %j = 0 to 64 {
      %sum = affine.for %l = 0 to 256 iter_args(%acc = %zero) -> f64 {
        %byte = affine.load %q[%j, %l floordiv 2] : !q_floats
        %odd = arith.remui %l, %two : index
        %odd8 = arith.index_cast %odd : index to i8
        %shift = arith.muli %odd8, %four : i8
        %shifted = arith.shrui %byte, %shift : i8
        %half = arith.trunci %shifted : i8 to i4
        %code = arith.bitcast %half : i4 to f4E2M1FN
        %wide = arith.extf %code : f4E2M1FN to f32
        %x = arith.extf %wide : f32 to f64
        %y = affine.load %a[%i, %l] : !a_floats
        %yd = arith.extf %y : f16 to f64
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
