// Copies a matrix through a pipeline: tensor copies need rows of a multiple of 16 bytes, a matrix that is not empty and an
// aligned address; copies of threads need an even row.
!matrix = memref<?x?xf16>
!tile = memref<64x64xf16, #tile.shared>
func.func @rows(%x: !matrix {tile.shape = "MxK"}, %y: !matrix {tile.shape = "MxK", tile.result})
    attributes {tile.reference = @rows_reference,
                tile.cases = ["M=64 K=64", "M=130 K=200", "M=130 K=202", "M=65 K=33", "M=1 K=1", "M=0 K=64", "M=64 K=0"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : !matrix
  %k = memref.dim %x, %c1 : !matrix
  %blocks = affine.apply affine_map<(n) -> (n ceildiv 64)>(%m)
  %steps = affine.apply affine_map<(n) -> (n ceildiv 64)>(%k)
  tile.kernel (%b) in (%blocks) threads(128) {
    %t = tile.alloc : !tile
    tile.pipelined %s = 0 to %steps stages(2) {
      tile.copy %x[%b * 64, %s * 64], %t : !matrix, !tile
      tile.copy %t, %y[%b * 64, %s * 64] : !tile, !matrix
    }
  }
  return
}

func.func @rows_reference(%x: !matrix, %y: !matrix) {
  memref.copy %x, %y : !matrix to !matrix
  return
}
