!g = memref<?x?x?x64xf32>
func.func @kda_cumsum(%g: !g {tile.shape="BxSxHx64"}, %y: !g {tile.shape="BxSxHx64"}, %z: !g {tile.shape="BxSxHx64"}) {
  tile.kernel (%c, %h, %b) in (ceildiv(dim(%g, 1), 32), dim(%g, 2), dim(%g, 0)) {
    %s = tile.alloc : memref<32x64xf32, #tile.shared>
    %t = tile.alloc : memref<32x64xf32, #tile.shared>
    tile.copy %g[%b, %c * 32, %h, 0] [1, 32, 1, 64], %s
    tile.scan sum %s, %t dim(0)
    tile.copy %t, %y[%b, %c * 32, %h, 0] [1, 32, 1, 64]
    tile.scan sum %s, %t dim(0) {reverse}
    tile.copy %t, %z[%b, %c * 32, %h, 0] [1, 32, 1, 64]
  }
  return
}
