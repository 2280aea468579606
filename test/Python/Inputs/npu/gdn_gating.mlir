func.func @gdn_gating(%al: memref<?xf32> {tile.shape="H"}, %dt: memref<?xf32> {tile.shape="H"}, %a: memref<?x?xf16> {tile.shape="BxH"}, %b: memref<?x?xf16> {tile.shape="BxH"}, %g: memref<?x?xf32> {tile.shape="BxH"}, %be: memref<?x?xf32> {tile.shape="BxH"}) {
  tile.kernel (%p) in (ceildiv(dim(%a, 0), 8)) {
    tile.parallel (%i, %j) in (8, 32) do {
      %x = f32(%a[%p * 8 + %i, %j]) + %dt[%j]
      %soft = select(%x > 20.0, %x, log1p(exp(%x)))
      %g[%p * 8 + %i, %j] = -exp(%al[%j]) * %soft
      %be[%p * 8 + %i, %j] = 1.0 / (1.0 + exp(-f32(%b[%p * 8 + %i, %j])))
    }
  }
  return
}
