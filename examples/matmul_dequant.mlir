// Matrix product with quantised weights, C = A · W: A is f16, W is stored as 4-bit integers with one f16 scale for
// every 64 rows of a column. W[k, n] = f16((code[k, n] - 8) · scale[k / 64, n]), where the byte q[k, p] holds the code
// of column 2p in its low half and that of column 2p + 1 in its high half.
//
// Shows dequantisation as ordinary scalar code between the copies and the gemm. The weights are packed in global memory.
//
//   tile-run examples/matmul_dequant.mlir
//   tile-run examples/matmul_dequant.mlir M=64 N=100 P=50 K=200 G=4      with P = N / 2 and G = ceil(K / 64)

!matrix = memref<?x?xf16>
!packed = memref<?x?xi8>

func.func @matmul_dequant(
    %a: !matrix {tile.shape = "MxK"}, %q: !packed {tile.shape = "KxP", tile.init = "integers(-128,127)"},
    %scales: !matrix {tile.shape = "GxN", tile.init = "uniform(0.0,0.25)"},
    %c: !matrix {tile.shape = "MxN", tile.result})
    attributes {
      tile.reference = @matmul_dequant_reference,
      tile.cases = ["M=192 N=256 P=128 K=512 G=8", "M=128 N=128 P=64 K=64 G=1", "M=130 N=66 P=33 K=65 G=2",
                    "M=257 N=130 P=65 K=7 G=1", "M=1 N=2 P=1 K=1 G=1", "M=5 N=70 P=35 K=0 G=0"],
      // 2 ulp of f16, and 1e-3 of the spread of a sum of 65 products.
      tile.atol = 5.0e-3, tile.rtol = 1.953125e-3} {
  tile.kernel (%bx, %by) in (ceildiv(dim(%c, 1), 128), ceildiv(dim(%a, 0), 128)) threads(128) {
    %as = tile.alloc : memref<128x64xf16, #tile.shared>
    %qs = tile.alloc : memref<64x64xi8, #tile.shared>
    %ss = tile.alloc : memref<128xf16, #tile.shared>
    %ws = tile.alloc : memref<64x128xf16, #tile.shared>
    %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
    tile.fill %acc, 0.0
    tile.pipelined %s = 0 to ceildiv(dim(%a, 1), 64) stages(2) {
      tile.copy %a[%by * 128, %s * 64], %as
      tile.copy %q[%s * 64, %bx * 64], %qs
      tile.copy %scales[%s, %bx * 128], %ss
      tile.parallel (%i, %j) in (64, 64) do {
        %byte = %qs[%i, %j]
        %low = f16(and(%byte, 15) - 8) * %ss[%j * 2]
        %high = f16(ushr(%byte, 4) - 8) * %ss[%j * 2 + 1]
        %ws[%i, %j * 2] = %low
        %ws[%i, %j * 2 + 1] = %high
      }
      tile.gemm %as, %ws, %acc
    }
    tile.copy %acc, %c[%by * 128, %bx * 128]
  }
  return
}

func.func @matmul_dequant_reference(%a: !matrix, %q: !packed, %scales: !matrix, %c: !matrix) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %sixteen = arith.constant 16 : i32
  %eight = arith.constant 8 : i32
  %m = memref.dim %a, %c0 : !matrix
  %k = memref.dim %a, %c1 : !matrix
  %n = memref.dim %c, %c1 : !matrix
  // The weights first, rounded to f16 as the format says, then the product.
  %w = memref.alloc(%k, %n) : !matrix
  affine.for %l = 0 to %k {
    affine.for %j = 0 to %n {
      %byte = affine.load %q[%l, %j floordiv 2] : !packed
      %value = arith.extui %byte : i8 to i32
      %column = arith.index_cast %j : index to i32
      %c2 = arith.constant 2 : i32
      %odd = arith.remui %column, %c2 : i32
      %is_odd = arith.trunci %odd : i32 to i1
      %quotient = arith.divui %value, %sixteen : i32
      %rest = arith.remui %value, %sixteen : i32
      %code = arith.select %is_odd, %quotient, %rest : i32
      %signed = arith.subi %code, %eight : i32
      %x = arith.sitofp %signed : i32 to f64
      %scale = affine.load %scales[%l floordiv 64, %j] : !matrix
      %scaled = arith.extf %scale : f16 to f64
      %product = arith.mulf %x, %scaled : f64
      %weight = arith.truncf %product : f64 to f16
      affine.store %weight, %w[%l, %j] : !matrix
    }
  }
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %sum = affine.for %l = 0 to %k iter_args(%acc = %zero) -> f64 {
        %x = affine.load %a[%i, %l] : !matrix
        %y = affine.load %w[%l, %j] : !matrix
        %xd = arith.extf %x : f16 to f64
        %yd = arith.extf %y : f16 to f64
        %p = arith.mulf %xd, %yd : f64
        %next = arith.addf %acc, %p : f64
        affine.yield %next : f64
      }
      %r = arith.truncf %sum : f64 to f16
      affine.store %r, %c[%i, %j] : !matrix
    }
  }
  memref.dealloc %w : !matrix
  return
}
