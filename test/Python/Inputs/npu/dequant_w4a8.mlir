// Weights of 4 bits, two in a byte, become i8, which the cube multiplies by the i8 of the activations.
func.func @dequant_w4a8(%a: memref<?x?xi8>, %w: memref<?x?xi8>, %scale: memref<?xf32>, %c: memref<?x?xf16>) {
  tile.kernel (%j, %i) in (ceildiv(dim(%w, 0), 64), ceildiv(dim(%a, 0), 32)) {
    %as = tile.alloc : memref<32x64xi8, #tile.shared>
    %ws = tile.alloc : memref<64x32xi8, #tile.shared>
    %bs = tile.alloc : memref<64x64xi8, #tile.shared>
    %acc = tile.alloc : memref<32x64xi32, #tile.fragment>
    %r = tile.alloc : memref<32x64xf16, #tile.fragment>
    %ss = tile.alloc : memref<64xf32, #tile.shared>
    tile.copy %scale[%j * 64], %ss
    tile.fill %acc, 0
    tile.pipelined %t = 0 to ceildiv(dim(%a, 1), 64) stages(2) {
      tile.copy %a[%i * 32, %t * 64], %as
      tile.copy %w[%j * 64, %t * 32], %ws
      tile.parallel (%n, %k) in (64, 64) do {
        %high = shl(i32(%ws[%n, %k floordiv 2]), 28 - 4 * i32(%k mod 2))
        %bs[%n, %k] = i8(shr(%high, 28))
      }
      tile.gemm %as, %bs, %acc {transpose_b}
    }
    tile.parallel (%x, %y) in (32, 64) do %r[%x, %y] = f16(f32(%acc[%x, %y]) * %ss[%y])
    tile.copy %r, %c[%i * 32, %j * 64]
  }
  return
}
