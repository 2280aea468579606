func.func @random_1d(%key: memref<2xi32>, %y: memref<?x4xi32> {tile.shape="Nx4"}, %u: memref<?x4xf32> {tile.shape="Nx4"}) {
  tile.kernel (%b) in (ceildiv(dim(%y, 0), 64)) threads(64) {
    %a = tile.alloc : memref<64xi32, #tile.fragment>
    %c = tile.alloc : memref<64xi32, #tile.fragment>
    %d = tile.alloc : memref<64xi32, #tile.fragment>
    %e = tile.alloc : memref<64xi32, #tile.fragment>
    tile.parallel (%i) in (64) do {
      %a[%i] = i32(%b * 64 + %i)
      %c[%i] = 0
      %d[%i] = 0
      %e[%i] = 0
    }
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c10 = arith.constant 10 : index
    scf.for %r = %c0 to %c10 step %c1 {
      tile.parallel (%i) in (64) do {
        %k0 = %key[0] + i32(%r) * -1640531527
        %k1 = %key[1] + i32(%r) * -1150833019
        %p0 = and(i64(%a[%i]), 4294967295) * 3528531795
        %p1 = and(i64(%d[%i]), 4294967295) * 3449720151
        %n0 = xor(xor(i32(ushr(%p1, 32)), %c[%i]), %k0)
        %n2 = xor(xor(i32(ushr(%p0, 32)), %e[%i]), %k1)
        %a[%i] = %n0
        %c[%i] = i32(%p1)
        %d[%i] = %n2
        %e[%i] = i32(%p0)
      }
    }
    tile.parallel (%i) in (64) do {
      %y[%b * 64 + %i, 0] = %a[%i]
      %y[%b * 64 + %i, 1] = %c[%i]
      %y[%b * 64 + %i, 2] = %d[%i]
      %y[%b * 64 + %i, 3] = %e[%i]
      %u[%b * 64 + %i, 0] = f32(ushr(%a[%i], 8)) * 5.9604645e-08
      %u[%b * 64 + %i, 1] = f32(ushr(%c[%i], 8)) * 5.9604645e-08
      %u[%b * 64 + %i, 2] = f32(ushr(%d[%i], 8)) * 5.9604645e-08
      %u[%b * 64 + %i, 3] = f32(ushr(%e[%i], 8)) * 5.9604645e-08
    }
  }
  return
}
