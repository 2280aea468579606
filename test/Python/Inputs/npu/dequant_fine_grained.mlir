func.func @dequant_fine_grained(%a: memref<?x?xf16> {tile.shape="MxK"}, %w: memref<?x?xi8> {tile.shape="NxH"}, %sc: memref<?x?xf16> {tile.shape="NxG"}, %z: memref<?x?xf16> {tile.shape="NxG"}, %c: memref<?x?xf32> {tile.shape="MxN"}) {
  tile.kernel (%j, %i) in (ceildiv(dim(%w, 0), 64), ceildiv(dim(%a, 0), 32)) {
    %as = tile.alloc : memref<32x64xf16, #tile.shared>
    %ws = tile.alloc : memref<64x32xi8, #tile.shared>
    %bs = tile.alloc : memref<64x64xf16, #tile.shared>
    %acc = tile.alloc : memref<32x64xf32, #tile.fragment>
    tile.fill %acc, 0.0
    tile.pipelined %t = 0 to ceildiv(dim(%a, 1), 64) stages(2) {
      tile.copy %a[%i * 32, %t * 64], %as
      tile.copy %w[%j * 64, %t * 32], %ws
      tile.parallel (%r, %q) in (64, 64) do {
        %b = i32(%ws[%r, %q floordiv 2])
        %v = and(shr(%b, i32(%q mod 2) * 4), 15)
        %bs[%r, %q] = (f16(%v) - %z[%j * 64 + %r, %t]) * %sc[%j * 64 + %r, %t]
      }
      tile.gemm %as, %bs, %acc {transpose_b}
    }
    tile.copy %acc, %c[%i * 32, %j * 64]
  }
  return
}
