// Puzzle 6: the softmax of every row, in three passes and in two.

!matrix = memref<?x?xf32>

func.func @softmax(%a: !matrix {tile.shape = "NxM"}, %b: !matrix {tile.shape = "NxM", tile.result})
    attributes {tile.reference = @softmax_reference, tile.atol = 0.0, tile.rtol = 1.0e-5,
                tile.cases = ["N=64 M=16384", "N=33 M=1000", "N=17 M=257", "N=16 M=256", "N=3 M=255", "N=5 M=1",
                              "N=1 M=1"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c256 = arith.constant 256 : index
  %n = memref.dim %a, %c0 : !matrix
  %m = memref.dim %a, %c1 : !matrix
  %blocks = arith.ceildivui %n, %c16 : index
  %steps = arith.ceildivui %m, %c256 : index
  tile.kernel (%block) in (%blocks) threads(128) {
    // your code here
  }
  return
}

func.func @softmax_online(%a: !matrix {tile.shape = "NxM"}, %b: !matrix {tile.shape = "NxM", tile.result})
    attributes {tile.reference = @softmax_reference, tile.atol = 0.0, tile.rtol = 1.0e-5,
                tile.cases = ["N=64 M=16384", "N=33 M=1000", "N=17 M=257", "N=16 M=256", "N=3 M=255", "N=5 M=1",
                              "N=1 M=1"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c256 = arith.constant 256 : index
  %n = memref.dim %a, %c0 : !matrix
  %m = memref.dim %a, %c1 : !matrix
  %blocks = arith.ceildivui %n, %c16 : index
  %steps = arith.ceildivui %m, %c256 : index
  tile.kernel (%block) in (%blocks) threads(128) {
    // your code here
  }
  return
}
