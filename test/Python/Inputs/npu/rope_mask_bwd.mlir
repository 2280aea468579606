!x = memref<?x?x64xf16>
func.func @rope_mask_bwd(%dy: !x {tile.shape="SxHx64"}, %c: memref<?x64xf32> {tile.shape="Sx64"}, %s: memref<?x64xf32> {tile.shape="Sx64"}, %m: memref<?xi8> {tile.shape="S"}, %dx: !x {tile.shape="SxHx64"}) {
  tile.kernel (%h, %b) in (dim(%dy, 1), ceildiv(dim(%dy, 0), 8)) {
    tile.parallel (%i, %j) in (8, 64) do {
      %row = %b * 8 + %i
      %g = f32(%dy[%row, %h, %j])
      %o = index(xor(i32(%j), 32))
      %t = f32(%dy[%row, %h, %o]) * %s[%row, %o]
      %r = %g * %c[%row, %j] + select(%j < 32, %t, -%t)
      %dx[%row, %h, %j] = f16(select(i32(%m[%row]) <> 0, %r, %g))
    }
  }
  return
}
