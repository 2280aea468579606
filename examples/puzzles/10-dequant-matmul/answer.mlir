// Puzzle 10: a matrix product whose weights are packed two to a byte.

!matrix = memref<?x?xf16>
!packed = memref<?x?xi8>
!a_tile = memref<128x64xf16, #tile.shared>
!packed_tile = memref<64x64xi8, #tile.shared>
!w_tile = memref<64x128xf16, #tile.shared>
!c_tile = memref<128x128xf32, #tile.fragment>

func.func @dequant_matmul(
    %a: !matrix {tile.shape = "MxK"}, %b: !packed {tile.shape = "KxP", tile.init = "integers(-128,127)"},
    %c: !matrix {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @dequant_matmul_reference, tile.atol = 3.5e-2, tile.rtol = 1.953125e-3,
                tile.cases = ["M=192 N=256 P=128 K=512", "M=130 N=66 P=33 K=65", "M=257 N=130 P=65 K=7",
                              "M=1 N=2 P=1 K=1", "M=5 N=70 P=35 K=0"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 15 : i8
  %four = arith.constant 4 : i8
  %eight = arith.constant 8.0 : f16
  %m = memref.dim %a, %c0 : !matrix
  %k = memref.dim %a, %c1 : !matrix
  %n = memref.dim %c, %c1 : !matrix
  %rows = arith.ceildivui %m, %c128 : index
  %cols = arith.ceildivui %n, %c128 : index
  %steps = arith.ceildivui %k, %c64 : index
  tile.kernel (%bx, %by) in (%cols, %rows) threads(128) {
    %as = tile.alloc : !a_tile
    %bs = tile.alloc : !packed_tile
    %ws = tile.alloc : !w_tile
    %acc = tile.alloc : !c_tile
    tile.fill %acc, %zero : !c_tile
    tile.pipelined %s = 0 to %steps stages(2) {
      tile.copy %a[%by * 128, %s * 64], %as : !matrix, !a_tile
      tile.copy %b[%s * 64, %bx * 64], %bs : !packed, !packed_tile
      tile.parallel (%i, %j) in (64, 64) {
        %even = affine.apply affine_map<(j) -> (j * 2)>(%j)
        %odd = affine.apply affine_map<(j) -> (j * 2 + 1)>(%j)
        %byte = memref.load %bs[%i, %j] : !packed_tile
        %lo = arith.andi %byte, %low : i8
        %hi = arith.shrui %byte, %four : i8
        %lof = arith.uitofp %lo : i8 to f16
        %hif = arith.uitofp %hi : i8 to f16
        %w0 = arith.subf %lof, %eight : f16
        %w1 = arith.subf %hif, %eight : f16
        memref.store %w0, %ws[%i, %even] : !w_tile
        memref.store %w1, %ws[%i, %odd] : !w_tile
      }
      tile.gemm %as, %ws, %acc : !a_tile, !w_tile, !c_tile
    }
    tile.copy %acc, %c[%by * 128, %bx * 128] : !c_tile, !matrix
  }
  return
}
