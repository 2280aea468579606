// A producer that gathers rows for gemms, beside tensor copies: rows that are none, lists that end within a tile, columns that no
// vector reaches, padding that is not zero, two warpgroups.

// REQUIRES: tile-run, nvidia
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_80 --device=model | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-opt %s --tile-bind-parameters --tile-to-gpu-pipeline=chip=sm_90a --mlir-print-ir-after=tile-schedule -o /dev/null 2>&1 | FileCheck %s --check-prefix=PRODUCER
// CHECK: {{^}}7 passed, 0 failed{{$}}

// Products of queries and rows with weights of the rows. Padding is 1, so that a row that is none gives the sum of a query.
// PRODUCER-LABEL: func.func @products
// PRODUCER: tile.gather {{.*}} signal(
func.func @products(
    %q: memref<64x64xf16> {tile.init = "integers(-4,5)"}, %k: memref<?x64xf16> {tile.shape = "Nx64", tile.init = "integers(-4,5)"},
    %list: memref<?xi32> {tile.shape = "T", tile.init = "integers(-9,60)"}, %w: memref<?xf32> {tile.shape = "T", tile.init = "integers(-4,5)"},
    %o: memref<64x?xf32> {tile.shape = "64xT", tile.result})
    attributes {tile.reference = @products_reference, tile.cases = ["N=50 T=256", "N=50 T=300", "N=1 T=1", "N=50 T=7"]} {
  tile.kernel (%b) in (1) threads(128) {
    tile.padding_value %k, 1.0
    %qs = tile.alloc : memref<64x64xf16, #tile.shared>
    %ks = tile.alloc : memref<64x64xf16, #tile.shared>
    %ws = tile.alloc : memref<64xf32, #tile.shared>
    %s = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.copy %q, %qs
    tile.pipelined %i = 0 to ceildiv(dim(%list, 0), 64) stages(3) {
      tile.gather %k[0, 0] by %list[%i * 64], %ks
      tile.copy %w[%i * 64], %ws
      tile.gemm %qs, %ks, %s {clear, transpose_b}
      tile.parallel (%h, %j) in (64, 64) do %s[%h, %j] = %s[%h, %j] * %ws[%j]
      tile.copy %s, %o[0, %i * 64]
    }
  }
  return
}

func.func @products_reference(%q: memref<64x64xf16>, %k: memref<?x64xf16>, %list: memref<?xi32>, %w: memref<?xf32>, %o: memref<64x?xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f16
  %n = memref.dim %k, %c0 : memref<?x64xf16>
  %t = memref.dim %list, %c0 : memref<?xi32>
  affine.for %h = 0 to 64 {
    affine.for %j = 0 to %t {
      %entry = affine.load %list[%j] : memref<?xi32>
      %row = arith.index_cast %entry : i32 to index
      %exists = arith.cmpi ult, %row, %n : index
      %dot = affine.for %d = 0 to 64 iter_args(%acc = %zero) -> f32 {
        %x = affine.load %q[%h, %d] : memref<64x64xf16>
        %y = scf.if %exists -> f16 {
          %value = memref.load %k[%row, %d] : memref<?x64xf16>
          scf.yield %value : f16
        } else {
          scf.yield %one : f16
        }
        %xf = arith.extf %x : f16 to f32
        %yf = arith.extf %y : f16 to f32
        %product = arith.mulf %xf, %yf : f32
        %sum = arith.addf %acc, %product : f32
        affine.yield %sum : f32
      }
      %weight = affine.load %w[%j] : memref<?xf32>
      %r = arith.mulf %dot, %weight : f32
      affine.store %r, %o[%h, %j] : memref<64x?xf32>
    }
  }
  return
}

// Rows that begin anywhere, of columns that are fewer than the tile's: no vectors, but stores of the producer.
// PRODUCER-LABEL: func.func @sums
// PRODUCER: tile.gather {{.*}} signal(
func.func @sums(
    %q: memref<128x64xf16> {tile.init = "integers(-4,5)"}, %v: memref<?x?xf16> {tile.shape = "NxD", tile.init = "integers(-4,5)"},
    %list: memref<?xi32> {tile.shape = "T", tile.init = "integers(-9,60)"}, %o: memref<128x?xf32> {tile.shape = "128xD", tile.result})
    attributes {tile.reference = @sums_reference, tile.cases = ["N=50 D=64 T=192", "N=50 D=61 T=130", "N=7 D=3 T=64"]} {
  tile.kernel (%b) in (1) threads(256) {
    %qs = tile.alloc : memref<128x64xf16, #tile.shared>
    %vs = tile.alloc : memref<64x64xf16, #tile.shared>
    %s = tile.alloc : memref<128x64xf32, #tile.fragment>
    tile.copy %q, %qs
    tile.fill %s, 0.0
    tile.pipelined %i = 0 to ceildiv(dim(%list, 0), 64) stages(2) {
      tile.gather %v[0, 0] by %list[%i * 64], %vs
      tile.gemm %qs, %vs, %s
    }
    tile.copy %s, %o
  }
  return
}

func.func @sums_reference(%q: memref<128x64xf16>, %v: memref<?x?xf16>, %list: memref<?xi32>, %o: memref<128x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %v, %c0 : memref<?x?xf16>
  %d = memref.dim %v, %c1 : memref<?x?xf16>
  %t = memref.dim %list, %c0 : memref<?xi32>
  affine.for %h = 0 to 128 {
    affine.for %c = 0 to %d {
      %sum = affine.for %j = 0 to %t iter_args(%acc = %zero) -> f32 {
        %entry = affine.load %list[%j] : memref<?xi32>
        %row = arith.index_cast %entry : i32 to index
        %exists = arith.cmpi ult, %row, %n : index
        %next = scf.if %exists -> f32 {
          %x = affine.load %q[%h, %j mod 64] : memref<128x64xf16>
          %y = memref.load %v[%row, %c] : memref<?x?xf16>
          %xf = arith.extf %x : f16 to f32
          %yf = arith.extf %y : f16 to f32
          %product = arith.mulf %xf, %yf : f32
          %plus = arith.addf %acc, %product : f32
          scf.yield %plus : f32
        } else {
          scf.yield %acc : f32
        }
        affine.yield %next : f32
      }
      affine.store %sum, %o[%h, %c] : memref<128x?xf32>
    }
  }
  return
}
