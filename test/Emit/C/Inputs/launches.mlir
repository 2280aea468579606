func.func @twostep(%x: memref<256xf32>, %y: memref<256xf32>, %z: memref<256xf32>) {
  tile.kernel (%b) in (2) threads(128) {
    tile.parallel (%i) in (128) {
      %p = affine.apply affine_map<(b, i) -> (b * 128 + i)>(%b, %i)
      %u = memref.load %x[%p] : memref<256xf32>
      %w = arith.addf %u, %u : f32
      memref.store %w, %y[%p] : memref<256xf32>
    }
  }
  tile.kernel (%b) in (2) threads(128) {
    tile.parallel (%i) in (128) {
      %p = affine.apply affine_map<(b, i) -> (b * 128 + i)>(%b, %i)
      %u = memref.load %y[%p] : memref<256xf32>
      %w = arith.mulf %u, %u : f32
      memref.store %w, %z[%p] : memref<256xf32>
    }
  }
  return
}
