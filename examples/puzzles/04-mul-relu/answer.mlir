// Puzzle 4: a small layer, forwards and backwards.

!matrix = memref<?x?xf16>
!vector = memref<?xf16>
!staged = memref<64x64xf16, #tile.shared>
!row = memref<64xf16, #tile.shared>
!tile = memref<64x64xf16, #tile.fragment>

func.func @mul_relu_rows(
    %a: !matrix {tile.shape = "NxM"}, %b: !vector {tile.shape = "M"}, %c: !matrix {tile.shape = "NxM", tile.result})
    attributes {tile.reference = @mul_relu_rows_reference, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["N=8192 M=4096", "N=65 M=127", "N=63 M=1", "N=1 M=100", "N=1 M=1"]} {
  tile.kernel (%bx, %by) in (ceildiv(dim(%a, 1), 64), ceildiv(dim(%a, 0), 64)) threads(128) {
    %as = tile.alloc : !staged
    %bs = tile.alloc : !row
    %ct = tile.alloc : !tile
    tile.copy %a[%by * 64, %bx * 64], %as
    tile.copy %b[%bx * 64], %bs
    tile.parallel (%i, %j) in (64, 64) do %ct[%i, %j] = max(%as[%i, %j] * %bs[%j], 0.0)
    tile.copy %ct, %c[%by * 64, %bx * 64]
  }
  return
}

func.func @mul_relu_backward(
    %a: !matrix {tile.shape = "NxM", tile.init = "uniform(-0.01,0.01)"}, %b: !vector {tile.shape = "M"},
    %dc: !matrix {tile.shape = "NxM"}, %da: !matrix {tile.shape = "NxM", tile.result})
    attributes {tile.reference = @mul_relu_backward_reference, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["N=8192 M=4096", "N=65 M=127", "N=63 M=1", "N=1 M=100", "N=1 M=1"]} {
  tile.kernel (%bx, %by) in (ceildiv(dim(%a, 1), 64), ceildiv(dim(%a, 0), 64)) threads(128) {
    %as = tile.alloc : !staged
    %bs = tile.alloc : !row
    %dcs = tile.alloc : !staged
    %dat = tile.alloc : !tile
    tile.copy %a[%by * 64, %bx * 64], %as
    tile.copy %b[%bx * 64], %bs
    tile.copy %dc[%by * 64, %bx * 64], %dcs
    // In f16 a small positive product would become 0 and lose its gradient.
    tile.parallel (%i, %j) in (64, 64) do
      %dat[%i, %j] = select(f32(%as[%i, %j]) * f32(%bs[%j]) > 0.0, %dcs[%i, %j] * %bs[%j], 0.0)
    tile.copy %dat, %da[%by * 64, %bx * 64]
  }
  return
}
