func.func @qkv_rmsnorm_mrope(%x: memref<?x512xf16> {tile.shape="Tx512"}, %wq: memref<64xf32>, %wk: memref<64xf32>, %c: memref<3x?x32xf32> {tile.shape="3xTx32"}, %s: memref<3x?x32xf32> {tile.shape="3xTx32"}, %q: memref<?x4x64xf16> {tile.shape="Tx4x64"}, %k: memref<?x2x64xf16> {tile.shape="Tx2x64"}, %v: memref<?x2x64xf16> {tile.shape="Tx2x64"}) {
  tile.kernel (%t) in (dim(%x, 0)) {
    %xs = tile.alloc : memref<512xf16, #tile.shared>
    %rows = tile.reshape %xs : memref<512xf16, #tile.shared> to memref<8x64xf16, #tile.shared>
    %sq = tile.alloc : memref<8x64xf32, #tile.fragment>
    %n = tile.alloc : memref<8x64xf32, #tile.shared>
    %r = tile.alloc : memref<8xf32, #tile.fragment>
    tile.copy %x[%t, 0], %xs
    tile.parallel (%h, %j) in (8, 64) do %sq[%h, %j] = f32(%rows[%h, %j]) * f32(%rows[%h, %j])
    tile.reduce sum %sq, %r dim(1)
    tile.parallel (%h, %j) in (8, 64) do
      %n[%h, %j] = f32(%rows[%h, %j]) * rsqrt(%r[%h] * 0.015625 + 1.0e-6) * select(%h < 4, %wq[%j], %wk[%j])
    tile.parallel (%h, %j) in (6, 32) do {
      %p = index(select(%j < 8, i32(0), select(%j < 20, i32(1), i32(2))))
      %cos = %c[%p, %t, %j]
      %sin = %s[%p, %t, %j]
      %a = %n[%h, %j] * %cos - %n[%h, %j + 32] * %sin
      %b = %n[%h, %j + 32] * %cos + %n[%h, %j] * %sin
      if %h < 4 {
        %q[%t, %h, %j] = f16(%a)
        %q[%t, %h, %j + 32] = f16(%b)
      } else {
        %k[%t, %h - 4, %j] = f16(%a)
        %k[%t, %h - 4, %j + 32] = f16(%b)
      }
    }
    tile.parallel (%h, %j) in (2, 64) do %v[%t, %h, %j] = %rows[%h + 6, %j]
  }
  return
}
