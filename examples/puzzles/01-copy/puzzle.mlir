// Puzzle 1: three copies of a vector.

!vector = memref<?xf16>

func.func @copy_serial(%a: !vector {tile.shape = "N"}, %b: !vector {tile.shape = "N", tile.result})
    attributes {tile.reference = @copy_reference, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["N=1024", "N=1000", "N=1"]} {
  tile.kernel (%block) in (1) threads(1) {
    // your code here
  }
  return
}

func.func @copy_threads(%a: !vector {tile.shape = "N"}, %b: !vector {tile.shape = "N", tile.result})
    attributes {tile.reference = @copy_reference, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["N=262144", "N=1000", "N=257", "N=1"]} {
  tile.kernel (%block) in (1) threads(256) {
    // your code here
  }
  return
}

func.func @copy_blocks(%a: !vector {tile.shape = "N"}, %b: !vector {tile.shape = "N", tile.result})
    attributes {tile.reference = @copy_reference, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["N=262144", "N=100003", "N=1025", "N=1023", "N=1"]} {
  tile.kernel (%block) in (ceildiv(dim(%a, 0), 1024)) threads(256) {
    // your code here
  }
  return
}
