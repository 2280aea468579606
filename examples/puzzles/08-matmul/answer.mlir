// Puzzle 8: matrix times vector, and matrix times matrix.

!matrix = memref<?x?xf16>
!vector = memref<?xf16>
!c_tile = memref<128x128xf32, #tile.fragment>

func.func @gemv(
    %a: !matrix {tile.shape = "MxK"}, %b: !vector {tile.shape = "K"}, %c: !vector {tile.shape = "M", tile.result})
    attributes {tile.reference = @gemv_reference, tile.atol = 6.0e-3, tile.rtol = 1.953125e-3,
                tile.cases = ["M=4096 K=4096", "M=1000 K=1001", "M=130 K=33", "M=127 K=7", "M=1 K=1", "M=5 K=0"]} {
  tile.kernel (%block) in (ceildiv(dim(%a, 0), 128)) threads(128) {
    %as = tile.alloc : memref<128x32xf16, #tile.shared>
    %bs = tile.alloc : memref<32xf16, #tile.shared>
    %p = tile.alloc : memref<128x32xf32, #tile.fragment>
    %sum = tile.alloc : memref<128xf32, #tile.fragment>
    tile.fill %sum, 0.0
    tile.pipelined %s = 0 to ceildiv(dim(%a, 1), 32) stages(3) {
      tile.copy %a[%block * 128, %s * 32], %as
      tile.copy %b[%s * 32], %bs
      tile.parallel (%i, %j) in (128, 32) do %p[%i, %j] = f32(%as[%i, %j]) * f32(%bs[%j])
      tile.reduce sum %p, %sum dim(1) {combine}
    }
    tile.copy %sum, %c[%block * 128]
  }
  return
}

func.func @matmul_naive(
    %a: !matrix {tile.shape = "MxK"}, %b: !matrix {tile.shape = "KxN"}, %c: !matrix {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @matmul_reference, tile.atol = 6.0e-3, tile.rtol = 1.953125e-3,
                tile.cases = ["M=256 N=384 K=512", "M=130 N=65 K=33", "M=257 N=127 K=7", "M=1 N=1 K=1",
                              "M=5 N=300 K=0"]} {
  tile.kernel (%bx, %by) in (ceildiv(dim(%b, 1), 128), ceildiv(dim(%a, 0), 128)) threads(128) {
    %at = tile.alloc : memref<128x32xf16, #tile.fragment>
    %bt = tile.alloc : memref<32x128xf16, #tile.fragment>
    %acc = tile.alloc : !c_tile
    tile.fill %acc, 0.0
    tile.pipelined %s = 0 to ceildiv(dim(%a, 1), 32) {
      tile.copy %a[%by * 128, %s * 32], %at
      tile.copy %b[%s * 32, %bx * 128], %bt
      tile.gemm %at, %bt, %acc
    }
    tile.copy %acc, %c[%by * 128, %bx * 128]
  }
  return
}

func.func @matmul(
    %a: !matrix {tile.shape = "MxK"}, %b: !matrix {tile.shape = "KxN"}, %c: !matrix {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @matmul_reference, tile.atol = 6.0e-3, tile.rtol = 1.953125e-3,
                tile.cases = ["M=256 N=384 K=512", "M=128 N=128 K=96", "M=130 N=65 K=33", "M=257 N=127 K=7",
                              "M=1 N=1 K=1", "M=5 N=300 K=0"]} {
  tile.kernel (%bx, %by) in (ceildiv(dim(%b, 1), 128), ceildiv(dim(%a, 0), 128)) threads(128) {
    %as = tile.alloc : memref<128x32xf16, #tile.shared>
    %bs = tile.alloc : memref<32x128xf16, #tile.shared>
    %acc = tile.alloc : !c_tile
    tile.fill %acc, 0.0
    tile.pipelined %s = 0 to ceildiv(dim(%a, 1), 32) stages(3) {
      tile.copy %a[%by * 128, %s * 32], %as
      tile.copy %b[%s * 32, %bx * 128], %bs
      tile.gemm %as, %bs, %acc
    }
    tile.copy %acc, %c[%by * 128, %bx * 128]
  }
  return
}
