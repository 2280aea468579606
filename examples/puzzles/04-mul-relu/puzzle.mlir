// Puzzle 4: a small layer, forwards and backwards.

!matrix = memref<?x?xf16>
!vector = memref<?xf16>

func.func @mul_relu_rows(
    %a: !matrix {tile.shape = "NxM"}, %b: !vector {tile.shape = "M"}, %c: !matrix {tile.shape = "NxM", tile.result})
    attributes {tile.reference = @mul_relu_rows_reference, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["N=8192 M=4096", "N=65 M=127", "N=63 M=1", "N=1 M=100", "N=1 M=1"]} {
  tile.kernel (%bx, %by) in (ceildiv(dim(%a, 1), 64), ceildiv(dim(%a, 0), 64)) threads(128) {
    // your code here
  }
  return
}

func.func @mul_relu_backward(
    %a: !matrix {tile.shape = "NxM", tile.init = "uniform(-0.01,0.01)"}, %b: !vector {tile.shape = "M"},
    %dc: !matrix {tile.shape = "NxM"}, %da: !matrix {tile.shape = "NxM", tile.result})
    attributes {tile.reference = @mul_relu_backward_reference, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["N=8192 M=4096", "N=65 M=127", "N=63 M=1", "N=1 M=100", "N=1 M=1"]} {
  tile.kernel (%bx, %by) in (ceildiv(dim(%a, 1), 64), ceildiv(dim(%a, 0), 64)) threads(128) {
    // your code here
  }
  return
}
