// Weights of 4 bits that threads copy asynchronously, three stages of them: one stage is read through a view while two are filled,
// with rows of activations beyond the end. The model reports what another thread had not yet written.

// REQUIRES: tile-run, nvidia
// UNSUPPORTED: sanitizer
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: env TILE_SIMT_SEED=3 tile-run %s --target=cuda --chip=sm_80 --device=model | FileCheck %s
// RUN: sed -e 's/threads(32)/threads(64)/' -e 's/in (6)/in (3)/' -e 's/x \* 16/x * 32/g' -e 's,<16x,<32x,g' -e 's/<16xf32/<32xf32/g' -e 's/(16, /(32, /g' %s > %t.mlir
// RUN: tile-run %t.mlir --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-translate %s --tile-to-ptx --chip=sm_90a --gpu-function=four_steps --notes=false | FileCheck %s --check-prefix=PTX
// CHECK: {{^}}4 passed, 0 failed{{$}}

// The copies of the next stage stay under way.
// PTX: cp.async.wait_group 1;
// PTX-NOT: cp.async.wait_group
// PTX: cp.async.wait_group 0;
// PTX-NOT: cp.async.wait_group

!a_four_steps = memref<?x512xbf16>
!q_four_steps = memref<96x256xi8>
!s_four_steps = memref<4x96xf32>
func.func @four_steps(%a: !a_four_steps {tile.shape = "Mx512"}, %q: !q_four_steps {tile.init = "integers(-128,127)"}, %s: !s_four_steps,
    %c: memref<?x96xf32> {tile.shape = "Mx96", tile.result})
    attributes {tile.reference = @four_steps_reference, tile.atol = 1.0e-3, tile.rtol = 1.0e-5, tile.cases = ["M=5", "M=8"]} {
  tile.kernel (%x) in (6) threads(32) {
    %as = tile.alloc : memref<8x128xbf16, #tile.shared>
    %qs = tile.alloc : memref<16x64xi8, #tile.shared>
    %ss = tile.alloc : memref<16xf32, #tile.shared>
    %w = tile.alloc : memref<16x128xbf16, #tile.fragment>
    %sum = tile.alloc : memref<16x8xf32, #tile.fragment>
    tile.fill %sum, 0.0
    tile.pipelined %t = 0 to 4 stages(3) {
      tile.copy %a[0, %t * 128], %as prefer(cp_async)
      tile.copy %q[%x * 16, %t * 64], %qs prefer(cp_async)
      tile.copy %s[%t, %x * 16], %ss prefer(cp_async)
      %codes = tile.view %qs : memref<16x64xi8, #tile.shared> to memref<16x128xi4, #tile.shared>
      tile.copy %codes, %w
      tile.parallel (%i, %j) in (16, 128) do %w[%i, %j] = %w[%i, %j] * bf16(%ss[%i])
      tile.gemm %w, %as, %sum prefer(mma) {transpose_b}
    }
    tile.parallel (%i, %j) in (16, 8) {
      %c0 = arith.constant 0 : index
      %m = memref.dim %c, %c0 : memref<?x96xf32>
      %column = affine.apply affine_map<(i)[x] -> (x * 16 + i)>(%i)[%x]
      %v = memref.load %sum[%i, %j] : memref<16x8xf32, #tile.fragment>
      %inside = arith.cmpi slt, %j, %m : index
      scf.if %inside {
        memref.store %v, %c[%j, %column] : memref<?x96xf32>
      }
    }
  }
  return
}
func.func @four_steps_reference(%a: !a_four_steps, %q: !q_four_steps, %s: !s_four_steps, %c: memref<?x96xf32>) {
  %zero = arith.constant 0.0 : f64
  %c0 = arith.constant 0 : index
  %two = arith.constant 2 : index
  %four = arith.constant 4 : i8
  %m = memref.dim %a, %c0 : !a_four_steps
  affine.for %i = 0 to %m {
    affine.for %j = 0 to 96 {
      %sum = affine.for %l = 0 to 512 iter_args(%acc = %zero) -> f64 {
        %byte = affine.load %q[%j, %l floordiv 2] : !q_four_steps
        %odd = arith.remui %l, %two : index
        %odd8 = arith.index_cast %odd : index to i8
        %shift = arith.muli %odd8, %four : i8
        %shifted = arith.shrui %byte, %shift : i8
        %half = arith.trunci %shifted : i8 to i4
        %code = arith.sitofp %half : i4 to bf16
        %scale = affine.load %s[%l floordiv 128, %j] : !s_four_steps
        %narrow = arith.truncf %scale : f32 to bf16
        %weight = arith.mulf %code, %narrow : bf16
        %x = arith.extf %weight : bf16 to f64
        %y = affine.load %a[%i, %l] : !a_four_steps
        %yd = arith.extf %y : bf16 to f64
        %p = arith.mulf %x, %yd : f64
        %next = arith.addf %acc, %p : f64
        affine.yield %next : f64
      }
      %r = arith.truncf %sum : f64 to f32
      affine.store %r, %c[%i, %j] : memref<?x96xf32>
    }
  }
  return
}

