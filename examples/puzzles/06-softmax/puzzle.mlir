// Puzzle 6: the softmax of every row, in three passes and in two.

!matrix = memref<?x?xf32>

func.func @softmax(%a: !matrix {tile.shape = "NxM"}, %b: !matrix {tile.shape = "NxM", tile.result})
    attributes {tile.reference = @softmax_reference, tile.atol = 0.0, tile.rtol = 1.0e-5,
                tile.cases = ["N=64 M=16384", "N=33 M=1000", "N=17 M=257", "N=16 M=256", "N=3 M=255", "N=5 M=1",
                              "N=1 M=1"]} {
  tile.kernel (%block) in (ceildiv(dim(%a, 0), 16)) threads(128) {
    // your code here
  }
  return
}

func.func @softmax_online(%a: !matrix {tile.shape = "NxM"}, %b: !matrix {tile.shape = "NxM", tile.result})
    attributes {tile.reference = @softmax_reference, tile.atol = 0.0, tile.rtol = 1.0e-5,
                tile.cases = ["N=64 M=16384", "N=33 M=1000", "N=17 M=257", "N=16 M=256", "N=3 M=255", "N=5 M=1",
                              "N=1 M=1"]} {
  tile.kernel (%block) in (ceildiv(dim(%a, 0), 16)) threads(128) {
    // your code here
  }
  return
}
