// Puzzle 2: arithmetic on vectors.

!vector = memref<?xf16>
!tile = memref<1024xf16, #tile.fragment>

func.func @add(
    %a: !vector {tile.shape = "N"}, %b: !vector {tile.shape = "N"}, %c: !vector {tile.shape = "N", tile.result})
    attributes {tile.reference = @add_reference, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["N=262144", "N=100003", "N=1025", "N=1023", "N=1"]} {
  tile.kernel (%block) in (ceildiv(dim(%a, 0), 1024)) threads(256) {
    tile.parallel (%i) in (1024) do
      %c[%block * 1024 + %i] = %a[%block * 1024 + %i] + %b[%block * 1024 + %i]
  }
  return
}

func.func @mul_relu(
    %a: !vector {tile.shape = "N"}, %b: !vector {tile.shape = "N"}, %c: !vector {tile.shape = "N", tile.result})
    attributes {tile.reference = @mul_relu_reference, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["N=262144", "N=100003", "N=1025", "N=1023", "N=1"]} {
  tile.kernel (%block) in (ceildiv(dim(%a, 0), 1024)) threads(256) {
    tile.parallel (%i) in (1024) do
      %c[%block * 1024 + %i] = max(%a[%block * 1024 + %i] * %b[%block * 1024 + %i], 0.0)
  }
  return
}

func.func @mul_relu_registers(
    %a: !vector {tile.shape = "N"}, %b: !vector {tile.shape = "N"}, %c: !vector {tile.shape = "N", tile.result})
    attributes {tile.reference = @mul_relu_reference, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["N=4194304", "N=100003", "N=1025", "N=1023", "N=1"]} {
  tile.kernel (%block) in (ceildiv(dim(%a, 0), 1024)) threads(256) {
    %at = tile.alloc : !tile
    %bt = tile.alloc : !tile
    %ct = tile.alloc : !tile
    tile.copy %a[%block * 1024], %at
    tile.copy %b[%block * 1024], %bt
    tile.parallel (%i) in (1024) do %ct[%i] = max(%at[%i] * %bt[%i], 0.0)
    tile.copy %ct, %c[%block * 1024]
  }
  return
}
