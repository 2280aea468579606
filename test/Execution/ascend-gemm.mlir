// REQUIRES: tile-run
// RUN: tile-run --target=ascend %s | FileCheck %s
// RUN: tile-run --target=ascend --chip=950 %s | FileCheck %s

// The cube on the Ascend model: tails in M, N and K, transposed operands, element types, and no iteration at all.

// CHECK-NOT: FAIL
// CHECK: {{^}}21 passed, 0 failed

func.func @gemm_f16(
    %a: memref<?x?xf16> {tile.shape = "MxK"}, %b: memref<?x?xf16> {tile.shape = "KxN"}, %c: memref<?x?xf16> {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @gemm_f16_reference, tile.atol = 1.0e-2, tile.rtol = 1.953125e-3,
                tile.cases = ["M=126 K=80 N=159", "M=64 K=64 N=64", "M=1 K=1 N=1", "M=33 K=200 N=17", "M=65 K=0 N=3"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %a, %c0 : memref<?x?xf16>
  %k = memref.dim %a, %c1 : memref<?x?xf16>
  %n = memref.dim %b, %c1 : memref<?x?xf16>
  %rows = affine.apply affine_map<(n) -> (n ceildiv 64)>(%m)
  %columns = affine.apply affine_map<(n) -> (n ceildiv 64)>(%n)
  %steps = affine.apply affine_map<(n) -> (n ceildiv 64)>(%k)
  tile.kernel (%bx, %by) in (%columns, %rows) {
    %as = tile.alloc : memref<64x64xf16, #tile.shared>
    %bs = tile.alloc : memref<64x64xf16, #tile.shared>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %acc, %zero : memref<64x64xf32, #tile.fragment>
    tile.pipelined %s = 0 to %steps stages(2) {
      tile.copy %a[%by * 64, %s * 64], %as : memref<?x?xf16>, memref<64x64xf16, #tile.shared>
      tile.copy %b[%s * 64, %bx * 64], %bs : memref<?x?xf16>, memref<64x64xf16, #tile.shared>
      tile.gemm %as, %bs, %acc : memref<64x64xf16, #tile.shared>, memref<64x64xf16, #tile.shared>, memref<64x64xf32, #tile.fragment>
    }
    tile.copy %acc, %c[%by * 64, %bx * 64] : memref<64x64xf32, #tile.fragment>, memref<?x?xf16>
  }
  return
}

func.func @gemm_f16_reference(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %c: memref<?x?xf16>) {
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
      %r = arith.truncf %sum : f64 to f16
      affine.store %r, %c[%i, %j] : memref<?x?xf16>
    }
  }
  return
}

