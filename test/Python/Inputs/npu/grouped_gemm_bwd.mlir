func.func @grouped_gemm_bwd(%x: memref<?x?xf16> {tile.shape="TxK"}, %dy: memref<?x?xf16> {tile.shape="TxN"}, %off: memref<?xi32> {tile.shape="F"}, %dw: memref<?x?x?xf32> {tile.shape="ExKxN"}) {
  tile.kernel (%j, %i, %e) in (ceildiv(dim(%dy, 1), 64), ceildiv(dim(%x, 1), 64), dim(%dw, 0)) {
    %xs = tile.alloc : memref<32x64xf16, #tile.shared>
    %xm = tile.alloc : memref<32x64xf16, #tile.shared>
    %ys = tile.alloc : memref<32x64xf16, #tile.shared>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    %c0 = arith.constant 0 : index
    %next = affine.apply affine_map<(n) -> (n + 1)>(%e)
    %f = memref.load %off[%e] : memref<?xi32>
    %l = memref.load %off[%next] : memref<?xi32>
    %fi = arith.index_cast %f : i32 to index
    %to = arith.index_cast %l : i32 to index
    %from = arith.maxsi %fi, %c0 : index
    %count = arith.subi %to, %from : index
    tile.fill %acc, 0.0
    tile.pipelined %t = 0 to ceildiv(%count, 32) stages(2) {
      tile.copy %x[%from + %t * 32, %i * 64], %xs
      tile.copy %dy[%from + %t * 32, %j * 64], %ys
      tile.parallel (%r, %c) in (32, 64) do %xm[%r, %c] = select(%t * 32 + %r < %count, %xs[%r, %c], 0.0)
      tile.gemm %xm, %ys, %acc {transpose_a}
    }
    tile.copy %acc, %dw[%e, %i * 64, %j * 64]
  }
  return
}
