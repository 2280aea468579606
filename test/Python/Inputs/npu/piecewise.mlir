func.func @piecewise(%x: memref<?xf32> {tile.shape="N"}, %y: memref<?xf32> {tile.shape="N"}, %z: memref<?xf32> {tile.shape="N"}, %n: memref<?xi32> {tile.shape="N"}) {
  tile.kernel (%b) in (ceildiv(dim(%x, 0), 64)) {
    // Both sides store to one element.
    tile.parallel (%i) in (64) do {
      %v = %x[%b * 64 + %i]
      if %v < -1.0 { %y[%b * 64 + %i] = -1.0 } else {
        if %v < 0.0 { %y[%b * 64 + %i] = %v * %v } else { %y[%b * 64 + %i] = sqrt(%v) }
      }
    }
    // One side stores: in place, where nobody else does.
    tile.parallel (%i) in (64) do {
      if %z[%b * 64 + %i] > 0.5 { %z[%b * 64 + %i] = -%z[%b * 64 + %i] }
    }
    // An integer that has no place in i32, in a branch.
    tile.parallel (%i) in (64) do {
      if %x[%b * 64 + %i] <> 0.0 { %n[%b * 64 + %i] = i32(%x[%b * 64 + %i] * 1.0e+10) } else { %n[%b * 64 + %i] = i32(%x[%b * 64 + %i]) - 7 }
    }
  }
  return
}
