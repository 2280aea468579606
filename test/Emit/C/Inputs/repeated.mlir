func.func @repeated(%x: memref<256xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %step = %c0 to %n step %c1 {
    tile.kernel (%b) in (2) threads(128) {
      tile.parallel (%i) in (128) {
        %p = affine.apply affine_map<(b, i) -> (b * 128 + i)>(%b, %i)
        %u = memref.load %x[%p] : memref<256xf32>
        %w = arith.addf %u, %u : f32
        memref.store %w, %x[%p] : memref<256xf32>
      }
    }
  }
  return
}
