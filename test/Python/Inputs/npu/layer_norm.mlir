func.func @layer_norm(%x: memref<?x?xf16>, %w: memref<?xf32>, %b: memref<?xf32>, %y: memref<?x?xf16>) {
  tile.kernel (%p) in (ceildiv(dim(%x, 0), 4)) {
    %xs = tile.alloc : memref<4x512xf16, #tile.shared>
    %v = tile.alloc : memref<4x512xf32, #tile.fragment>
    %d = tile.alloc : memref<4x512xf32, #tile.fragment>
    %mean = tile.alloc : memref<4xf32, #tile.fragment>
    %var = tile.alloc : memref<4xf32, #tile.fragment>
    tile.copy %x[%p * 4, 0], %xs
    tile.parallel (%i, %j) in (4, 512) do %v[%i, %j] = f32(%xs[%i, %j])
    tile.reduce sum %v, %mean dim(1)
    tile.parallel (%i) in (4) do %mean[%i] = %mean[%i] / f32(i32(dim(%x, 1)))
    // What is behind the end of a row counts for nothing.
    tile.parallel (%i, %j) in (4, 512) do {
      %c = select(%j < dim(%x, 1), %v[%i, %j] - %mean[%i], 0.0)
      %v[%i, %j] = %c
      %d[%i, %j] = %c * %c
    }
    tile.reduce sum %d, %var dim(1)
    tile.parallel (%i) in (4) do %var[%i] = rsqrt(%var[%i] / f32(i32(dim(%x, 1))) + 1.0e-5)
    tile.parallel (%i, %j) in (4, 512) do %xs[%i, %j] = f16(%v[%i, %j] * %var[%i] * %w[%j] + %b[%j])
    tile.copy %xs, %y[%p * 4, 0]
  }
  return
}
