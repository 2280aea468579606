// Puzzle 3: the sums of all pairs of two vectors.

!vector = memref<?xf16>
!matrix = memref<?x?xf16>
!part = memref<1024xf16, #tile.fragment>

func.func @outer_add(
    %a: !vector {tile.shape = "N"}, %b: !vector {tile.shape = "M"}, %c: !matrix {tile.shape = "NxM", tile.result})
    attributes {tile.reference = @outer_add_reference, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["N=8192 M=4096", "N=1000 M=1030", "N=1025 M=7", "N=1 M=1023", "N=1 M=1"]} {
  tile.kernel (%bx, %by) in (ceildiv(dim(%b, 0), 1024), ceildiv(dim(%a, 0), 1024)) threads(256) {
    %at = tile.alloc : !part
    %bt = tile.alloc : !part
    tile.copy %a[%by * 1024], %at
    tile.copy %b[%bx * 1024], %bt
    tile.parallel (%i, %j) in (1024, 1024) do %c[%by * 1024 + %i, %bx * 1024 + %j] = %at[%i] + %bt[%j]
  }
  return
}
