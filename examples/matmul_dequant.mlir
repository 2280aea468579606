// Matrix product with quantised weights, C = A · Wᵀ: A is f16, W is stored as signed 4-bit integers with one f32 scale for
// every 128 codes of a row. W[n, k] = code[n, k] · scale[k / 128, n], where the byte q[n, p] holds the code of column 2p in its
// low half and that of column 2p + 1 in its high half.
//
// Shows a view of packed codes, their conversion by a copy, and a split of K with a workspace: the weights are the rows of the
// product, so that few activations are a narrow tile, and each block adds up a part of K. The scales of 128 codes multiply
// the sum of their products, once.
//
//   tile-run examples/matmul_dequant.mlir
//   tile-run examples/matmul_dequant.mlir M=64 N=100 K=200

!matrix = memref<?x?xf16>
!packed = memref<?x?xi8>
!scales = memref<?x?xf32>
!tile = memref<64x?xf32, #tile.fragment>
tile.param @columns = 16 in [8, 16, 32, 64, 128]
tile.param @split = 8 in [1, 2, 4, 8]

func.func @matmul_dequant(
    %a: !matrix {tile.shape = "MxK"}, %q: !packed {tile.shape = "Nxceildiv(K, 2)", tile.init = "integers(-128,127)"},
    %scales: !scales {tile.shape = "ceildiv(K, 128)xN", tile.init = "uniform(0.0,0.25)"},
    %c: !matrix {tile.shape = "MxN", tile.result})
    attributes {
      tile.reference = @matmul_dequant_reference,
      tile.cases = ["M=192 N=256 K=1024", "M=16 N=128 K=128", "M=130 N=66 K=133", "M=17 N=130 K=7", "M=1 N=2 K=1",
                    "M=5 N=70 K=0"],
      // 2 ulp of f16, and 1e-3 of the spread of a sum of 133 products.
      tile.atol = 5.0e-3, tile.rtol = 1.953125e-3} {
  %split = tile.get_param @split
  %parts = tile.alloc(%split, dim(%c, 0), dim(%c, 1)) : memref<?x?x?xf32>
  tile.kernel (%y, %x, %z) in (ceildiv(dim(%a, 0), @columns), ceildiv(dim(%q, 0), 64), %split) threads(128) {
    %as = tile.alloc(@columns) : memref<?x128xf16, #tile.shared>
    %qs = tile.alloc : memref<64x64xi8, #tile.shared>
    %ss = tile.alloc : memref<64xf32, #tile.shared>
    %ws = tile.alloc : memref<64x128xf16, #tile.fragment>
    %part = tile.alloc(@columns) : !tile
    %sum = tile.alloc(@columns) : !tile
    tile.fill %sum, 0.0
    tile.pipelined %s = %z * ceildiv(dim(%scales, 0), @split)
        to min((%z + 1) * ceildiv(dim(%scales, 0), @split), dim(%scales, 0)) stages(4) {
      tile.copy %a[%y * @columns, %s * 128], %as
      tile.copy %q[%x * 64, %s * 64], %qs
      tile.copy %scales[%s, %x * 64], %ss
      %codes = tile.view %qs : memref<64x64xi8, #tile.shared> to memref<64x128xi4, #tile.shared>
      tile.copy %codes, %ws
      tile.gemm %ws, %as, %part {clear, transpose_b}
      tile.parallel (%i, %j) in (64, @columns) do fastmath<contract> %sum[%i, %j] = %part[%i, %j] * %ss[%i] + %sum[%i, %j]
    }
    tile.parallel (%i, %j) in (64, @columns) do %parts[%z, %y * @columns + %j, %x * 64 + %i] = %sum[%i, %j]
  }
  tile.kernel (%x, %y) in (ceildiv(dim(%c, 1), 512), dim(%c, 0)) threads(128) {
    %all = tile.alloc(@split) : memref<?x1x512xf32, #tile.fragment>
    %sum = tile.alloc : memref<1x512xf32, #tile.fragment>
    tile.copy %parts[0, %y, %x * 512], %all
    tile.reduce sum %all, %sum dim(0)
    tile.copy %sum, %c[%y, %x * 512]
  }
  return
}

func.func @matmul_dequant_reference(%a: !matrix, %q: !packed, %scales: !scales, %c: !matrix) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f64
  %four = arith.constant 4 : i8
  %m = memref.dim %a, %c0 : !matrix
  %k = memref.dim %a, %c1 : !matrix
  %n = memref.dim %c, %c1 : !matrix
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %sum = affine.for %l = 0 to %k iter_args(%acc = %zero) -> f64 {
        %byte = affine.load %q[%j, %l floordiv 2] : !packed
        %rest = arith.remui %l, %c2 : index
        %odd = arith.index_cast %rest : index to i1
        %raised = arith.shli %byte, %four : i8
        %chosen = arith.select %odd, %byte, %raised : i8
        %code = arith.shrsi %chosen, %four : i8
        %value = arith.sitofp %code : i8 to f64
        %scale = affine.load %scales[%l floordiv 128, %j] : !scales
        %scaled = arith.extf %scale : f32 to f64
        %weight = arith.mulf %value, %scaled : f64
        %x = affine.load %a[%i, %l] : !matrix
        %xd = arith.extf %x : f16 to f64
        %p = arith.mulf %xd, %weight : f64
        %next = arith.addf %acc, %p : f64
        affine.yield %next : f64
      }
      %r = arith.truncf %sum : f64 to f16
      affine.store %r, %c[%i, %j] : !matrix
    }
  }
  return
}
