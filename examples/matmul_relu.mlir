// Matrix product with an epilogue, C = max(0, A · B): f16 in, f32 accumulation, f16 out.
//
// Shows the anatomy of a GEMM: operands staged in shared memory, an accumulator in registers, a pipelined loop over K,
// an epilogue on the accumulator, and the conversion to f16 in the last copy. Tails need no code: a tile that exceeds a
// matrix reads zeros there, which add nothing to the accumulator. The parameters are what a chip decides: a tile of 128 x 256
// is what `wgmma` needs to run at full speed, and too large for the registers of others.
//
//   tile-run examples/matmul_relu.mlir
//   tile-run examples/matmul_relu.mlir M=300 N=200 K=100

!matrix = memref<?x?xf16>
tile.param @rows = 128 in [64, 128, 256]
tile.param @columns = 128 in [64, 128, 256] on(wgmma = 256)
tile.param @depth = 32 in [32, 64] on(wgmma = 64)
tile.param @threads = 128 in [128, 256] on(wgmma = 256)

func.func @matmul_relu(
    %a: !matrix {tile.shape = "MxK"}, %b: !matrix {tile.shape = "KxN"}, %c: !matrix {tile.shape = "MxN", tile.result})
    attributes {
      tile.reference = @matmul_relu_reference,
      // The loop over K has 16, 3, 2, 1 and 0 iterations; it has 3 stages.
      tile.cases = ["M=256 N=384 K=512", "M=128 N=128 K=96", "M=130 N=65 K=33", "M=257 N=127 K=7", "M=1 N=1 K=1",
                    "M=5 N=300 K=0"],
      // 2 ulp of f16, and 1e-3 of the spread of a sum of 33 products.
      tile.atol = 6.0e-3, tile.rtol = 1.953125e-3} {
  tile.kernel (%bx, %by) in (ceildiv(dim(%b, 1), @columns), ceildiv(dim(%a, 0), @rows)) threads(@threads) {
    %as = tile.alloc(@rows, @depth) : memref<?x?xf16, #tile.shared>
    %bs = tile.alloc(@depth, @columns) : memref<?x?xf16, #tile.shared>
    %acc = tile.alloc(@rows, @columns) : memref<?x?xf32, #tile.fragment>
    tile.fill %acc, 0.0
    tile.pipelined %s = 0 to ceildiv(dim(%a, 1), @depth) stages(3) {
      tile.copy %a[%by * @rows, %s * @depth], %as
      tile.copy %b[%s * @depth, %bx * @columns], %bs
      tile.gemm %as, %bs, %acc
    }
    tile.parallel (%i, %j) in (@rows, @columns) do %acc[%i, %j] = max(%acc[%i, %j], 0.0)
    tile.copy %acc, %c[%by * @rows, %bx * @columns]
  }
  return
}

func.func @matmul_relu_reference(%a: !matrix, %b: !matrix, %c: !matrix) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %m = memref.dim %a, %c0 : !matrix
  %n = memref.dim %b, %c1 : !matrix
  %k = memref.dim %a, %c1 : !matrix
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %sum = affine.for %l = 0 to %k iter_args(%acc = %zero) -> f64 {
        %x = affine.load %a[%i, %l] : !matrix
        %y = affine.load %b[%l, %j] : !matrix
        %xd = arith.extf %x : f16 to f64
        %yd = arith.extf %y : f16 to f64
        %p = arith.mulf %xd, %yd : f64
        %next = arith.addf %acc, %p : f64
        affine.yield %next : f64
      }
      %relu = arith.maximumf %sum, %zero : f64
      %r = arith.truncf %relu : f64 to f16
      affine.store %r, %c[%i, %j] : !matrix
    }
  }
  return
}
