// Puzzle 10: a matrix product whose weights are packed two to a byte.

!matrix = memref<?x?xf16>
!packed = memref<?x?xi8>

func.func @dequant_matmul(
    %a: !matrix {tile.shape = "MxK"}, %b: !packed {tile.shape = "KxP", tile.init = "integers(-128,127)"},
    %c: !matrix {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @dequant_matmul_reference, tile.atol = 3.5e-2, tile.rtol = 1.953125e-3,
                tile.cases = ["M=192 N=256 P=128 K=512", "M=130 N=66 P=33 K=65", "M=257 N=130 P=65 K=7",
                              "M=1 N=2 P=1 K=1", "M=5 N=70 P=35 K=0"]} {
  tile.kernel (%bx, %by) in (ceildiv(dim(%c, 1), 128), ceildiv(dim(%a, 0), 128)) threads(128) {
    %as = tile.alloc : memref<128x64xf16, #tile.shared>
    %bs = tile.alloc : memref<64x64xi8, #tile.shared>
    %ws = tile.alloc : memref<64x128xf16, #tile.shared>
    %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
    tile.fill %acc, 0.0
    tile.pipelined %s = 0 to ceildiv(dim(%a, 1), 64) stages(2) {
      tile.copy %a[%by * 128, %s * 64], %as
      tile.copy %b[%s * 64, %bx * 64], %bs
      tile.parallel (%i, %j) in (64, 64) do {
        %byte = %bs[%i, %j]
        %ws[%i, %j * 2] = f16(and(%byte, 15)) - 8.0
        %ws[%i, %j * 2 + 1] = f16(ushr(%byte, 4)) - 8.0
      }
      tile.gemm %as, %ws, %acc
    }
    tile.copy %acc, %c[%by * 128, %bx * 128]
  }
  return
}
