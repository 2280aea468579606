// C = A · Bᵀ, bf16 with f32 sums: what the tuner may choose in a product.
//
//   tile-run benchmarks/tuning/gemm.mlir
//   tile-tune benchmarks/tuning/gemm.mlir --chip=sm_90a --case="M=4096 N=4096 K=4096"

tile.param @BM = 128 in [64, 128, 256]
tile.param @BN = 256 in [64, 128, 256]
tile.param @BK = 64 in [32, 64, 128]
tile.param @stages = 3 in [2, 3, 4, 6]
tile.param @threads = 256 in [128, 256]

!matrix = memref<?x?xbf16>

func.func @gemm(%a: !matrix {tile.shape = "MxK%8", tile.align = 16}, %b: !matrix {tile.shape = "N%8xK%8", tile.align = 16},
                %c: !matrix {tile.shape = "MxN%8", tile.align = 16, tile.result})
    attributes {tile.reference = @gemm_reference, tile.cases = ["M=256 N=512 K=192", "M=70 N=136 K=40"],
                // 2 ulp of bf16, and the sum of some 200 products of normal numbers in f32.
                tile.atol = 1.0e-2, tile.rtol = 7.8125e-3} {
  %threads = tile.get_param @threads
  tile.require @BM * @BN <= %threads * 128, "an accumulator has more than 128 registers in a thread"
  tile.require @BM * 2 >= %threads, "a warpgroup has fewer than 64 rows"
  tile.kernel (%x, %y) in (ceildiv(dim(%b, 0), @BN), ceildiv(dim(%a, 0), @BM)) threads(@threads) {
    %as = tile.alloc(@BM, @BK) : memref<?x?xbf16, #tile.shared>
    %bs = tile.alloc(@BN, @BK) : memref<?x?xbf16, #tile.shared>
    %sum = tile.alloc(@BM, @BN) : memref<?x?xf32, #tile.fragment>
    tile.rasterize group(8)
    tile.fill %sum, 0.0
    tile.pipelined %s = 0 to ceildiv(dim(%a, 1), @BK) stages(@stages) {
      tile.copy %a[%y * @BM, %s * @BK], %as
      tile.copy %b[%x * @BN, %s * @BK], %bs
      tile.gemm %as, %bs, %sum {transpose_b}
    }
    tile.copy %sum, %c[%y * @BM, %x * @BN]
  }
  return
}

func.func @gemm_reference(%a: !matrix, %b: !matrix, %c: !matrix) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %m = memref.dim %a, %c0 : !matrix
  %n = memref.dim %b, %c0 : !matrix
  %k = memref.dim %a, %c1 : !matrix
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %sum = affine.for %l = 0 to %k iter_args(%acc = %zero) -> f64 {
        %x = affine.load %a[%i, %l] : !matrix
        %y = affine.load %b[%j, %l] : !matrix
        %xd = arith.extf %x : bf16 to f64
        %yd = arith.extf %y : bf16 to f64
        %p = arith.mulf %xd, %yd : f64
        %next = arith.addf %acc, %p : f64
        affine.yield %next : f64
      }
      %r = arith.truncf %sum : f64 to bf16
      affine.store %r, %c[%i, %j] : !matrix
    }
  }
  return
}
