// Each warpgroup stores its rows of a result by itself, while the other one still multiplies: blocks that stay overwrite what their
// stores have read, and tiles reach past the end of both dimensions.

// REQUIRES: tile-run, nvidia
// UNSUPPORTED: sanitizer
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s --check-prefix=RESULT
// RUN: tile-opt %s --tile-to-gpu-pipeline=chip=sm_90a --remarks-filter='tile-insert-barriers' -o /dev/null 2>&1 | FileCheck %s
// RESULT: {{^}}2 passed, 0 failed{{$}}

// CHECK: [Passed] WarpgroupStore
func.func @product(%a: memref<?x?xf16> {tile.shape = "MxK%8"}, %b: memref<?x?xf16> {tile.shape = "NxK%8"},
                   %c: memref<?x?xf16> {tile.shape = "MxN%8", tile.result})
    attributes {tile.reference = @reference, tile.atol = 1.0e-2, tile.rtol = 1.0e-2,
                tile.cases = ["M=136 N=8648 K=72", "M=256 N=8704 K=8"]} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %m = memref.dim %a, %zero : memref<?x?xf16>
  %n = memref.dim %b, %zero : memref<?x?xf16>
  %k = memref.dim %a, %one : memref<?x?xf16>
  %rows = affine.apply affine_map<()[s] -> (s ceildiv 128)>()[%m]
  %columns = affine.apply affine_map<()[s] -> (s ceildiv 128)>()[%n]
  %steps = affine.apply affine_map<()[s] -> (s ceildiv 64)>()[%k]
  tile.kernel (%x, %y) in (%columns, %rows) threads(256) {
    %as = tile.alloc : memref<128x64xf16, #tile.shared>
    %bs = tile.alloc : memref<128x64xf16, #tile.shared>
    %sum = tile.alloc : memref<128x128xf32, #tile.fragment>
    tile.fill %sum, 0.0
    tile.pipelined %i = 0 to %steps stages(5) {
      tile.copy %a[%y * 128, %i * 64], %as : memref<?x?xf16>, memref<128x64xf16, #tile.shared>
      tile.copy %b[%x * 128, %i * 64], %bs : memref<?x?xf16>, memref<128x64xf16, #tile.shared>
      tile.gemm %as, %bs, %sum {transpose_b}
    }
    tile.copy %sum, %c[%y * 128, %x * 128]
  }
  return
}

func.func @reference(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %c: memref<?x?xf16>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %m = memref.dim %a, %zero : memref<?x?xf16>
  %n = memref.dim %b, %zero : memref<?x?xf16>
  %k = memref.dim %a, %one : memref<?x?xf16>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %none = arith.constant 0.0 : f32
      %s = affine.for %l = 0 to %k iter_args(%acc = %none) -> f32 {
        %x = affine.load %a[%i, %l] : memref<?x?xf16>
        %y = affine.load %b[%j, %l] : memref<?x?xf16>
        %xf = arith.extf %x : f16 to f32
        %yf = arith.extf %y : f16 to f32
        %p = arith.mulf %xf, %yf : f32
        %next = arith.addf %acc, %p : f32
        affine.yield %next : f32
      }
      %r = arith.truncf %s : f32 to f16
      affine.store %r, %c[%i, %j] : memref<?x?xf16>
    }
  }
  return
}
