// Two teams take the points of each block in turns: one multiplies while the other one stores. Blocks have no point, one, or an odd
// or even number of them; loops have no iteration, fewer than there are stages, and more; tiles reach past both ends.

// REQUIRES: tile-run, nvidia
// UNSUPPORTED: sanitizer
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s --check-prefix=RESULT
// RUN: tile-opt %s --tile-to-gpu-pipeline=chip=sm_90a --remarks-filter='tile-schedule' -o /dev/null 2>&1 | FileCheck %s
// RESULT: {{^}}18 passed, 0 failed{{$}}

// CHECK: [Passed] PingPong | Category:tile-schedule | consumers=2, parts=1
// CHECK: [Passed] PingPong | Category:tile-schedule | consumers=2, parts=3
func.func @product(%a: memref<?x?xf16> {tile.shape = "MxK%8"}, %b: memref<?x?xf16> {tile.shape = "NxK%8"},
                   %c: memref<?x?xf16> {tile.shape = "MxN%8", tile.result})
    attributes {tile.reference = @reference, tile.atol = 1.0e-2, tile.rtol = 1.0e-2,
                tile.cases = ["M=40 N=56 K=8", "M=64 N=64 K=200", "M=128 N=128 K=128", "M=72 N=256 K=192", "M=200 N=136 K=264",
                              "M=448 N=64 K=136", "M=128 N=256 K=520"]} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %m = memref.dim %a, %zero : memref<?x?xf16>
  %n = memref.dim %b, %zero : memref<?x?xf16>
  %k = memref.dim %a, %one : memref<?x?xf16>
  %rows = affine.apply affine_map<()[s] -> (s ceildiv 64)>()[%m]
  %columns = affine.apply affine_map<()[s] -> (s ceildiv 64)>()[%n]
  %steps = affine.apply affine_map<()[s] -> (s ceildiv 64)>()[%k]
  tile.kernel (%p) in (3) threads(128) {
    %as = tile.alloc : memref<64x64xf16, #tile.shared>
    %bs = tile.alloc : memref<64x64xf16, #tile.shared>
    %cs = tile.alloc : memref<64x64xf16, #tile.shared>
    %sum = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.persistent (%y, %x) in (%rows, %columns) group(2) {
      tile.fill %sum, 0.0
      tile.pipelined %i = 0 to %steps stages(3) {
        tile.copy %a[%y * 64, %i * 64], %as : memref<?x?xf16>, memref<64x64xf16, #tile.shared>
        tile.copy %b[%x * 64, %i * 64], %bs : memref<?x?xf16>, memref<64x64xf16, #tile.shared>
        tile.gemm %as, %bs, %sum {transpose_b}
      }
      tile.copy %sum, %cs : memref<64x64xf32, #tile.fragment>, memref<64x64xf16, #tile.shared>
      tile.copy %cs, %c[%y * 64, %x * 64] prefer(tma) : memref<64x64xf16, #tile.shared>, memref<?x?xf16>
    }
  }
  return
}

