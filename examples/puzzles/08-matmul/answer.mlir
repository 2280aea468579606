// Puzzle 8: matrix times vector, and matrix times matrix.

!matrix = memref<?x?xf16>
!vector = memref<?xf16>
!gemv_tile = memref<128x32xf16, #tile.shared>
!gemv_part = memref<32xf16, #tile.shared>
!products = memref<128x32xf32, #tile.fragment>
!column = memref<128xf32, #tile.fragment>
!a_registers = memref<128x32xf16, #tile.fragment>
!b_registers = memref<32x128xf16, #tile.fragment>
!a_tile = memref<128x32xf16, #tile.shared>
!b_tile = memref<32x128xf16, #tile.shared>
!c_tile = memref<128x128xf32, #tile.fragment>

func.func @gemv(
    %a: !matrix {tile.shape = "MxK"}, %b: !vector {tile.shape = "K"}, %c: !vector {tile.shape = "M", tile.result})
    attributes {tile.reference = @gemv_reference, tile.atol = 6.0e-3, tile.rtol = 1.953125e-3,
                tile.cases = ["M=4096 K=4096", "M=1000 K=1001", "M=130 K=33", "M=127 K=7", "M=1 K=1", "M=5 K=0"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %a, %c0 : !matrix
  %k = memref.dim %a, %c1 : !matrix
  %blocks = arith.ceildivui %m, %c128 : index
  %steps = arith.ceildivui %k, %c32 : index
  tile.kernel (%block) in (%blocks) threads(128) {
    %as = tile.alloc : !gemv_tile
    %bs = tile.alloc : !gemv_part
    %p = tile.alloc : !products
    %sum = tile.alloc : !column
    tile.fill %sum, %zero : !column
    tile.pipelined %s = 0 to %steps stages(3) {
      tile.copy %a[%block * 128, %s * 32], %as : !matrix, !gemv_tile
      tile.copy %b[%s * 32], %bs : !vector, !gemv_part
      tile.parallel (%i, %j) in (128, 32) {
        %x = memref.load %as[%i, %j] : !gemv_tile
        %y = memref.load %bs[%j] : !gemv_part
        %xf = arith.extf %x : f16 to f32
        %yf = arith.extf %y : f16 to f32
        %xy = arith.mulf %xf, %yf : f32
        memref.store %xy, %p[%i, %j] : !products
      }
      tile.reduce sum %p, %sum dim(1) {combine} : !products, !column
    }
    tile.copy %sum, %c[%block * 128] : !column, !vector
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
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %a, %c0 : !matrix
  %n = memref.dim %b, %c1 : !matrix
  %k = memref.dim %a, %c1 : !matrix
  %rows = arith.ceildivui %m, %c128 : index
  %cols = arith.ceildivui %n, %c128 : index
  %steps = arith.ceildivui %k, %c32 : index
  tile.kernel (%bx, %by) in (%cols, %rows) threads(128) {
    %at = tile.alloc : !a_registers
    %bt = tile.alloc : !b_registers
    %acc = tile.alloc : !c_tile
    tile.fill %acc, %zero : !c_tile
    scf.for %s = %c0 to %steps step %c1 {
      tile.copy %a[%by * 128, %s * 32], %at : !matrix, !a_registers
      tile.copy %b[%s * 32, %bx * 128], %bt : !matrix, !b_registers
      tile.gemm %at, %bt, %acc : !a_registers, !b_registers, !c_tile
    }
    tile.copy %acc, %c[%by * 128, %bx * 128] : !c_tile, !matrix
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
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %a, %c0 : !matrix
  %n = memref.dim %b, %c1 : !matrix
  %k = memref.dim %a, %c1 : !matrix
  %rows = arith.ceildivui %m, %c128 : index
  %cols = arith.ceildivui %n, %c128 : index
  %steps = arith.ceildivui %k, %c32 : index
  tile.kernel (%bx, %by) in (%cols, %rows) threads(128) {
    %as = tile.alloc : !a_tile
    %bs = tile.alloc : !b_tile
    %acc = tile.alloc : !c_tile
    tile.fill %acc, %zero : !c_tile
    tile.pipelined %s = 0 to %steps stages(3) {
      tile.copy %a[%by * 128, %s * 32], %as : !matrix, !a_tile
      tile.copy %b[%s * 32, %bx * 128], %bs : !matrix, !b_tile
      tile.gemm %as, %bs, %acc : !a_tile, !b_tile, !c_tile
    }
    tile.copy %acc, %c[%by * 128, %bx * 128] : !c_tile, !matrix
  }
  return
}
