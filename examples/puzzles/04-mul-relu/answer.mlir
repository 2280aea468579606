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
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f16
  %n = memref.dim %a, %c0 : !matrix
  %m = memref.dim %a, %c1 : !matrix
  %rows = arith.ceildivui %n, %c64 : index
  %cols = arith.ceildivui %m, %c64 : index
  tile.kernel (%bx, %by) in (%cols, %rows) threads(128) {
    %as = tile.alloc : !staged
    %bs = tile.alloc : !row
    %ct = tile.alloc : !tile
    tile.copy %a[%by * 64, %bx * 64], %as : !matrix, !staged
    tile.copy %b[%bx * 64], %bs : !vector, !row
    tile.parallel (%i, %j) in (64, 64) {
      %x = memref.load %as[%i, %j] : !staged
      %y = memref.load %bs[%j] : !row
      %z = arith.mulf %x, %y : f16
      %r = arith.maximumf %z, %zero : f16
      memref.store %r, %ct[%i, %j] : !tile
    }
    tile.copy %ct, %c[%by * 64, %bx * 64] : !tile, !matrix
  }
  return
}

func.func @mul_relu_backward(
    %a: !matrix {tile.shape = "NxM", tile.init = "uniform(-0.01,0.01)"}, %b: !vector {tile.shape = "M"},
    %dc: !matrix {tile.shape = "NxM"}, %da: !matrix {tile.shape = "NxM", tile.result})
    attributes {tile.reference = @mul_relu_backward_reference, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["N=8192 M=4096", "N=65 M=127", "N=63 M=1", "N=1 M=100", "N=1 M=1"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f16
  %zero32 = arith.constant 0.0 : f32
  %n = memref.dim %a, %c0 : !matrix
  %m = memref.dim %a, %c1 : !matrix
  %rows = arith.ceildivui %n, %c64 : index
  %cols = arith.ceildivui %m, %c64 : index
  tile.kernel (%bx, %by) in (%cols, %rows) threads(128) {
    %as = tile.alloc : !staged
    %bs = tile.alloc : !row
    %dcs = tile.alloc : !staged
    %dat = tile.alloc : !tile
    tile.copy %a[%by * 64, %bx * 64], %as : !matrix, !staged
    tile.copy %b[%bx * 64], %bs : !vector, !row
    tile.copy %dc[%by * 64, %bx * 64], %dcs : !matrix, !staged
    tile.parallel (%i, %j) in (64, 64) {
      %x = memref.load %as[%i, %j] : !staged
      %y = memref.load %bs[%j] : !row
      %g = memref.load %dcs[%i, %j] : !staged
      // In f16 a small positive product would become 0 and lose its gradient.
      %xf = arith.extf %x : f16 to f32
      %yf = arith.extf %y : f16 to f32
      %z = arith.mulf %xf, %yf : f32
      %open = arith.cmpf ogt, %z, %zero32 : f32
      %gy = arith.mulf %g, %y : f16
      %r = arith.select %open, %gy, %zero : f16
      memref.store %r, %dat[%i, %j] : !tile
    }
    tile.copy %dat, %da[%by * 64, %bx * 64] : !tile, !matrix
  }
  return
}
