func.func @open_extents(%x: memref<?x?xf32> {tile.shape="MxN"}, %y: memref<?x?xf32> {tile.shape="MxN"}, %z: memref<?xf32> {tile.shape="M"}, %n: index {tile.shape="K"}) {
  tile.kernel (%b) in (1) {
    tile.parallel (%i, %j) in (dim(%x, 0), dim(%x, 1)) do %y[%i, %j] = %x[%i, %j] * 3.0 + 1.0
    tile.parallel (%i, %j) in (dim(%x, 0), 2) do { if %j == 1 { %z[%i] = %x[%i, 0] } }
    // Fewer than there are.
    tile.parallel (%i) in (%n) do %y[0, %i] = -1.0
  }
  return
}
