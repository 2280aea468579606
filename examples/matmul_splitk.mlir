// Split-K matrix product, C = A · B with f16 operands and an f32 result: four blocks accumulate each tile of C.
//
// Shows two kernels in one function (they run one after another), a loop whose bounds depend on the block, and the
// atomic update of a whole tile. Split-K pays off if M and N are too small to fill the chip and K is long.
//
//   tile-run examples/matmul_splitk.mlir
//   tile-run examples/matmul_splitk.mlir M=64 N=64 K=3000

!matrix = memref<?x?xf16>
!result = memref<?x?xf32>
tile.param @rows = 64 in [64, 128] on(wgmma = 128)
tile.param @columns = 64 in [64, 128]
tile.param @depth = 32 in [32, 64] on(wgmma = 64)
tile.param @split = 4 in [1, 2, 4, 8, 16]

func.func @matmul_splitk(
    %a: !matrix {tile.shape = "MxK"}, %b: !matrix {tile.shape = "KxN"}, %c: !result {tile.shape = "MxN", tile.result})
    attributes {
      tile.reference = @matmul_splitk_reference,
      // 128, 4, 2, 1 and 0 steps over K, shared by 4 blocks: some of them get none.
      tile.cases = ["M=128 N=192 K=4096", "M=64 N=64 K=128", "M=130 N=65 K=33", "M=65 N=127 K=7", "M=1 N=1 K=1",
                    "M=5 N=70 K=0"],
      // Twice 2^-24 · K, K = 4096: K roundings of a sum of size sqrt(K), in any order. The products are exact in f32.
      tile.atol = 5.0e-4, tile.rtol = 1.0e-6} {
  %split = tile.get_param @split
  tile.kernel (%bx, %by) in (ceildiv(dim(%b, 1), @columns), ceildiv(dim(%a, 0), @rows)) threads(128) {
    %acc = tile.alloc(@rows, @columns) : memref<?x?xf32, #tile.fragment>
    tile.fill %acc, 0.0
    tile.copy %acc, %c[%by * @rows, %bx * @columns]
  }
  tile.kernel (%bx, %by, %bz) in (ceildiv(dim(%b, 1), @columns), ceildiv(dim(%a, 0), @rows), %split) threads(128) {
    %as = tile.alloc(@rows, @depth) : memref<?x?xf16, #tile.shared>
    %bs = tile.alloc(@depth, @columns) : memref<?x?xf16, #tile.shared>
    %acc = tile.alloc(@rows, @columns) : memref<?x?xf32, #tile.fragment>
    tile.fill %acc, 0.0
    // Each block along z takes its share of the steps, rounded up.
    tile.pipelined %s = %bz * ceildiv(ceildiv(dim(%a, 1), @depth), @split)
        to min((%bz + 1) * ceildiv(ceildiv(dim(%a, 1), @depth), @split), ceildiv(dim(%a, 1), @depth)) stages(4) {
      tile.copy %a[%by * @rows, %s * @depth], %as
      tile.copy %b[%s * @depth, %bx * @columns], %bs
      tile.gemm %as, %bs, %acc
    }
    tile.atomic add %acc, %c[%by * @rows, %bx * @columns]
  }
  return
}

func.func @matmul_splitk_reference(%a: !matrix, %b: !matrix, %c: !result) {
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
      %r = arith.truncf %sum : f64 to f32
      affine.store %r, %c[%i, %j] : !result
    }
  }
  return
}
