// Puzzle 2: arithmetic on vectors.

!vector = memref<?xf16>

func.func @add(
    %a: !vector {tile.shape = "N"}, %b: !vector {tile.shape = "N"}, %c: !vector {tile.shape = "N", tile.result})
    attributes {tile.reference = @add_reference, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["N=262144", "N=100003", "N=1025", "N=1023", "N=1"]} {
  tile.kernel (%block) in (ceildiv(dim(%a, 0), 1024)) threads(256) {
    // your code here
  }
  return
}

func.func @mul_relu(
    %a: !vector {tile.shape = "N"}, %b: !vector {tile.shape = "N"}, %c: !vector {tile.shape = "N", tile.result})
    attributes {tile.reference = @mul_relu_reference, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["N=262144", "N=100003", "N=1025", "N=1023", "N=1"]} {
  tile.kernel (%block) in (ceildiv(dim(%a, 0), 1024)) threads(256) {
    // your code here
  }
  return
}

func.func @mul_relu_registers(
    %a: !vector {tile.shape = "N"}, %b: !vector {tile.shape = "N"}, %c: !vector {tile.shape = "N", tile.result})
    attributes {tile.reference = @mul_relu_reference, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["N=4194304", "N=100003", "N=1025", "N=1023", "N=1"]} {
  tile.kernel (%block) in (ceildiv(dim(%a, 0), 1024)) threads(256) {
    // your code here
  }
  return
}
