!x = memref<?x64xf16>
func.func @xattention_mask(%q: !x {tile.shape="Sx64"}, %k: !x {tile.shape="Sx64"}, %w: memref<?x?xf32> {tile.shape="NxN"}, %m: memref<?x?xi8> {tile.shape="NxN"}) {
  tile.kernel (%b) in (ceildiv(dim(%q, 0), 64)) {
    %qs = tile.alloc : memref<8x64xf16, #tile.shared>
    %ks = tile.alloc : memref<32x64xf16, #tile.shared>
    %s = tile.alloc : memref<8x32xf32, #tile.fragment>
    %p = tile.alloc : memref<8x4xf32, #tile.fragment>
    %v = tile.alloc : memref<8x4x8xf32, #tile.fragment>
    %row = tile.alloc : memref<8xf32, #tile.fragment>
    %sum = tile.alloc : memref<4xf32, #tile.fragment>
    tile.fill %s, 0.0
    tile.pipelined %t = 0 to 8 stages(2) {
      tile.parallel (%i, %j) in (8, 64) do %qs[%i, %j] = %q[%b * 64 + %i * 8 + 7 - %t, %j]
      tile.parallel (%i, %j) in (32, 64) do %ks[%i, %j] = %k[%i * 8 + %t, %j]
      tile.gemm %qs, %ks, %s {transpose_b}
    }
    tile.parallel (%i, %j) in (8, 32) do %s[%i, %j] = %s[%i, %j] * 0.015625
    tile.reduce max %s, %row dim(1)
    tile.parallel (%i, %j) in (8, 32) do %s[%i, %j] = exp(%s[%i, %j] - %row[%i])
    tile.reduce sum %s, %row dim(1)
    tile.parallel (%i, %j, %l) in (8, 4, 8) do %v[%i, %j, %l] = %s[%i, %j * 8 + %l] / %row[%i]
    tile.reduce sum %v, %p dim(2)
    tile.reduce sum %p, %sum dim(0)
    tile.copy %sum, %w[%b, 0]
    tile.parallel (%j) in (4) do %m[%b, %j] = i8(%sum[%j] > 2.0)
  }
  return
}
