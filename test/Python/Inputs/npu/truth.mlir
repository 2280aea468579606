func.func @truth(%m: memref<?x?xi1> {tile.shape="MxN"}, %x: memref<?x?xf32> {tile.shape="MxN"}, %y: memref<?x?xi1> {tile.shape="MxN"}, %any: memref<?xi1> {tile.shape="M"}) {
  tile.kernel (%b) in (dim(%x, 0)) {
    %t = tile.alloc : memref<1x64xi1, #tile.shared>
    %r = tile.alloc : memref<1xi1, #tile.fragment>
    tile.copy %m[%b, 0], %t
    tile.reduce or %t, %r dim(1)
    tile.copy %r, %any[%b]
    tile.parallel (%j) in (64) do {
      if %t[0, %j] { %x[%b, %j] = -%x[%b, %j] }
      %y[%b, %j] = %x[%b, %j] > 0.0
    }
  }
  return
}
