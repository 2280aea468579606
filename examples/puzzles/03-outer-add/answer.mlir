// Puzzle 3: the sums of all pairs of two vectors.

!vector = memref<?xf16>
!matrix = memref<?x?xf16>
!part = memref<1024xf16, #tile.fragment>

func.func @outer_add(
    %a: !vector {tile.shape = "N"}, %b: !vector {tile.shape = "M"}, %c: !matrix {tile.shape = "NxM", tile.result})
    attributes {tile.reference = @outer_add_reference, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["N=8192 M=4096", "N=1000 M=1030", "N=1025 M=7", "N=1 M=1023", "N=1 M=1"]} {
  %c0 = arith.constant 0 : index
  %c1024 = arith.constant 1024 : index
  %n = memref.dim %a, %c0 : !vector
  %m = memref.dim %b, %c0 : !vector
  %rows = arith.ceildivui %n, %c1024 : index
  %cols = arith.ceildivui %m, %c1024 : index
  tile.kernel (%bx, %by) in (%cols, %rows) threads(256) {
    %at = tile.alloc : !part
    %bt = tile.alloc : !part
    tile.copy %a[%by * 1024], %at : !vector, !part
    tile.copy %b[%bx * 1024], %bt : !vector, !part
    tile.parallel (%i, %j) in (1024, 1024) {
      %row = affine.apply affine_map<(b, i) -> (b * 1024 + i)>(%by, %i)
      %col = affine.apply affine_map<(b, j) -> (b * 1024 + j)>(%bx, %j)
      %x = memref.load %at[%i] : !part
      %y = memref.load %bt[%j] : !part
      %z = arith.addf %x, %y : f16
      memref.store %z, %c[%row, %col] : !matrix
    }
  }
  return
}
