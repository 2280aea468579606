// A kernel with tensor copies, wgmma, a pipeline and specialised warps.
func.func @matmul_relu(%a: memref<512x256xf16>, %b: memref<256x384xf16>, %c: memref<512x384xf32> {tile.result}) {
  tile.kernel (%x, %y) in (ceildiv(dim(%c, 1), 128), ceildiv(dim(%c, 0), 128)) threads(128) {
    %as = tile.alloc : memref<128x32xf16, #tile.shared>
    %bs = tile.alloc : memref<32x128xf16, #tile.shared>
    %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
    tile.fill %acc, 0.0
    tile.pipelined %k = 0 to ceildiv(dim(%a, 1), 32) stages(3) {
      tile.copy %a[%y * 128, %k * 32], %as
      tile.copy %b[%k * 32, %x * 128], %bs
      tile.gemm %as, %bs, %acc
    }
    tile.parallel (%i, %j) in (128, 128) do %acc[%i, %j] = max(%acc[%i, %j], 0.0)
    tile.copy %acc, %c[%y * 128, %x * 128]
  }
  return
}