!a_one_step = memref<?x128xbf16>
!q_one_step = memref<96x64xi8>
!s_one_step = memref<1x96xf32>
func.func @one_step(%a: !a_one_step {tile.shape = "Mx128"}, %q: !q_one_step {tile.init = "integers(-128,127)"}, %s: !s_one_step,
    %c: memref<?x96xf32> {tile.shape = "Mx96", tile.result})
    attributes {tile.reference = @one_step_reference, tile.atol = 1.0e-3, tile.rtol = 1.0e-5, tile.cases = ["M=5", "M=8"]} {
  tile.kernel (%x) in (6) threads(32) {
    %as = tile.alloc : memref<8x128xbf16, #tile.shared>
    %qs = tile.alloc : memref<16x64xi8, #tile.shared>
    %ss = tile.alloc : memref<16xf32, #tile.shared>
    %w = tile.alloc : memref<16x128xbf16, #tile.fragment>
    %sum = tile.alloc : memref<16x8xf32, #tile.fragment>
    tile.fill %sum, 0.0
    tile.pipelined %t = 0 to 1 stages(3) {
      tile.copy %a[0, %t * 128], %as prefer(cp_async)
      tile.copy %q[%x * 16, %t * 64], %qs prefer(cp_async)
      tile.copy %s[%t, %x * 16], %ss prefer(cp_async)
      %codes = tile.view %qs : memref<16x64xi8, #tile.shared> to memref<16x128xf4E2M1FN, #tile.shared>
      tile.copy %codes, %w
      tile.parallel (%i, %j) in (16, 128) do %w[%i, %j] = %w[%i, %j] * bf16(%ss[%i])
      tile.gemm %w, %as, %sum prefer(mma) {transpose_b}
    }
    tile.parallel (%i, %j) in (16, 8) {
      %c0 = arith.constant 0 : index
      %m = memref.dim %c, %c0 : memref<?x96xf32>
      %column = affine.apply affine_map<(i)[x] -> (x * 16 + i)>(%i)[%x]
      %v = memref.load %sum[%i, %j] : memref<16x8xf32, #tile.fragment>
      %inside = arith.cmpi slt, %j, %m : index
      scf.if %inside {
        memref.store %v, %c[%j, %column] : memref<?x96xf32>
      }
    }
  }
  return
}
func.func @one_step_reference(%a: !a_one_step, %q: !q_one_step, %s: !s_one_step, %c: memref<?x96xf32>) {
  %zero = arith.constant 0.0 : f64
  %c0 = arith.constant 0 : index
  %two = arith.constant 2 : index
  %four = arith.constant 4 : i8
  %m = memref.dim %a, %c0 : !a_one_step
  affine.for %i = 0 to %m {
    affine.for %j = 0 to 96 {
      %sum = affine.for %l = 0 to 128 iter_args(%acc = %zero) -> f64 {
        %byte = affine.load %q[%j, %l floordiv 2] : !q_one_step
        %odd = arith.remui %l, %two : index
        %odd8 = arith.index_cast %odd : index to i8
        %shift = arith.muli %odd8, %four : i8
        %shifted = arith.shrui %byte, %shift : i8
        %half = arith.trunci %shifted : i8 to i4
        %bits = arith.bitcast %half : i4 to f4E2M1FN
        %wide = arith.extf %bits : f4E2M1FN to f32
        %code = arith.truncf %wide : f32 to bf16
        %scale = affine.load %s[%l floordiv 128, %j] : !s_one_step
        %narrow = arith.truncf %scale : f32 to bf16
        %weight = arith.mulf %code, %narrow : bf16
        %x = arith.extf %weight : bf16 to f64
        %y = affine.load %a[%i, %l] : !a_one_step
        %yd = arith.extf %y : bf16 to f64
        %p = arith.mulf %x, %yd : f64
        %next = arith.addf %acc, %p : f64
        affine.yield %next : f64
      }
      %r = arith.truncf %sum : f64 to f32
      affine.store %r, %c[%i, %j] : memref<?x96xf32>
    }
  }
  return
}
