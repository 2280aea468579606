func.func @quant_batch_matmul(%a: memref<?x?x?xi8> {tile.shape="BxMxK"}, %b: memref<?x?x?xi8> {tile.shape="BxKxN"}, %sc: memref<?xf32> {tile.shape="N"}, %pt: memref<?x?xf32> {tile.shape="BxM"}, %bias: memref<?xi32> {tile.shape="N"}, %c: memref<?x?x?xf16> {tile.shape="BxMxN"}) {
  tile.kernel (%j, %i, %n) in (ceildiv(dim(%b, 2), 64), ceildiv(dim(%a, 1), 32), dim(%a, 0)) {
    %as = tile.alloc : memref<32x64xi8, #tile.shared>
    %bs = tile.alloc : memref<64x64xi8, #tile.shared>
    %acc = tile.alloc : memref<32x64xi32, #tile.fragment>
    %r = tile.alloc : memref<32x64xf16, #tile.fragment>
    %bi = tile.alloc : memref<64xi32, #tile.shared>
    %ss = tile.alloc : memref<64xf32, #tile.shared>
    %ps = tile.alloc : memref<32xf32, #tile.shared>
    tile.copy %bias[%j * 64], %bi
    tile.copy %sc[%j * 64], %ss
    tile.copy %pt[%n, %i * 32], %ps
    tile.fill %acc, 0
    tile.pipelined %t = 0 to ceildiv(dim(%a, 2), 64) stages(2) {
      tile.copy %a[%n, %i * 32, %t * 64], %as
      tile.copy %b[%n, %t * 64, %j * 64], %bs
      tile.gemm %as, %bs, %acc
    }
    tile.parallel (%x, %y) in (32, 64) do %r[%x, %y] = f16(f32(%acc[%x, %y] + %bi[%y]) * %ss[%y] * %ps[%x])
    tile.copy %r, %c[%n, %i * 32, %j * 64]
  }
  return
}
