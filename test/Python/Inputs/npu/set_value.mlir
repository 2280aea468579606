func.func @set_value(%x: memref<?x32xf32> {tile.shape="Nx32"}, %y: memref<?x32xf32> {tile.shape="Nx32"}) {
  tile.kernel (%b) in (dim(%x, 0)) {
    %s = tile.alloc : memref<32xf32, #tile.shared>
    tile.copy %x[%b, 0], %s
    tile.parallel (%i) in (1) do {
      %s[3] = %s[0] * 2.0
      %s[5] = 7.0
    }
    tile.copy %s, %y[%b, 0]
  }
  return
}
