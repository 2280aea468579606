func.func @hadamard(%x: memref<?x128xf32> {tile.shape="Mx128"}, %y: memref<?x128xf32> {tile.shape="Mx128"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  tile.kernel (%b) in (ceildiv(dim(%x, 0), 8)) {
    %s = tile.alloc : memref<8x128xf32, #tile.shared>
    %t = tile.alloc : memref<8x128xf32, #tile.shared>
    tile.copy %x[%b * 8, 0], %s
    scf.for %k = %c0 to %c7 step %c1 {
      tile.parallel (%i, %j) in (8, 128) do {
        %bit = shl(1, i32(%k))
        %at = i32(%j)
        %other = %s[%i, index(xor(%at, %bit))]
        %t[%i, %j] = select(and(%at, %bit) == 0, %s[%i, %j] + %other, %other - %s[%i, %j])
      }
      tile.copy %t, %s
    }
    tile.parallel (%i, %j) in (8, 128) do %s[%i, %j] = %s[%i, %j] * 0.0883883476
    tile.copy %s, %y[%b * 8, 0]
  }
  return
}
