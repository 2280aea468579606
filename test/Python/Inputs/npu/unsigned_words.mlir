func.func @unsigned_words(%x: memref<?xi32> {tile.shape="N"}, %f: memref<?xf32> {tile.shape="N"}, %y: memref<?xf32> {tile.shape="N"}, %h: memref<?xf16> {tile.shape="N"}, %u: memref<?xi32> {tile.shape="N"}) {
  tile.kernel (%b) in (ceildiv(dim(%x, 0), 64)) {
    tile.parallel (%i) in (64) {
      %p = affine.apply affine_map<(b, i) -> (b * 64 + i)>(%b, %i)
      %v = memref.load %x[%p] : memref<?xi32>
      %1 = arith.uitofp %v : i32 to f32
      memref.store %1, %y[%p] : memref<?xf32>
      %2 = arith.uitofp %v : i32 to f16
      memref.store %2, %h[%p] : memref<?xf16>
      %w = memref.load %f[%p] : memref<?xf32>
      %3 = arith.fptoui %w : f32 to i32
      memref.store %3, %u[%p] : memref<?xi32>
    }
  }
  return
}
