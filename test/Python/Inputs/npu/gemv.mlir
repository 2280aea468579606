func.func @gemv(%a: memref<?x?xf16> {tile.shape="MxN"}, %x: memref<?xf16> {tile.shape="N"}, %y: memref<?xf32> {tile.shape="M"}) {
  tile.kernel (%b) in (ceildiv(dim(%a, 0), 8)) {
    %as = tile.alloc : memref<8x128xf16, #tile.shared>
    %xs = tile.alloc : memref<128xf16, #tile.shared>
    %p = tile.alloc : memref<8x128xf32, #tile.fragment>
    %r = tile.alloc : memref<8xf32, #tile.fragment>
    tile.fill %r, 0.0
    tile.pipelined %t = 0 to ceildiv(dim(%a, 1), 128) stages(2) {
      tile.copy %a[%b * 8, %t * 128], %as
      tile.copy %x[%t * 128], %xs
      tile.parallel (%i, %j) in (8, 128) do %p[%i, %j] = f32(%as[%i, %j]) * f32(%xs[%j])
      tile.reduce sum %p, %r dim(1) {combine}
    }
    tile.copy %r, %y[%b * 8]
  }
  return
}
