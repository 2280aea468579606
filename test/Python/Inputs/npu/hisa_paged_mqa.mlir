func.func @hisa_paged_mqa(%q: memref<?x16x64xf16> {tile.shape="Sx16x64"}, %k: memref<?x64x64xf16> {tile.shape="Px64x64"}, %w: memref<?x16xf32> {tile.shape="Sx16"}, %tab: memref<?xi32> {tile.shape="P"}, %l: memref<?x?xi32> {tile.shape="SxT"}, %o: memref<?x?x64xf32> {tile.shape="SxTx64"}) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i32
  tile.kernel (%s) in (dim(%q, 0)) {
    %qs = tile.alloc : memref<16x64xf16, #tile.shared>
    %ks = tile.alloc : memref<64x64xf16, #tile.shared>
    %ws = tile.alloc : memref<16xf32, #tile.shared>
    %x = tile.alloc : memref<16x64xf32, #tile.fragment>
    %r = tile.alloc : memref<64xf32, #tile.fragment>
    tile.copy %q[%s, 0, 0], %qs
    tile.copy %w[%s, 0], %ws
    tile.pipelined %t = 0 to dim(%l, 1) stages(2) {
      %b = memref.load %l[%s, %t] : memref<?x?xi32>
      %b0 = arith.maxsi %b, %z : i32
      %bi = arith.index_cast %b0 : i32 to index
      %p = memref.load %tab[%bi] : memref<?xi32>
      %p0 = arith.maxsi %p, %z : i32
      %pi = arith.index_cast %p0 : i32 to index
      tile.copy %k[%pi, 0, 0], %ks
      tile.gemm %qs, %ks, %x {clear, transpose_b}
      tile.parallel (%i, %j) in (16, 64) do %x[%i, %j] = max(%x[%i, %j], 0.0) * %ws[%i]
      tile.reduce sum %x, %r dim(0)
      tile.parallel (%j) in (64) do %r[%j] = select(%b < 0, -inf, %r[%j])
      tile.copy %r, %o[%s, %t, 0]
    }
  }
  return
}
