// Puzzle 6: the softmax of every row, in three passes and in two.

!matrix = memref<?x?xf32>
!staged = memref<16x256xf32, #tile.shared>
!tile = memref<16x256xf32, #tile.fragment>
!column = memref<16xf32, #tile.fragment>

func.func @softmax(%a: !matrix {tile.shape = "NxM"}, %b: !matrix {tile.shape = "NxM", tile.result})
    attributes {tile.reference = @softmax_reference, tile.atol = 0.0, tile.rtol = 1.0e-5,
                tile.cases = ["N=64 M=16384", "N=33 M=1000", "N=17 M=257", "N=16 M=256", "N=3 M=255", "N=5 M=1",
                              "N=1 M=1"]} {
  tile.kernel (%block) in (ceildiv(dim(%a, 0), 16)) threads(128) {
    tile.padding_value %a, -inf
    %as = tile.alloc : !staged
    %e = tile.alloc : !tile
    %max = tile.alloc : !column
    %sum = tile.alloc : !column
    tile.fill %max, -inf
    tile.fill %sum, 0.0
    tile.pipelined %s = 0 to ceildiv(dim(%a, 1), 256) stages(2) {
      tile.copy %a[%block * 16, %s * 256], %as
      tile.reduce max %as, %max dim(1) {combine}
    }
    tile.pipelined %s = 0 to ceildiv(dim(%a, 1), 256) stages(2) {
      tile.copy %a[%block * 16, %s * 256], %as
      tile.parallel (%i, %j) in (16, 256) do %e[%i, %j] = exp2((%as[%i, %j] - %max[%i]) * 1.44269504)
      tile.reduce sum %e, %sum dim(1) {combine}
    }
    tile.pipelined %s = 0 to ceildiv(dim(%a, 1), 256) stages(2) {
      tile.copy %a[%block * 16, %s * 256], %as
      tile.parallel (%i, %j) in (16, 256) do
        %e[%i, %j] = exp2((%as[%i, %j] - %max[%i]) * 1.44269504) / %sum[%i]
      tile.copy %e, %b[%block * 16, %s * 256]
    }
  }
  return
}

func.func @softmax_online(%a: !matrix {tile.shape = "NxM"}, %b: !matrix {tile.shape = "NxM", tile.result})
    attributes {tile.reference = @softmax_reference, tile.atol = 0.0, tile.rtol = 1.0e-5,
                tile.cases = ["N=64 M=16384", "N=33 M=1000", "N=17 M=257", "N=16 M=256", "N=3 M=255", "N=5 M=1",
                              "N=1 M=1"]} {
  tile.kernel (%block) in (ceildiv(dim(%a, 0), 16)) threads(128) {
    tile.padding_value %a, -inf
    %as = tile.alloc : !staged
    %e = tile.alloc : !tile
    %max = tile.alloc : !column
    %old = tile.alloc : !column
    %sum = tile.alloc : !column
    tile.fill %max, -inf
    tile.fill %sum, 0.0
    tile.pipelined %s = 0 to ceildiv(dim(%a, 1), 256) stages(2) {
      tile.copy %a[%block * 16, %s * 256], %as
      tile.copy %max, %old
      tile.reduce max %as, %max dim(1) {combine}
      // Terms summed so far were relative to the old maximum.
      tile.parallel (%i) in (16) do %sum[%i] = %sum[%i] * exp2((%old[%i] - %max[%i]) * 1.44269504)
      tile.parallel (%i, %j) in (16, 256) do %e[%i, %j] = exp2((%as[%i, %j] - %max[%i]) * 1.44269504)
      tile.reduce sum %e, %sum dim(1) {combine}
    }
    tile.pipelined %s = 0 to ceildiv(dim(%a, 1), 256) stages(2) {
      tile.copy %a[%block * 16, %s * 256], %as
      tile.parallel (%i, %j) in (16, 256) do
        %e[%i, %j] = exp2((%as[%i, %j] - %max[%i]) * 1.44269504) / %sum[%i]
      tile.copy %e, %b[%block * 16, %s * 256]
    }
  }
  return
}
