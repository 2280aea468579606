// REQUIRES: tile-run
// RUN: tile-run --target=ascend %s | FileCheck %s

// Accumulators that several products, loops, nested loops and branches add to, on the Ascend model.

// CHECK-NOT: FAIL
// CHECK: {{^}}15 passed, 0 failed

func.func @two_products(%a: memref<?x?xf16> {tile.shape = "MxK"}, %b: memref<?x?xf16> {tile.shape = "KxN"}, %c: memref<?x?xf32> {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @product_twice, tile.atol = 2.0e-2, tile.rtol = 2.0e-3, tile.cases = ["M=33 K=165 N=45", "M=5 K=32 N=3", "M=33 K=0 N=45"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %a, %c0 : memref<?x?xf16>
  %k = memref.dim %a, %c1 : memref<?x?xf16>
  %n = memref.dim %b, %c1 : memref<?x?xf16>
  %rows = affine.apply affine_map<(n) -> (n ceildiv 32)>(%m)
  %columns = affine.apply affine_map<(n) -> (n ceildiv 32)>(%n)
  %steps = affine.apply affine_map<(n) -> (n ceildiv 32)>(%k)
  tile.kernel (%bx, %by) in (%columns, %rows) {
    %as = tile.alloc : memref<32x32xf16, #tile.shared>
    %bs = tile.alloc : memref<32x32xf16, #tile.shared>
    %acc = tile.alloc : memref<32x32xf32, #tile.fragment>
    tile.fill %acc, %zero : memref<32x32xf32, #tile.fragment>
    tile.pipelined %s = 0 to %steps stages(2) {
      tile.copy %a[%by * 32, %s * 32], %as : memref<?x?xf16>, memref<32x32xf16, #tile.shared>
      tile.copy %b[%s * 32, %bx * 32], %bs : memref<?x?xf16>, memref<32x32xf16, #tile.shared>
      tile.gemm %as, %bs, %acc : memref<32x32xf16, #tile.shared>, memref<32x32xf16, #tile.shared>, memref<32x32xf32, #tile.fragment>
      tile.gemm %as, %bs, %acc : memref<32x32xf16, #tile.shared>, memref<32x32xf16, #tile.shared>, memref<32x32xf32, #tile.fragment>
    }
    tile.copy %acc, %c[%by * 32, %bx * 32] : memref<32x32xf32, #tile.fragment>, memref<?x?xf32>
  }
  return
}

func.func @two_loops(%a: memref<?x?xf16> {tile.shape = "MxK"}, %b: memref<?x?xf16> {tile.shape = "KxN"}, %c: memref<?x?xf32> {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @product, tile.atol = 2.0e-2, tile.rtol = 2.0e-3, tile.cases = ["M=33 K=165 N=45", "M=5 K=32 N=3", "M=33 K=0 N=45"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %a, %c0 : memref<?x?xf16>
  %k = memref.dim %a, %c1 : memref<?x?xf16>
  %n = memref.dim %b, %c1 : memref<?x?xf16>
  %rows = affine.apply affine_map<(n) -> (n ceildiv 32)>(%m)
  %columns = affine.apply affine_map<(n) -> (n ceildiv 32)>(%n)
  %steps = affine.apply affine_map<(n) -> (n ceildiv 32)>(%k)
  %half = affine.apply affine_map<(n) -> (n floordiv 2)>(%steps)
  tile.kernel (%bx, %by) in (%columns, %rows) {
    %as = tile.alloc : memref<32x32xf16, #tile.shared>
    %bs = tile.alloc : memref<32x32xf16, #tile.shared>
    %acc = tile.alloc : memref<32x32xf32, #tile.fragment>
    tile.fill %acc, %zero : memref<32x32xf32, #tile.fragment>
    tile.pipelined %s = 0 to %half stages(2) {
      tile.copy %a[%by * 32, %s * 32], %as : memref<?x?xf16>, memref<32x32xf16, #tile.shared>
      tile.copy %b[%s * 32, %bx * 32], %bs : memref<?x?xf16>, memref<32x32xf16, #tile.shared>
      tile.gemm %as, %bs, %acc : memref<32x32xf16, #tile.shared>, memref<32x32xf16, #tile.shared>, memref<32x32xf32, #tile.fragment>
    }
    tile.pipelined %s = %half to %steps stages(2) {
      tile.copy %a[%by * 32, %s * 32], %as : memref<?x?xf16>, memref<32x32xf16, #tile.shared>
      tile.copy %b[%s * 32, %bx * 32], %bs : memref<?x?xf16>, memref<32x32xf16, #tile.shared>
      tile.gemm %as, %bs, %acc : memref<32x32xf16, #tile.shared>, memref<32x32xf16, #tile.shared>, memref<32x32xf32, #tile.fragment>
    }
    tile.copy %acc, %c[%by * 32, %bx * 32] : memref<32x32xf32, #tile.fragment>, memref<?x?xf32>
  }
  return
}

func.func @nested(%a: memref<?x?xf16> {tile.shape = "MxK"}, %b: memref<?x?xf16> {tile.shape = "KxN"}, %c: memref<?x?xf32> {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @product, tile.atol = 2.0e-2, tile.rtol = 2.0e-3, tile.cases = ["M=33 K=165 N=45", "M=5 K=32 N=3", "M=33 K=0 N=45"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %a, %c0 : memref<?x?xf16>
  %k = memref.dim %a, %c1 : memref<?x?xf16>
  %n = memref.dim %b, %c1 : memref<?x?xf16>
  %rows = affine.apply affine_map<(n) -> (n ceildiv 32)>(%m)
  %columns = affine.apply affine_map<(n) -> (n ceildiv 32)>(%n)
  %steps = affine.apply affine_map<(n) -> (n ceildiv 32)>(%k)
  tile.kernel (%bx, %by) in (%columns, %rows) {
    %as = tile.alloc : memref<32x32xf16, #tile.shared>
    %bs = tile.alloc : memref<32x32xf16, #tile.shared>
    %acc = tile.alloc : memref<32x32xf32, #tile.fragment>
    tile.fill %acc, %zero : memref<32x32xf32, #tile.fragment>
    scf.for %o = %c0 to %steps step %c2 {
      %e = arith.addi %o, %c2 : index
      %h = arith.minsi %e, %steps : index
      tile.pipelined %s = %o to %h stages(2) {
        tile.copy %a[%by * 32, %s * 32], %as : memref<?x?xf16>, memref<32x32xf16, #tile.shared>
        tile.copy %b[%s * 32, %bx * 32], %bs : memref<?x?xf16>, memref<32x32xf16, #tile.shared>
        tile.gemm %as, %bs, %acc : memref<32x32xf16, #tile.shared>, memref<32x32xf16, #tile.shared>, memref<32x32xf32, #tile.fragment>
      }
    }
    tile.copy %acc, %c[%by * 32, %bx * 32] : memref<32x32xf32, #tile.fragment>, memref<?x?xf32>
  }
  return
}

func.func @branch(%a: memref<?x?xf16> {tile.shape = "MxK"}, %b: memref<?x?xf16> {tile.shape = "KxN"}, %c: memref<?x?xf32> {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @product, tile.atol = 2.0e-2, tile.rtol = 2.0e-3, tile.cases = ["M=33 K=165 N=45", "M=5 K=32 N=3", "M=33 K=0 N=45"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %a, %c0 : memref<?x?xf16>
  %k = memref.dim %a, %c1 : memref<?x?xf16>
  %n = memref.dim %b, %c1 : memref<?x?xf16>
  %rows = affine.apply affine_map<(n) -> (n ceildiv 32)>(%m)
  %columns = affine.apply affine_map<(n) -> (n ceildiv 32)>(%n)
  %steps = affine.apply affine_map<(n) -> (n ceildiv 32)>(%k)
  tile.kernel (%bx, %by) in (%columns, %rows) {
    %as = tile.alloc : memref<32x32xf16, #tile.shared>
    %bs = tile.alloc : memref<32x32xf16, #tile.shared>
    %acc = tile.alloc : memref<32x32xf32, #tile.fragment>
    tile.fill %acc, %zero : memref<32x32xf32, #tile.fragment>
    scf.for %s = %c0 to %steps step %c1 {
      %q = arith.remui %s, %c2 : index
      %t = arith.cmpi eq, %q, %c0 : index
      scf.if %t {
        tile.copy %a[%by * 32, %s * 32], %as : memref<?x?xf16>, memref<32x32xf16, #tile.shared>
        tile.copy %b[%s * 32, %bx * 32], %bs : memref<?x?xf16>, memref<32x32xf16, #tile.shared>
        tile.gemm %as, %bs, %acc : memref<32x32xf16, #tile.shared>, memref<32x32xf16, #tile.shared>, memref<32x32xf32, #tile.fragment>
      } else {
        tile.copy %a[%by * 32, %s * 32], %as : memref<?x?xf16>, memref<32x32xf16, #tile.shared>
        tile.copy %b[%s * 32, %bx * 32], %bs : memref<?x?xf16>, memref<32x32xf16, #tile.shared>
        tile.gemm %as, %bs, %acc : memref<32x32xf16, #tile.shared>, memref<32x32xf16, #tile.shared>, memref<32x32xf32, #tile.fragment>
      }
    }
    tile.copy %acc, %c[%by * 32, %bx * 32] : memref<32x32xf32, #tile.fragment>, memref<?x?xf32>
  }
  return
}

func.func @clear_if(%a: memref<?x?xf16> {tile.shape = "MxK"}, %b: memref<?x?xf16> {tile.shape = "KxN"}, %c: memref<?x?xf32> {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @product, tile.atol = 2.0e-2, tile.rtol = 2.0e-3, tile.cases = ["M=33 K=165 N=45", "M=5 K=32 N=3", "M=33 K=70 N=45"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %a, %c0 : memref<?x?xf16>
  %k = memref.dim %a, %c1 : memref<?x?xf16>
  %n = memref.dim %b, %c1 : memref<?x?xf16>
  %rows = affine.apply affine_map<(n) -> (n ceildiv 32)>(%m)
  %columns = affine.apply affine_map<(n) -> (n ceildiv 32)>(%n)
  %steps = affine.apply affine_map<(n) -> (n ceildiv 32)>(%k)
  tile.kernel (%bx, %by) in (%columns, %rows) {
    %as = tile.alloc : memref<32x32xf16, #tile.shared>
    %bs = tile.alloc : memref<32x32xf16, #tile.shared>
    %acc = tile.alloc : memref<32x32xf32, #tile.fragment>
    tile.pipelined %s = 0 to %steps stages(2) {
      %first = arith.cmpi eq, %s, %c0 : index
      tile.copy %a[%by * 32, %s * 32], %as : memref<?x?xf16>, memref<32x32xf16, #tile.shared>
      tile.copy %b[%s * 32, %bx * 32], %bs : memref<?x?xf16>, memref<32x32xf16, #tile.shared>
      tile.gemm %as, %bs, %acc clear_if(%first) : memref<32x32xf16, #tile.shared>, memref<32x32xf16, #tile.shared>, memref<32x32xf32, #tile.fragment>
    }
    tile.copy %acc, %c[%by * 32, %bx * 32] : memref<32x32xf32, #tile.fragment>, memref<?x?xf32>
  }
  return
}

func.func @product(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %c: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %factor = arith.constant 1.0 : f64
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
      %u = arith.mulf %sum, %factor : f64
      %r = arith.truncf %u : f64 to f32
      affine.store %r, %c[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

func.func @product_twice(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %c: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %factor = arith.constant 2.0 : f64
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
      %u = arith.mulf %sum, %factor : f64
      %r = arith.truncf %u : f64 to f32
      affine.store %r, %c[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
