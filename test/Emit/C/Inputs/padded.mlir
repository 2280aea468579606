// A product whose operands are copied to workspaces where their rows are no vectors.
!a = memref<?x?xf16>
func.func @product(%a: !a {tile.shape = "MxK"}, %b: !a {tile.shape = "NxK"}, %c: !a {tile.shape = "MxN"}) {
  tile.kernel (%x, %y) in (ceildiv(dim(%b, 0), 64), ceildiv(dim(%a, 0), 64)) threads(128) {
    %as = tile.alloc : memref<64x64xf16, #tile.shared>
    %bs = tile.alloc : memref<64x64xf16, #tile.shared>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %acc, 0.0
    tile.pipelined %s = 0 to ceildiv(dim(%a, 1), 64) stages(2) {
      tile.copy %a[%y * 64, %s * 64], %as
      tile.copy %b[%x * 64, %s * 64], %bs
      tile.gemm %as, %bs, %acc {transpose_b}
    }
    tile.copy %acc, %c[%y * 64, %x * 64]
  }
  return
}
