func.func @blocksparse_gemm(%a: memref<?x?xf16> {tile.shape="MxK"}, %b: memref<?x?xf16> {tile.shape="KxN"}, %m: memref<?x?x?xi8> {tile.shape="IxJxT"}, %c: memref<?x?xf32> {tile.shape="MxN"}) {
  tile.kernel (%j, %i) in (ceildiv(dim(%b, 1), 64), ceildiv(dim(%a, 0), 32)) {
    %as = tile.alloc : memref<32x64xf16, #tile.shared>
    %bs = tile.alloc : memref<64x64xf16, #tile.shared>
    %acc = tile.alloc : memref<32x64xf32, #tile.fragment>
    %z = arith.constant 0 : i8
    tile.fill %acc, 0.0
    tile.pipelined %t = 0 to ceildiv(dim(%a, 1), 64) stages(2) {
      %flag = memref.load %m[%i, %j, %t] : memref<?x?x?xi8>
      %on = arith.cmpi ne, %flag, %z : i8
      scf.if %on {
        tile.copy %a[%i * 32, %t * 64], %as
        tile.copy %b[%t * 64, %j * 64], %bs
        tile.gemm %as, %bs, %acc
      }
    }
    tile.copy %acc, %c[%i * 32, %j * 64]
  }
  return
}
