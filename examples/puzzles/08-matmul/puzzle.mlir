// Puzzle 8: matrix times vector, and matrix times matrix.

!matrix = memref<?x?xf16>
!vector = memref<?xf16>

func.func @gemv(
    %a: !matrix {tile.shape = "MxK"}, %b: !vector {tile.shape = "K"}, %c: !vector {tile.shape = "M", tile.result})
    attributes {tile.reference = @gemv_reference, tile.atol = 6.0e-3, tile.rtol = 1.953125e-3,
                tile.cases = ["M=4096 K=4096", "M=1000 K=1001", "M=130 K=33", "M=127 K=7", "M=1 K=1", "M=5 K=0"]} {
  tile.kernel (%block) in (ceildiv(dim(%a, 0), 128)) threads(128) {
    // your code here
  }
  return
}

func.func @matmul_naive(
    %a: !matrix {tile.shape = "MxK"}, %b: !matrix {tile.shape = "KxN"}, %c: !matrix {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @matmul_reference, tile.atol = 6.0e-3, tile.rtol = 1.953125e-3,
                tile.cases = ["M=256 N=384 K=512", "M=130 N=65 K=33", "M=257 N=127 K=7", "M=1 N=1 K=1",
                              "M=5 N=300 K=0"]} {
  tile.kernel (%bx, %by) in (ceildiv(dim(%b, 1), 128), ceildiv(dim(%a, 0), 128)) threads(128) {
    // your code here
  }
  return
}

func.func @matmul(
    %a: !matrix {tile.shape = "MxK"}, %b: !matrix {tile.shape = "KxN"}, %c: !matrix {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @matmul_reference, tile.atol = 6.0e-3, tile.rtol = 1.953125e-3,
                tile.cases = ["M=256 N=384 K=512", "M=128 N=128 K=96", "M=130 N=65 K=33", "M=257 N=127 K=7",
                              "M=1 N=1 K=1", "M=5 N=300 K=0"]} {
  tile.kernel (%bx, %by) in (ceildiv(dim(%b, 1), 128), ceildiv(dim(%a, 0), 128)) threads(128) {
    // your code here
  }
  return
}
