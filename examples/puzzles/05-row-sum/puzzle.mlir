// Puzzle 5: the sum of every row.

!matrix = memref<?x?xf32>
!vector = memref<?xf32>

func.func @row_sum(%a: !matrix {tile.shape = "NxM"}, %b: !vector {tile.shape = "N", tile.result})
    // Twice 2^-24 · M, M = 16384: M roundings of a sum of size sqrt(M), in any order.
    attributes {tile.reference = @row_sum_reference, tile.atol = 2.0e-3, tile.rtol = 1.0e-6,
                tile.cases = ["N=4096 M=16384", "N=33 M=1000", "N=17 M=129", "N=16 M=128", "N=3 M=1", "N=1 M=1",
                              "N=5 M=0"]} {
  tile.kernel (%block) in (ceildiv(dim(%a, 0), 16)) threads(128) {
    // your code here
  }
  return
}
