// REQUIRES: tile-run
// RUN: tile-run --target=ascend %s --func=batched --func=epilogue --func=quantised | FileCheck %s
// RUN: tile-run --target=ascend %s --func=grouped M=70 K=65 N=40 E=4 T=3 --arg=2:'integers(0,3)' | FileCheck %s --check-prefix=GROUPED

// Products in the company of other ops, on the Ascend model: batches, experts whose numbers are read from GM, a bias and an
// activation of either result type.

// CHECK-NOT: FAIL
// CHECK: {{^}}4 passed, 0 failed
// GROUPED-NOT: FAIL
// GROUPED: {{^}}1 passed, 0 failed

func.func @batched(%a: memref<?x?x?xf16> {tile.shape = "BxMxK"}, %b: memref<?x?x?xf16> {tile.shape = "BxKxN"},
    %c: memref<?x?x?xf16> {tile.shape = "BxMxN", tile.result})
    attributes {tile.reference = @batched_reference, tile.atol = 1.0e-2, tile.rtol = 2.0e-3, tile.cases = ["B=3 M=70 K=65 N=33", "B=0 M=3 K=3 N=3"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %bs_ = memref.dim %a, %c0 : memref<?x?x?xf16>
  %m = memref.dim %a, %c1 : memref<?x?x?xf16>
  %k = memref.dim %a, %c2 : memref<?x?x?xf16>
  %n = memref.dim %b, %c2 : memref<?x?x?xf16>
  %rows = affine.apply affine_map<(n) -> (n ceildiv 64)>(%m)
  %columns = affine.apply affine_map<(n) -> (n ceildiv 32)>(%n)
  %steps = affine.apply affine_map<(n) -> (n ceildiv 32)>(%k)
  tile.kernel (%bx, %by, %bz) in (%columns, %rows, %bs_) {
    %as = tile.alloc : memref<64x32xf16, #tile.shared>
    %bs = tile.alloc : memref<32x32xf16, #tile.shared>
    %acc = tile.alloc : memref<64x32xf32, #tile.fragment>
    tile.fill %acc, %zero : memref<64x32xf32, #tile.fragment>
    tile.pipelined %s = 0 to %steps stages(2) {
      tile.copy %a[%bz, %by * 64, %s * 32], %as : memref<?x?x?xf16>, memref<64x32xf16, #tile.shared>
      tile.copy %b[%bz, %s * 32, %bx * 32], %bs : memref<?x?x?xf16>, memref<32x32xf16, #tile.shared>
      tile.gemm %as, %bs, %acc : memref<64x32xf16, #tile.shared>, memref<32x32xf16, #tile.shared>, memref<64x32xf32, #tile.fragment>
    }
    tile.copy %acc, %c[%bz, %by * 64, %bx * 32] : memref<64x32xf32, #tile.fragment>, memref<?x?x?xf16>
  }
  return
}

func.func @batched_reference(%a: memref<?x?x?xf16>, %b: memref<?x?x?xf16>, %c: memref<?x?x?xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f64
  %bs_ = memref.dim %a, %c0 : memref<?x?x?xf16>
  %m = memref.dim %a, %c1 : memref<?x?x?xf16>
  %k = memref.dim %a, %c2 : memref<?x?x?xf16>
  %n = memref.dim %b, %c2 : memref<?x?x?xf16>
  affine.for %e = 0 to %bs_ {
    affine.for %i = 0 to %m {
      affine.for %j = 0 to %n {
        %sum = affine.for %l = 0 to %k iter_args(%old = %zero) -> f64 {
          %x = affine.load %a[%e, %i, %l] : memref<?x?x?xf16>
          %y = affine.load %b[%e, %l, %j] : memref<?x?x?xf16>
          %xd = arith.extf %x : f16 to f64
          %yd = arith.extf %y : f16 to f64
          %p = arith.mulf %xd, %yd : f64
          %next = arith.addf %old, %p : f64
          affine.yield %next : f64
        }
        %r = arith.truncf %sum : f64 to f16
        affine.store %r, %c[%e, %i, %j] : memref<?x?x?xf16>
      }
    }
  }
  return
}

func.func @epilogue(%a: memref<?x?xf16> {tile.shape = "MxK"}, %b: memref<?x?xf16> {tile.shape = "KxN"}, %bias: memref<?xf32> {tile.shape = "N"},
    %c: memref<?x?xf16> {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @epilogue_reference, tile.atol = 1.0e-2, tile.rtol = 2.0e-3, tile.cases = ["M=70 K=65 N=37"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %a, %c0 : memref<?x?xf16>
  %k = memref.dim %a, %c1 : memref<?x?xf16>
  %n = memref.dim %b, %c1 : memref<?x?xf16>
  %rows = affine.apply affine_map<(n) -> (n ceildiv 64)>(%m)
  %columns = affine.apply affine_map<(n) -> (n ceildiv 32)>(%n)
  %steps = affine.apply affine_map<(n) -> (n ceildiv 32)>(%k)
  tile.kernel (%bx, %by) in (%columns, %rows) {
    %as = tile.alloc : memref<64x32xf16, #tile.shared>
    %bs = tile.alloc : memref<32x32xf16, #tile.shared>
    %row = tile.alloc : memref<32xf32, #tile.shared>
    %out = tile.alloc : memref<64x32xf16, #tile.fragment>
    %acc = tile.alloc : memref<64x32xf32, #tile.fragment>
    tile.fill %acc, %zero : memref<64x32xf32, #tile.fragment>
    tile.copy %bias[%bx * 32], %row : memref<?xf32>, memref<32xf32, #tile.shared>
    tile.pipelined %s = 0 to %steps stages(2) {
      tile.copy %a[%by * 64, %s * 32], %as : memref<?x?xf16>, memref<64x32xf16, #tile.shared>
      tile.copy %b[%s * 32, %bx * 32], %bs : memref<?x?xf16>, memref<32x32xf16, #tile.shared>
      tile.gemm %as, %bs, %acc : memref<64x32xf16, #tile.shared>, memref<32x32xf16, #tile.shared>, memref<64x32xf32, #tile.fragment>
    }
    tile.parallel (%i, %j) in (64, 32) {
      %x = memref.load %acc[%i, %j] : memref<64x32xf32, #tile.fragment>
      %y = memref.load %row[%j] : memref<32xf32, #tile.shared>
      %s = arith.addf %x, %y : f32
      %r = arith.maximumf %s, %zero : f32
      %h = arith.truncf %r : f32 to f16
      memref.store %h, %out[%i, %j] : memref<64x32xf16, #tile.fragment>
    }
    tile.copy %out, %c[%by * 64, %bx * 32] : memref<64x32xf16, #tile.fragment>, memref<?x?xf16>
  }
  return
}

func.func @epilogue_reference(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %bias: memref<?xf32>, %c: memref<?x?xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %m = memref.dim %a, %c0 : memref<?x?xf16>
  %k = memref.dim %a, %c1 : memref<?x?xf16>
  %n = memref.dim %b, %c1 : memref<?x?xf16>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %sum = affine.for %l = 0 to %k iter_args(%old = %zero) -> f64 {
        %x = affine.load %a[%i, %l] : memref<?x?xf16>
        %y = affine.load %b[%l, %j] : memref<?x?xf16>
        %xd = arith.extf %x : f16 to f64
        %yd = arith.extf %y : f16 to f64
        %p = arith.mulf %xd, %yd : f64
        %next = arith.addf %old, %p : f64
        affine.yield %next : f64
      }
      %z = affine.load %bias[%j] : memref<?xf32>
      %zd = arith.extf %z : f32 to f64
      %t = arith.addf %sum, %zd : f64
      %u = arith.maximumf %t, %zero : f64
      %r = arith.truncf %u : f64 to f16
      affine.store %r, %c[%i, %j] : memref<?x?xf16>
    }
  }
  return
}

func.func @quantised(%a: memref<?x?xi8> {tile.shape = "MxK"}, %b: memref<?x?xi8> {tile.shape = "KxN"}, %bias: memref<?xi32> {tile.shape = "N"},
    %c: memref<?x?xi8> {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @quantised_reference, tile.cases = ["M=33 K=65 N=37"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %fzero = arith.constant 0.0 : f32
  %most = arith.constant 127.0 : f32
  %scale = arith.constant 0.0009765625 : f32
  %m = memref.dim %a, %c0 : memref<?x?xi8>
  %k = memref.dim %a, %c1 : memref<?x?xi8>
  %n = memref.dim %b, %c1 : memref<?x?xi8>
  %rows = affine.apply affine_map<(n) -> (n ceildiv 32)>(%m)
  %columns = affine.apply affine_map<(n) -> (n ceildiv 32)>(%n)
  %steps = affine.apply affine_map<(n) -> (n ceildiv 32)>(%k)
  tile.kernel (%bx, %by) in (%columns, %rows) {
    %as = tile.alloc : memref<32x32xi8, #tile.shared>
    %bs = tile.alloc : memref<32x32xi8, #tile.shared>
    %row = tile.alloc : memref<32xi32, #tile.shared>
    %out = tile.alloc : memref<32x32xi8, #tile.fragment>
    %acc = tile.alloc : memref<32x32xi32, #tile.fragment>
    tile.fill %acc, %zero : memref<32x32xi32, #tile.fragment>
    tile.copy %bias[%bx * 32], %row : memref<?xi32>, memref<32xi32, #tile.shared>
    tile.pipelined %s = 0 to %steps stages(2) {
      tile.copy %a[%by * 32, %s * 32], %as : memref<?x?xi8>, memref<32x32xi8, #tile.shared>
      tile.copy %b[%s * 32, %bx * 32], %bs : memref<?x?xi8>, memref<32x32xi8, #tile.shared>
      tile.gemm %as, %bs, %acc : memref<32x32xi8, #tile.shared>, memref<32x32xi8, #tile.shared>, memref<32x32xi32, #tile.fragment>
    }
    tile.parallel (%i, %j) in (32, 32) {
      %x = memref.load %acc[%i, %j] : memref<32x32xi32, #tile.fragment>
      %y = memref.load %row[%j] : memref<32xi32, #tile.shared>
      %s = arith.addi %x, %y : i32
      %f = arith.sitofp %s : i32 to f32
      %g = arith.mulf %f, %scale : f32
      %r = arith.maximumf %g, %fzero : f32
      %t = arith.minimumf %r, %most : f32
      %h = arith.fptosi %t : f32 to i8
      memref.store %h, %out[%i, %j] : memref<32x32xi8, #tile.fragment>
    }
    tile.copy %out, %c[%by * 32, %bx * 32] : memref<32x32xi8, #tile.fragment>, memref<?x?xi8>
  }
  return
}

func.func @quantised_reference(%a: memref<?x?xi8>, %b: memref<?x?xi8>, %bias: memref<?xi32>, %c: memref<?x?xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %most = arith.constant 127 : i32
  %scale = arith.constant 1024 : i32
  %m = memref.dim %a, %c0 : memref<?x?xi8>
  %k = memref.dim %a, %c1 : memref<?x?xi8>
  %n = memref.dim %b, %c1 : memref<?x?xi8>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %sum = affine.for %l = 0 to %k iter_args(%old = %zero) -> i32 {
        %x = affine.load %a[%i, %l] : memref<?x?xi8>
        %y = affine.load %b[%l, %j] : memref<?x?xi8>
        %xd = arith.extsi %x : i8 to i32
        %yd = arith.extsi %y : i8 to i32
        %p = arith.muli %xd, %yd : i32
        %next = arith.addi %old, %p : i32
        affine.yield %next : i32
      }
      %z = affine.load %bias[%j] : memref<?xi32>
      %t = arith.addi %sum, %z : i32
      %u = arith.maxsi %t, %zero : i32
      %d = arith.divsi %u, %scale : i32
      %w = arith.minsi %d, %most : i32
      %r = arith.trunci %w : i32 to i8
      affine.store %r, %c[%i, %j] : memref<?x?xi8>
    }
  }
  return
}

func.func @grouped(%a: memref<?x?xf16> {tile.shape = "MxK"}, %w: memref<?x?x?xf16> {tile.shape = "ExKxN"}, %e: memref<?xi32> {tile.shape = "T"},
    %c: memref<?x?xf32> {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @grouped_reference, tile.atol = 1.0e-3, tile.rtol = 1.0e-3} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %a, %c0 : memref<?x?xf16>
  %k = memref.dim %a, %c1 : memref<?x?xf16>
  %n = memref.dim %w, %c2 : memref<?x?x?xf16>
  %rows = affine.apply affine_map<(n) -> (n ceildiv 32)>(%m)
  %columns = affine.apply affine_map<(n) -> (n ceildiv 32)>(%n)
  %steps = affine.apply affine_map<(n) -> (n ceildiv 32)>(%k)
  tile.kernel (%bx, %by) in (%columns, %rows) {
    %as = tile.alloc : memref<32x32xf16, #tile.shared>
    %bs = tile.alloc : memref<32x32xf16, #tile.shared>
    %acc = tile.alloc : memref<32x32xf32, #tile.fragment>
    tile.fill %acc, %zero : memref<32x32xf32, #tile.fragment>
    %x = memref.load %e[%by] : memref<?xi32>
    %expert = arith.index_cast %x : i32 to index
    tile.pipelined %s = 0 to %steps stages(2) {
      tile.copy %a[%by * 32, %s * 32], %as : memref<?x?xf16>, memref<32x32xf16, #tile.shared>
      tile.copy %w[%expert, %s * 32, %bx * 32], %bs : memref<?x?x?xf16>, memref<32x32xf16, #tile.shared>
      tile.gemm %as, %bs, %acc : memref<32x32xf16, #tile.shared>, memref<32x32xf16, #tile.shared>, memref<32x32xf32, #tile.fragment>
    }
    tile.copy %acc, %c[%by * 32, %bx * 32] : memref<32x32xf32, #tile.fragment>, memref<?x?xf32>
  }
  return
}

func.func @grouped_reference(%a: memref<?x?xf16>, %w: memref<?x?x?xf16>, %e: memref<?xi32>, %c: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %thirtytwo = arith.constant 32 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %a, %c0 : memref<?x?xf16>
  %k = memref.dim %a, %c1 : memref<?x?xf16>
  %n = memref.dim %w, %c2 : memref<?x?x?xf16>
  scf.for %i = %c0 to %m step %c1 {
    %g = arith.divui %i, %thirtytwo : index
    %x = memref.load %e[%g] : memref<?xi32>
    %expert = arith.index_cast %x : i32 to index
    scf.for %j = %c0 to %n step %c1 {
      %sum = scf.for %l = %c0 to %k step %c1 iter_args(%old = %zero) -> f32 {
        %p = memref.load %a[%i, %l] : memref<?x?xf16>
        %q = memref.load %w[%expert, %l, %j] : memref<?x?x?xf16>
        %pd = arith.extf %p : f16 to f32
        %qd = arith.extf %q : f16 to f32
        %r = arith.mulf %pd, %qd : f32
        %next = arith.addf %old, %r : f32
        scf.yield %next : f32
      }
      memref.store %sum, %c[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