func.func @gemm_ta(
    %a: memref<?x?xf16> {tile.shape = "KxM"}, %b: memref<?x?xf16> {tile.shape = "KxN"}, %c: memref<?x?xf32> {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @gemm_ta_reference, tile.atol = 1.0e-4, tile.rtol = 1.0e-4,
                tile.cases = ["M=126 K=80 N=159", "M=64 K=64 N=64", "M=1 K=1 N=1", "M=33 K=200 N=17"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %a, %c1 : memref<?x?xf16>
  %k = memref.dim %a, %c0 : memref<?x?xf16>
  %n = memref.dim %b, %c1 : memref<?x?xf16>
  %rows = affine.apply affine_map<(n) -> (n ceildiv 64)>(%m)
  %columns = affine.apply affine_map<(n) -> (n ceildiv 64)>(%n)
  %steps = affine.apply affine_map<(n) -> (n ceildiv 64)>(%k)
  tile.kernel (%bx, %by) in (%columns, %rows) {
    %as = tile.alloc : memref<64x64xf16, #tile.shared>
    %bs = tile.alloc : memref<64x64xf16, #tile.shared>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %acc, %zero : memref<64x64xf32, #tile.fragment>
    tile.pipelined %s = 0 to %steps stages(2) {
      tile.copy %a[%s * 64, %by * 64], %as : memref<?x?xf16>, memref<64x64xf16, #tile.shared>
      tile.copy %b[%s * 64, %bx * 64], %bs : memref<?x?xf16>, memref<64x64xf16, #tile.shared>
      tile.gemm %as, %bs, %acc {transpose_a} : memref<64x64xf16, #tile.shared>, memref<64x64xf16, #tile.shared>, memref<64x64xf32, #tile.fragment>
    }
    tile.copy %acc, %c[%by * 64, %bx * 64] : memref<64x64xf32, #tile.fragment>, memref<?x?xf32>
  }
  return
}

func.func @gemm_ta_reference(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %c: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %m = memref.dim %a, %c1 : memref<?x?xf16>
  %k = memref.dim %a, %c0 : memref<?x?xf16>
  %n = memref.dim %b, %c1 : memref<?x?xf16>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %sum = affine.for %l = 0 to %k iter_args(%old = %zero) -> f64 {
        %x = affine.load %a[%l, %i] : memref<?x?xf16>
        %y = affine.load %b[%l, %j] : memref<?x?xf16>
        %xd = arith.extf %x : f16 to f64
        %yd = arith.extf %y : f16 to f64
        %p = arith.mulf %xd, %yd : f64
        %next = arith.addf %old, %p : f64
        affine.yield %next : f64
      }
      %r = arith.truncf %sum : f64 to f32
      affine.store %r, %c[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

func.func @gemm_tb(
    %a: memref<?x?xbf16> {tile.shape = "MxK"}, %b: memref<?x?xbf16> {tile.shape = "NxK"}, %c: memref<?x?xf32> {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @gemm_tb_reference, tile.atol = 1.0e-4, tile.rtol = 1.0e-4,
                tile.cases = ["M=126 K=80 N=159", "M=64 K=64 N=64", "M=1 K=1 N=1", "M=33 K=200 N=17"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %a, %c0 : memref<?x?xbf16>
  %k = memref.dim %a, %c1 : memref<?x?xbf16>
  %n = memref.dim %b, %c0 : memref<?x?xbf16>
  %rows = affine.apply affine_map<(n) -> (n ceildiv 64)>(%m)
  %columns = affine.apply affine_map<(n) -> (n ceildiv 64)>(%n)
  %steps = affine.apply affine_map<(n) -> (n ceildiv 64)>(%k)
  tile.kernel (%bx, %by) in (%columns, %rows) {
    %as = tile.alloc : memref<64x64xbf16, #tile.shared>
    %bs = tile.alloc : memref<64x64xbf16, #tile.shared>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %acc, %zero : memref<64x64xf32, #tile.fragment>
    tile.pipelined %s = 0 to %steps stages(2) {
      tile.copy %a[%by * 64, %s * 64], %as : memref<?x?xbf16>, memref<64x64xbf16, #tile.shared>
      tile.copy %b[%bx * 64, %s * 64], %bs : memref<?x?xbf16>, memref<64x64xbf16, #tile.shared>
      tile.gemm %as, %bs, %acc {transpose_b} : memref<64x64xbf16, #tile.shared>, memref<64x64xbf16, #tile.shared>, memref<64x64xf32, #tile.fragment>
    }
    tile.copy %acc, %c[%by * 64, %bx * 64] : memref<64x64xf32, #tile.fragment>, memref<?x?xf32>
  }
  return
}

func.func @gemm_tb_reference(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %m = memref.dim %a, %c0 : memref<?x?xbf16>
  %k = memref.dim %a, %c1 : memref<?x?xbf16>
  %n = memref.dim %b, %c0 : memref<?x?xbf16>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %sum = affine.for %l = 0 to %k iter_args(%old = %zero) -> f64 {
        %x = affine.load %a[%i, %l] : memref<?x?xbf16>
        %y = affine.load %b[%j, %l] : memref<?x?xbf16>
        %xd = arith.extf %x : bf16 to f64
        %yd = arith.extf %y : bf16 to f64
        %p = arith.mulf %xd, %yd : f64
        %next = arith.addf %old, %p : f64
        affine.yield %next : f64
      }
      %r = arith.truncf %sum : f64 to f32
      affine.store %r, %c[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

func.func @gemm_f32_tb(
    %a: memref<?x?xf32> {tile.shape = "MxK"}, %b: memref<?x?xf32> {tile.shape = "NxK"}, %c: memref<?x?xf32> {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @gemm_f32_tb_reference, tile.atol = 1.0e-4, tile.rtol = 1.0e-4,
                tile.cases = ["M=126 K=80 N=159", "M=64 K=64 N=64", "M=1 K=1 N=1", "M=33 K=200 N=17"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %a, %c0 : memref<?x?xf32>
  %k = memref.dim %a, %c1 : memref<?x?xf32>
  %n = memref.dim %b, %c0 : memref<?x?xf32>
  %rows = affine.apply affine_map<(n) -> (n ceildiv 32)>(%m)
  %columns = affine.apply affine_map<(n) -> (n ceildiv 64)>(%n)
  %steps = affine.apply affine_map<(n) -> (n ceildiv 32)>(%k)
  tile.kernel (%bx, %by) in (%columns, %rows) {
    %as = tile.alloc : memref<32x32xf32, #tile.shared>
    %bs = tile.alloc : memref<64x32xf32, #tile.shared>
    %acc = tile.alloc : memref<32x64xf32, #tile.fragment>
    tile.fill %acc, %zero : memref<32x64xf32, #tile.fragment>
    tile.pipelined %s = 0 to %steps stages(2) {
      tile.copy %a[%by * 32, %s * 32], %as : memref<?x?xf32>, memref<32x32xf32, #tile.shared>
      tile.copy %b[%bx * 64, %s * 32], %bs : memref<?x?xf32>, memref<64x32xf32, #tile.shared>
      tile.gemm %as, %bs, %acc {transpose_b} : memref<32x32xf32, #tile.shared>, memref<64x32xf32, #tile.shared>, memref<32x64xf32, #tile.fragment>
    }
    tile.copy %acc, %c[%by * 32, %bx * 64] : memref<32x64xf32, #tile.fragment>, memref<?x?xf32>
  }
  return
}

func.func @gemm_f32_tb_reference(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %m = memref.dim %a, %c0 : memref<?x?xf32>
  %k = memref.dim %a, %c1 : memref<?x?xf32>
  %n = memref.dim %b, %c0 : memref<?x?xf32>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %sum = affine.for %l = 0 to %k iter_args(%old = %zero) -> f64 {
        %x = affine.load %a[%i, %l] : memref<?x?xf32>
        %y = affine.load %b[%j, %l] : memref<?x?xf32>
        %xd = arith.extf %x : f32 to f64
        %yd = arith.extf %y : f32 to f64
        %p = arith.mulf %xd, %yd : f64
        %next = arith.addf %old, %p : f64
        affine.yield %next : f64
      }
      %r = arith.truncf %sum : f64 to f32
      affine.store %r, %c[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

func.func @gemm_i8(
    %a: memref<?x?xi8> {tile.shape = "MxK", tile.init = "integers(-8,8)"}, %b: memref<?x?xi8> {tile.shape = "KxN", tile.init = "integers(-8,8)"}, %c: memref<?x?xi32> {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @gemm_i8_reference, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["M=126 K=80 N=159", "M=64 K=64 N=64", "M=1 K=1 N=1", "M=33 K=200 N=17"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %m = memref.dim %a, %c0 : memref<?x?xi8>
  %k = memref.dim %a, %c1 : memref<?x?xi8>
  %n = memref.dim %b, %c1 : memref<?x?xi8>
  %rows = affine.apply affine_map<(n) -> (n ceildiv 64)>(%m)
  %columns = affine.apply affine_map<(n) -> (n ceildiv 64)>(%n)
  %steps = affine.apply affine_map<(n) -> (n ceildiv 64)>(%k)
  tile.kernel (%bx, %by) in (%columns, %rows) {
    %as = tile.alloc : memref<64x64xi8, #tile.shared>
    %bs = tile.alloc : memref<64x64xi8, #tile.shared>
    %acc = tile.alloc : memref<64x64xi32, #tile.fragment>
    tile.fill %acc, %zero : memref<64x64xi32, #tile.fragment>
    tile.pipelined %s = 0 to %steps stages(2) {
      tile.copy %a[%by * 64, %s * 64], %as : memref<?x?xi8>, memref<64x64xi8, #tile.shared>
      tile.copy %b[%s * 64, %bx * 64], %bs : memref<?x?xi8>, memref<64x64xi8, #tile.shared>
      tile.gemm %as, %bs, %acc : memref<64x64xi8, #tile.shared>, memref<64x64xi8, #tile.shared>, memref<64x64xi32, #tile.fragment>
    }
    tile.copy %acc, %c[%by * 64, %bx * 64] : memref<64x64xi32, #tile.fragment>, memref<?x?xi32>
  }
  return
}

func.func @gemm_i8_reference(%a: memref<?x?xi8>, %b: memref<?x?xi8>, %c: memref<?x?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
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
      affine.store %sum, %c[%i, %j] : memref<?x?xi32>
    }
  }
  return
}
