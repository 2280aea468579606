// Weights of 4 bits as the operand of wgmma that lies in registers. Four lanes share each word of them in shared memory, read
// four words together and take their bytes. One kernel scales the weights, the other the sums of each group.

// REQUIRES: tile-run, nvidia
// UNSUPPORTED: sanitizer
// RUN: tile-run %s | FileCheck %s --check-prefix=RESULT
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s --check-prefix=RESULT
// RUN: tile-opt %s --tile-to-gpu-pipeline=chip=sm_90a | FileCheck %s
// RUN: tile-translate %s --tile-to-ptx --chip=sm_90a --gpu-function=weights --notes=false | FileCheck %s --check-prefix=PTX
// With bf16 in place of f16, too.
// RUN: sed -E 's/(x|\b)f16\b/\1bf16/g' %s > %t.mlir
// RUN: tile-run %t.mlir --target=cuda --chip=sm_90a --device=model | FileCheck %s --check-prefix=RESULT
// RESULT: {{^}}2 passed, 0 failed{{$}}

// CHECK-LABEL: gpu.func @weights
// CHECK: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> i128
// CHECK: arith.shrui
// CHECK: arith.sitofp {{.*}} : vector<2xi4> to vector<2xbf16>
// CHECK-NOT: llvm.load {{.*}} : !llvm.ptr<3> -> i8
// CHECK: wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16
// Registers of the operand are ready before the fence: ptxas would wait for a group of each instruction.
// PTX: prmt.b32 {{.*}}, %r{{[0-9]+}};
// PTX: wgmma.fence
// PTX-NOT: mov.b32
// PTX-COUNT-8: wgmma.mma_async
// PTX-NOT: mov.b32
// PTX: wgmma.commit_group
// CHECK-LABEL: gpu.func @sums
// CHECK: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> i128
// CHECK: wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16

!a_w = memref<11x320xbf16>
!q_w = memref<192x160xi8>
!s_w = memref<3x192xf32>
!c_w = memref<11x192xf32>
func.func @weights(%a: !a_w, %q: !q_w {tile.init = "integers(-128,127)"}, %s: !s_w, %c: !c_w {tile.result})
    attributes {tile.reference = @weights_reference, tile.atol = 1.0e-3, tile.rtol = 1.0e-5} {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%x) in (2) threads(256) {
    %as = tile.alloc : memref<16x128xbf16, #tile.shared>
    %qs = tile.alloc : memref<128x64xi8, #tile.shared>
    %ss = tile.alloc : memref<128xf32, #tile.shared>
    %w = tile.alloc : memref<128x128xbf16, #tile.fragment>
    %sum = tile.alloc : memref<128x16xf32, #tile.fragment>
    tile.fill %sum, %zero : memref<128x16xf32, #tile.fragment>
    tile.pipelined %t = 0 to 3 stages(2) {
      tile.copy %a[0, %t * 128], %as : !a_w, memref<16x128xbf16, #tile.shared>
      tile.copy %q[%x * 128, %t * 64], %qs : !q_w, memref<128x64xi8, #tile.shared>
      tile.copy %s[%t, %x * 128], %ss : !s_w, memref<128xf32, #tile.shared>
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

!a_s = memref<5x256xf16>
!q_s = memref<64x128xi8>
!c_s = memref<5x64xf32>
func.func @sums(%a: !a_s, %q: !q_s {tile.init = "integers(-128,127)"}, %c: !c_s {tile.result})
    attributes {tile.reference = @sums_reference, tile.atol = 1.0e-3, tile.rtol = 1.0e-5} {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  tile.kernel (%x) in (1) threads(128) {
    %as = tile.alloc : memref<8x128xf16, #tile.shared>
    %qs = tile.alloc : memref<64x64xi8, #tile.shared>
    %w = tile.alloc : memref<64x128xf16, #tile.fragment>
    %part = tile.alloc : memref<64x8xf32, #tile.fragment>
    %sum = tile.alloc : memref<64x8xf32, #tile.fragment>
    tile.fill %sum, %zero : memref<64x8xf32, #tile.fragment>
    tile.pipelined %t = 0 to 2 stages(2) {
      tile.copy %a[0, %t * 128], %as : !a_s, memref<8x128xf16, #tile.shared>
      tile.copy %q[0, %t * 64], %qs : !q_s, memref<64x64xi8, #tile.shared>
      %codes = tile.view %qs : memref<64x64xi8, #tile.shared> to memref<64x128xf4E2M1FN, #tile.shared>
      tile.copy %codes, %w : memref<64x128xf4E2M1FN, #tile.shared>, memref<64x128xf16, #tile.fragment>
      tile.gemm %w, %as, %part prefer(wgmma) {clear, transpose_b} : memref<64x128xf16, #tile.fragment>, memref<8x128xf16, #tile.shared>, memref<64x8xf32, #tile.fragment>
      tile.parallel (%i, %j) in (64, 8) {
        %p = memref.load %part[%i, %j] : memref<64x8xf32, #tile.fragment>
        %before = memref.load %sum[%i, %j] : memref<64x8xf32, #tile.fragment>
        %next = math.fma %p, %half, %before : f32
        memref.store %next, %sum[%i, %j] : memref<64x8xf32, #tile.fragment>
      }
    }
    tile.parallel (%i, %j) in (64, 8) {
      %m = arith.constant 5 : index
      %v = memref.load %sum[%i, %j] : memref<64x8xf32, #tile.fragment>
      %inside = arith.cmpi slt, %j, %m : index
      scf.if %inside {
        memref.store %v, %c[%j, %i] : !c_s
      }
    }
  }
  return
}
func.func @sums_reference(%a: !a_s, %q: !q_s, %c: !c_s) {
  %zero = arith.constant 0.0 : f64
  %factor = arith.constant 0.5 : f64
  %two = arith.constant 2 : index
  %four = arith.constant 4 : i8
  affine.for %i = 0 to 5 {
    affine.for %j = 0 to 64 {
      %sum = affine.for %l = 0 to 256 iter_args(%acc = %zero) -> f64 {
        %byte = affine.load %q[%j, %l floordiv 2] : !q_s
        %odd = arith.remui %l, %two : index
        %odd8 = arith.index_cast %odd : index to i8
        %shift = arith.muli %odd8, %four : i8
        %shifted = arith.shrui %byte, %shift : i8
        %half = arith.trunci %shifted : i8 to i4
        %code = arith.bitcast %half : i4 to f4E2M1FN
        %wide = arith.extf %code : f4E2M1FN to f32
        %x = arith.extf %wide : f32 to f64
        %y = affine.load %a[%i, %l] : !a_s
        %yd = arith.extf %y : f16 to f64
        %p = arith.mulf %x, %yd : f64
        %next = arith.addf %acc, %p : f64
        affine.yield %next : f64
      }
      %scaled = arith.mulf %sum, %factor : f64
      %r = arith.truncf %scaled : f64 to f32
      affine.store %r, %c[%i, %j] : !c_s
    }
  }
  return
}
