// Puzzle 5: the sum of every row.

!matrix = memref<?x?xf32>
!vector = memref<?xf32>
!staged = memref<16x128xf32, #tile.shared>
!column = memref<16xf32, #tile.fragment>

func.func @row_sum(%a: !matrix {tile.shape = "NxM"}, %b: !vector {tile.shape = "N", tile.result})
    // Twice 2^-24 · M, M = 16384: M roundings of a sum of size sqrt(M), in any order.
    attributes {tile.reference = @row_sum_reference, tile.atol = 2.0e-3, tile.rtol = 1.0e-6,
                tile.cases = ["N=4096 M=16384", "N=33 M=1000", "N=17 M=129", "N=16 M=128", "N=3 M=1", "N=1 M=1",
                              "N=5 M=0"]} {
  tile.kernel (%block) in (ceildiv(dim(%a, 0), 16)) threads(128) {
    %as = tile.alloc : !staged
    %sum = tile.alloc : !column
    tile.fill %sum, 0.0
    tile.pipelined %s = 0 to ceildiv(dim(%a, 1), 128) stages(3) {
      tile.copy %a[%block * 16, %s * 128], %as
      tile.reduce sum %as, %sum dim(1) {combine}
    }
    tile.copy %sum, %b[%block * 16]
  }
  return
}