// Whole tiles of results would leave room for fewer stages: they go in parts, of which some are past the end.
func.func @in_parts(%a: memref<?x?xf16> {tile.shape = "MxK%8"}, %b: memref<?x?xf16> {tile.shape = "NxK%8"},
                    %c: memref<?x?xf16> {tile.shape = "MxN%8", tile.result})
    attributes {tile.reference = @reference, tile.atol = 1.0e-2, tile.rtol = 1.0e-2,
                tile.cases = ["M=128 N=192 K=64", "M=200 N=392 K=136", "M=136 N=960 K=328"]} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %m = memref.dim %a, %zero : memref<?x?xf16>
  %n = memref.dim %b, %zero : memref<?x?xf16>
  %k = memref.dim %a, %one : memref<?x?xf16>
  %rows = affine.apply affine_map<()[s] -> (s ceildiv 128)>()[%m]
  %columns = affine.apply affine_map<()[s] -> (s ceildiv 192)>()[%n]
  %steps = affine.apply affine_map<()[s] -> (s ceildiv 64)>()[%k]
  tile.kernel (%p) in (2) threads(128) {
    %as = tile.alloc : memref<128x64xf16, #tile.shared>
    %bs = tile.alloc : memref<192x64xf16, #tile.shared>
    %cs = tile.alloc : memref<128x192xf16, #tile.shared>
    %sum = tile.alloc : memref<128x192xf32, #tile.fragment>
    tile.persistent (%y, %x) in (%rows, %columns) {
      tile.fill %sum, 0.0
      tile.pipelined %i = 0 to %steps stages(4) {
        tile.copy %a[%y * 128, %i * 64], %as : memref<?x?xf16>, memref<128x64xf16, #tile.shared>
        tile.copy %b[%x * 192, %i * 64], %bs : memref<?x?xf16>, memref<192x64xf16, #tile.shared>
        tile.gemm %as, %bs, %sum {transpose_b}
      }
      tile.copy %sum, %cs : memref<128x192xf32, #tile.fragment>, memref<128x192xf16, #tile.shared>
      tile.copy %cs, %c[%y * 128, %x * 192] prefer(tma) : memref<128x192xf16, #tile.shared>, memref<?x?xf16>
    }
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

// Without a tile of the results, and with as many iterations as an argument says: the first 64 T columns are multiplied.
func.func @some_steps(%t: index {tile.shape = "T"}, %a: memref<160x320xbf16>, %b: memref<320x192xbf16>,
                      %c: memref<160x192xf32> {tile.result})
    attributes {tile.reference = @reference_some, tile.atol = 1.0e-2, tile.rtol = 1.0e-2,
                tile.cases = ["T=0", "T=1", "T=2", "T=3", "T=4", "T=5"]} {
  tile.kernel (%p) in (2) threads(128) {
    %as = tile.alloc : memref<64x64xbf16, #tile.shared>
    %bs = tile.alloc : memref<64x64xbf16, #tile.shared>
    %sum = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.persistent (%y, %x) in (3, 3) {
      tile.fill %sum, 1.0
      tile.pipelined %i = 0 to %t stages(4) {
        tile.copy %a[%y * 64, %i * 64], %as : memref<160x320xbf16>, memref<64x64xbf16, #tile.shared>
        tile.copy %b[%i * 64, %x * 64], %bs : memref<320x192xbf16>, memref<64x64xbf16, #tile.shared>
        tile.gemm %as, %bs, %sum
      }
      tile.parallel (%i, %j) in (64, 64) {
        %v = memref.load %sum[%i, %j] : memref<64x64xf32, #tile.fragment>
        %w = arith.addf %v, %v : f32
        memref.store %w, %sum[%i, %j] : memref<64x64xf32, #tile.fragment>
      }
      tile.copy %sum, %c[%y * 64, %x * 64] : memref<64x64xf32, #tile.fragment>, memref<160x192xf32>
    }
  }
  return
}

func.func @reference_some(%t: index, %a: memref<160x320xbf16>, %b: memref<320x192xbf16>, %c: memref<160x192xf32>) {
  affine.for %i = 0 to 160 {
    affine.for %j = 0 to 192 {
      %begin = arith.constant 1.0 : f32
      %s = affine.for %l = 0 to affine_map<(t) -> (t * 64)>(%t) iter_args(%acc = %begin) -> f32 {
        %x = affine.load %a[%i, %l] : memref<160x320xbf16>
        %y = affine.load %b[%l, %j] : memref<320x192xbf16>
        %xf = arith.extf %x : bf16 to f32
        %yf = arith.extf %y : bf16 to f32
        %p = arith.mulf %xf, %yf : f32
        %next = arith.addf %acc, %p : f32
        affine.yield %next : f32
      }
      %r = arith.addf %s, %s : f32
      affine.store %r, %c[%i, %j] : memref<160x192xf32>
    }
  }
  return
}

// Half of a tile that threads read is added to the cleared sums before the products, the other half behind them.
func.func @residual(%a: memref<?x136xf16> {tile.shape = "Mx136"}, %b: memref<136x128xf16>,
                    %r: memref<?x128xf32> {tile.shape = "Mx128"}, %c: memref<?x128xf32> {tile.shape = "Mx128", tile.result})
    attributes {tile.reference = @reference_residual, tile.atol = 1.0e-2, tile.rtol = 1.0e-2, tile.cases = ["M=64", "M=200"]} {
  %zero = arith.constant 0 : index
  %half = arith.constant 0.5 : f32
  %m = memref.dim %a, %zero : memref<?x136xf16>
  %rows = affine.apply affine_map<()[s] -> (s ceildiv 64)>()[%m]
  tile.kernel (%p) in (1) threads(128) {
    %as = tile.alloc : memref<64x64xf16, #tile.shared>
    %bs = tile.alloc : memref<64x64xf16, #tile.shared>
    %rs = tile.alloc : memref<64x64xf32, #tile.shared>
    %sum = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.persistent (%y, %x) in (%rows, 2) {
      tile.copy %r[%y * 64, %x * 64], %rs : memref<?x128xf32>, memref<64x64xf32, #tile.shared>
      tile.fill %sum, 0.0
      tile.parallel (%i, %j) in (64, 64) do %sum[%i, %j] = %sum[%i, %j] + %rs[%i, %j] * %half
      tile.pipelined %i = 0 to 3 stages(3) {
        tile.copy %a[%y * 64, %i * 64], %as : memref<?x136xf16>, memref<64x64xf16, #tile.shared>
        tile.copy %b[%i * 64, %x * 64], %bs : memref<136x128xf16>, memref<64x64xf16, #tile.shared>
        tile.gemm %as, %bs, %sum
      }
      tile.parallel (%i, %j) in (64, 64) do %sum[%i, %j] = %sum[%i, %j] + %rs[%i, %j] * %half
      tile.copy %sum, %c[%y * 64, %x * 64] : memref<64x64xf32, #tile.fragment>, memref<?x128xf32>
    }
  }
  return
}

func.func @reference_residual(%a: memref<?x136xf16>, %b: memref<136x128xf16>, %r: memref<?x128xf32>, %c: memref<?x128xf32>) {
  %zero = arith.constant 0 : index
  %m = memref.dim %a, %zero : memref<?x136xf16>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to 128 {
      %begin = affine.load %r[%i, %j] : memref<?x128xf32>
      %s = affine.for %l = 0 to 136 iter_args(%acc = %begin) -> f32 {
        %x = affine.load %a[%i, %l] : memref<?x136xf16>
        %y = affine.load %b[%l, %j] : memref<136x128xf16>
        %xf = arith.extf %x : f16 to f32
        %yf = arith.extf %y : f16 to f32
        %p = arith.mulf %xf, %yf : f32
        %next = arith.addf %acc, %p : f32
        affine.yield %next : f32
      }
      affine.store %s, %c[%i, %j] : memref<?x128xf32>
    }
  }
  return
}
