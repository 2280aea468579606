// Puzzle 7: attention in which every query, key and value is one number.

!matrix = memref<?x?xf32>
!staged = memref<16x128xf32, #tile.shared>
!tile = memref<16x128xf32, #tile.fragment>
!column = memref<16xf32, #tile.fragment>

func.func @scalar_attention(
    %q: !matrix {tile.shape = "BxS"}, %k: !matrix {tile.shape = "BxS"}, %v: !matrix {tile.shape = "BxS"},
    %o: !matrix {tile.shape = "BxS", tile.result})
    attributes {tile.reference = @scalar_attention_reference, tile.atol = 1.0e-12, tile.rtol = 1.0e-5,
                tile.cases = ["B=256 S=16384", "B=33 S=1000", "B=17 S=129", "B=16 S=128", "B=3 S=127", "B=5 S=1",
                              "B=1 S=1"]} {
  tile.kernel (%block) in (ceildiv(dim(%q, 0), 16)) threads(128) {
    %qs = tile.alloc : !staged
    %ks = tile.alloc : !staged
    %vs = tile.alloc : !staged
    %e = tile.alloc : !tile
    %max = tile.alloc : !column
    %old = tile.alloc : !column
    %sum = tile.alloc : !column
    tile.fill %max, -inf
    tile.fill %sum, 0.0
    tile.pipelined %s = 0 to ceildiv(dim(%q, 1), 128) stages(2) {
      tile.copy %q[%block * 16, %s * 128], %qs
      tile.copy %k[%block * 16, %s * 128], %ks
      // Past the end both factors are 0; the score there is -inf.
      tile.parallel (%i, %j) in (16, 128) do
        %e[%i, %j] = select(%s * 128 + %j < dim(%q, 1), %qs[%i, %j] * %ks[%i, %j], -inf)
      tile.copy %max, %old
      tile.reduce max %e, %max dim(1) {combine}
      tile.parallel (%i) in (16) do %sum[%i] = %sum[%i] * exp2((%old[%i] - %max[%i]) * 1.44269504)
      tile.parallel (%i, %j) in (16, 128) do %e[%i, %j] = exp2((%e[%i, %j] - %max[%i]) * 1.44269504)
      tile.reduce sum %e, %sum dim(1) {combine}
    }
    tile.pipelined %s = 0 to ceildiv(dim(%q, 1), 128) stages(2) {
      tile.copy %q[%block * 16, %s * 128], %qs
      tile.copy %k[%block * 16, %s * 128], %ks
      tile.copy %v[%block * 16, %s * 128], %vs
      tile.parallel (%i, %j) in (16, 128) do {
        %score = %qs[%i, %j] * %ks[%i, %j]
        %e[%i, %j] = exp2((%score - %max[%i]) * 1.44269504) / %sum[%i] * %vs[%i, %j]
      }
      tile.copy %e, %o[%block * 16, %s * 128]
    }
  }
  return
}
