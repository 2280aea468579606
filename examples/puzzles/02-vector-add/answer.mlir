// Puzzle 2: arithmetic on vectors.

!vector = memref<?xf16>
!tile = memref<1024xf16, #tile.fragment>

func.func @add(
    %a: !vector {tile.shape = "N"}, %b: !vector {tile.shape = "N"}, %c: !vector {tile.shape = "N", tile.result})
    attributes {tile.reference = @add_reference, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["N=262144", "N=100003", "N=1025", "N=1023", "N=1"]} {
  %c0 = arith.constant 0 : index
  %c1024 = arith.constant 1024 : index
  %n = memref.dim %a, %c0 : !vector
  %blocks = arith.ceildivui %n, %c1024 : index
  tile.kernel (%block) in (%blocks) threads(256) {
    tile.parallel (%i) in (1024) {
      %p = affine.apply affine_map<(b, i) -> (b * 1024 + i)>(%block, %i)
      %x = memref.load %a[%p] : !vector
      %y = memref.load %b[%p] : !vector
      %z = arith.addf %x, %y : f16
      memref.store %z, %c[%p] : !vector
    }
  }
  return
}

func.func @mul_relu(
    %a: !vector {tile.shape = "N"}, %b: !vector {tile.shape = "N"}, %c: !vector {tile.shape = "N", tile.result})
    attributes {tile.reference = @mul_relu_reference, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["N=262144", "N=100003", "N=1025", "N=1023", "N=1"]} {
  %c0 = arith.constant 0 : index
  %c1024 = arith.constant 1024 : index
  %zero = arith.constant 0.0 : f16
  %n = memref.dim %a, %c0 : !vector
  %blocks = arith.ceildivui %n, %c1024 : index
  tile.kernel (%block) in (%blocks) threads(256) {
    tile.parallel (%i) in (1024) {
      %p = affine.apply affine_map<(b, i) -> (b * 1024 + i)>(%block, %i)
      %x = memref.load %a[%p] : !vector
      %y = memref.load %b[%p] : !vector
      %z = arith.mulf %x, %y : f16
      %r = arith.maximumf %z, %zero : f16
      memref.store %r, %c[%p] : !vector
    }
  }
  return
}

func.func @mul_relu_registers(
    %a: !vector {tile.shape = "N"}, %b: !vector {tile.shape = "N"}, %c: !vector {tile.shape = "N", tile.result})
    attributes {tile.reference = @mul_relu_reference, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["N=4194304", "N=100003", "N=1025", "N=1023", "N=1"]} {
  %c0 = arith.constant 0 : index
  %c1024 = arith.constant 1024 : index
  %zero = arith.constant 0.0 : f16
  %n = memref.dim %a, %c0 : !vector
  %blocks = arith.ceildivui %n, %c1024 : index
  tile.kernel (%block) in (%blocks) threads(256) {
    %at = tile.alloc : !tile
    %bt = tile.alloc : !tile
    %ct = tile.alloc : !tile
    tile.copy %a[%block * 1024], %at : !vector, !tile
    tile.copy %b[%block * 1024], %bt : !vector, !tile
    tile.parallel (%i) in (1024) {
      %x = memref.load %at[%i] : !tile
      %y = memref.load %bt[%i] : !tile
      %z = arith.mulf %x, %y : f16
      %r = arith.maximumf %z, %zero : f16
      memref.store %r, %ct[%i] : !tile
    }
    tile.copy %ct, %c[%block * 1024] : !tile, !vector
  }
  return
}
