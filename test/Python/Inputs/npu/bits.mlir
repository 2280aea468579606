func.func @bits(%x: memref<?xi32> {tile.shape="N"}, %ones: memref<?xi32> {tile.shape="N"}, %front: memref<?xi32> {tile.shape="N"}, %behind: memref<?xi32> {tile.shape="N"}, %small: memref<?xi8> {tile.shape="N"}, %f: memref<?xf32> {tile.shape="N"}, %mantissa: memref<?xi32> {tile.shape="N"}, %bytes: memref<?xi32> {tile.shape="N"}) {
  tile.kernel (%b) in (ceildiv(dim(%x, 0), 64)) {
    tile.parallel (%i) in (64) {
      %p = affine.apply affine_map<(b, i) -> (b * 64 + i)>(%b, %i)
      %v = memref.load %x[%p] : memref<?xi32>
      %1 = math.ctpop %v : i32
      memref.store %1, %ones[%p] : memref<?xi32>
      %2 = math.ctlz %v : i32
      memref.store %2, %front[%p] : memref<?xi32>
      %3 = math.cttz %v : i32
      memref.store %3, %behind[%p] : memref<?xi32>
      %4 = arith.trunci %v : i32 to i8
      %5 = math.ctpop %4 : i8
      memref.store %5, %small[%p] : memref<?xi8>
    }
    // Bits of a tile as other elements, and bytes as words.
    %t = tile.alloc : memref<64xf32, #tile.shared>
    tile.copy %f[%b * 64], %t
    %bits = tile.view %t : memref<64xf32, #tile.shared> to memref<64xi32, #tile.shared>
    tile.parallel (%i) in (64) do %mantissa[%b * 64 + %i] = and(%bits[%i], 8388607)
    tile.parallel (%i) in (64) do %bits[%i] = 16909060
    %quarters = tile.view %t : memref<64xf32, #tile.shared> to memref<256xi8, #tile.shared>
    tile.parallel (%i) in (64) do %bytes[%b * 64 + %i] = i32(%quarters[%i * 4]) * 10 + i32(%quarters[%i * 4 + 3])
  }
  return
}
