func.func @unpermute_grad(%dy: memref<?x96xf32> {tile.shape="Tx96"}, %rows: memref<?x96xf32> {tile.shape="Rx96"}, %place: memref<?x2xi32> {tile.shape="Tx2"}, %pr: memref<?x2xf32> {tile.shape="Tx2"}, %dr: memref<?x96xf32> {tile.shape="Rx96"}, %dp: memref<?x2xf32> {tile.shape="Tx2"}) {
  tile.kernel (%t) in (dim(%dy, 0)) {
    %g = tile.alloc : memref<96xf32, #tile.shared>
    %x = tile.alloc : memref<2x96xf32, #tile.shared>
    %y = tile.alloc : memref<2x96xf32, #tile.shared>
    %list = tile.alloc : memref<2xi32, #tile.shared>
    %s = tile.alloc : memref<2xf32, #tile.fragment>
    tile.copy %dy[%t, 0], %g
    tile.copy %place[%t, 0] [1, 2], %list
    tile.gather %rows[0, 0] by %list[0], %x : memref<?x96xf32>, memref<2xi32, #tile.shared>, memref<2x96xf32, #tile.shared>
    tile.parallel (%i, %j) in (2, 96) do {
      %y[%i, %j] = %g[%j] * %pr[%t, %i]
      %x[%i, %j] = %x[%i, %j] * %g[%j]
    }
    tile.reduce sum %x, %s dim(1)
    tile.scatter %y, %dr[0, 0] by %list[0] : memref<2x96xf32, #tile.shared>, memref<?x96xf32>, memref<2xi32, #tile.shared>
    tile.copy %s, %dp[%t, 0]
  }
  return
}
