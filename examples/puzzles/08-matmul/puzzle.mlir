// Puzzle 8: matrix times vector, and matrix times matrix.

!matrix = memref<?x?xf16>
!vector = memref<?xf16>

func.func @gemv(
    %a: !matrix {tile.shape = "MxK"}, %b: !vector {tile.shape = "K"}, %c: !vector {tile.shape = "M", tile.result})
    attributes {tile.reference = @gemv_reference, tile.atol = 6.0e-3, tile.rtol = 1.953125e-3,
                tile.cases = ["M=4096 K=4096", "M=1000 K=1001", "M=130 K=33", "M=127 K=7", "M=1 K=1", "M=5 K=0"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %m = memref.dim %a, %c0 : !matrix
  %k = memref.dim %a, %c1 : !matrix
  %blocks = arith.ceildivui %m, %c128 : index
  %steps = arith.ceildivui %k, %c32 : index
  tile.kernel (%block) in (%blocks) threads(128) {
    // your code here
  }
  return
}

func.func @matmul_naive(
    %a: !matrix {tile.shape = "MxK"}, %b: !matrix {tile.shape = "KxN"}, %c: !matrix {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @matmul_reference, tile.atol = 6.0e-3, tile.rtol = 1.953125e-3,
                tile.cases = ["M=256 N=384 K=512", "M=130 N=65 K=33", "M=257 N=127 K=7", "M=1 N=1 K=1",
                              "M=5 N=300 K=0"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %m = memref.dim %a, %c0 : !matrix
  %n = memref.dim %b, %c1 : !matrix
  %k = memref.dim %a, %c1 : !matrix
  %rows = arith.ceildivui %m, %c128 : index
  %cols = arith.ceildivui %n, %c128 : index
  %steps = arith.ceildivui %k, %c32 : index
  tile.kernel (%bx, %by) in (%cols, %rows) threads(128) {
    // your code here
  }
  return
}

func.func @matmul(
    %a: !matrix {tile.shape = "MxK"}, %b: !matrix {tile.shape = "KxN"}, %c: !matrix {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @matmul_reference, tile.atol = 6.0e-3, tile.rtol = 1.953125e-3,
                tile.cases = ["M=256 N=384 K=512", "M=128 N=128 K=96", "M=130 N=65 K=33", "M=257 N=127 K=7",
                              "M=1 N=1 K=1", "M=5 N=300 K=0"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %m = memref.dim %a, %c0 : !matrix
  %n = memref.dim %b, %c1 : !matrix
  %k = memref.dim %a, %c1 : !matrix
  %rows = arith.ceildivui %m, %c128 : index
  %cols = arith.ceildivui %n, %c128 : index
  %steps = arith.ceildivui %k, %c32 : index
  tile.kernel (%bx, %by) in (%cols, %rows) threads(128) {
    // your code here
  }
  return
}
