// C = A · Wᵀ with weights of 4 bits, two to a byte along K, and one f32 scale for 128 of a row: what the tuner may choose where
// weights are converted on their way. The weights are the rows of the product; blocks share K, a second kernel adds up.
//
//   tile-tune benchmarks/tuning/dequant.mlir --chip=sm_90a --case="M=16 N=7168 K=16384 P=8192 G=128 Z=8"

tile.param @columns = 16 in [8, 16, 32, 64]
tile.param @threads = 128 in [64, 128]
tile.param @stages = 4 in [2, 3, 4, 6]

!matrix = memref<?x?xbf16>
!parts = memref<?x?x?xf32>
!acc = memref<64x?xf32, #tile.fragment>

func.func @dequant(%a: !matrix {tile.shape = "MxK%128", tile.align = 16},
                   %q: memref<?x?xi8> {tile.shape = "N%8xP%64", tile.align = 16, tile.init = "integers(-128,127)"},
                   %scales: memref<?x?xf32> {tile.shape = "GxN%8", tile.align = 16, tile.init = "uniform(0.0,0.125)"},
                   %parts: !parts {tile.shape = "ZxMxN%8", tile.align = 16}, %c: !matrix {tile.shape = "MxN%8", tile.align = 16, tile.result})
    attributes {tile.cases = ["M=16 N=256 K=1024 P=512 G=8 Z=2", "M=3 N=136 K=512 P=256 G=4 Z=4"],
                tile.reference = @dequant_reference,
                // 2 ulp of bf16, and the sum of some 1000 products of numbers of size 1.
                tile.atol = 5.0e-2, tile.rtol = 7.8125e-3} {
  %c0 = arith.constant 0 : index
  %g = memref.dim %scales, %c0 : memref<?x?xf32>
  %splits = memref.dim %parts, %c0 : !parts
  %threads = tile.get_param @threads
  tile.require @columns <= %threads, "an accumulator has more than 64 registers in a thread"
  tile.kernel (%y, %x, %z) in (ceildiv(dim(%a, 0), @columns), ceildiv(dim(%q, 0), 64), dim(%parts, 0)) threads(@threads) {
    %steps = affine.apply affine_map<()[g, z] -> (g ceildiv z)>()[%g, %splits]
    %as = tile.alloc(@columns) : memref<?x128xbf16, #tile.shared>
    %qs = tile.alloc : memref<64x64xi8, #tile.shared>
    %ss = tile.alloc : memref<64xf32, #tile.shared>
    %w = tile.alloc : memref<64x128xbf16, #tile.fragment>
    %part = tile.alloc(@columns) : !acc
    %sum = tile.alloc(@columns) : !acc
    tile.fill %sum, 0.0
    tile.pipelined %t = 0 to %steps stages(@stages) {
      tile.copy %a[%y * @columns, (%t + %z * %steps) * 128], %as
      tile.copy %q[%x * 64, (%t + %z * %steps) * 64], %qs
      tile.copy %scales[%t + %z * %steps, %x * 64], %ss
      %codes = tile.view %qs : memref<64x64xi8, #tile.shared> to memref<64x128xi4, #tile.shared>
      tile.copy %codes, %w
      tile.gemm %w, %as, %part prefer(mma) {clear, transpose_b}
      tile.parallel (%i, %j) in (64, @columns) do %sum[%i, %j] = fma(%part[%i, %j], %ss[%i], %sum[%i, %j])
    }
    tile.parallel (%i, %j) in (64, @columns) do %parts[%z, %y * @columns + %j, %x * 64 + %i] = %sum[%i, %j]
  }
  tile.kernel (%x, %y) in (ceildiv(dim(%c, 1), 1024), dim(%c, 0)) threads(128) {
    %sum = tile.alloc : memref<1024xf32, #tile.fragment>
    %next = tile.alloc : memref<1024xf32, #tile.fragment>
    tile.fill %sum, 0.0
    tile.pipelined %z = 0 to dim(%parts, 0) {
      tile.copy %parts[%z, %y, %x * 1024], %next
      tile.parallel (%j) in (1024) do %sum[%j] = %sum[%j] + %next[%j]
    }
    tile.copy %sum, %c[%y, %x * 1024]
  }
  return
}

func.func @dequant_reference(%a: !matrix, %q: memref<?x?xi8>, %scales: memref<?x?xf32>, %parts: !parts, %c: !matrix) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : i8
  %zero = arith.constant 0.0 : f64
  %m = memref.dim %a, %c0 : !matrix
  %k = memref.dim %a, %c1 : !matrix
  %n = memref.dim %c, %c1 : !matrix
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %sum = affine.for %l = 0 to %k iter_args(%acc = %zero) -> f64 {
        %byte = affine.load %q[%j, %l floordiv 2] : memref<?x?xi8>
        %odd = affine.apply affine_map<(l) -> (l mod 2)>(%l)
        %low = arith.cmpi eq, %odd, %c0 : index
        %up = arith.shli %byte, %c4 : i8
        %half = arith.select %low, %up, %byte : i8
        %code = arith.shrsi %half, %c4 : i8
        %w = arith.sitofp %code : i8 to f64
        %s = affine.load %scales[%l floordiv 128, %j] : memref<?x?xf32>
        %sd = arith.extf %s : f32 to f64
        %x = affine.load %a[%i, %l] : !matrix
        %xd = arith.extf %x : bf16 to f64
        %ws = arith.mulf %w, %sd : f64
        %p = arith.mulf %xd, %ws : f64
        %next = arith.addf %acc, %p : f64
        affine.yield %next : f64
      }
      %r = arith.truncf %sum : f64 to bf16
      affine.store %r, %c[%i, %j] : !matrix
    }
  }
  return
}
