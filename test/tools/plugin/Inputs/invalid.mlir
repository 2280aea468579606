func.func @f(%v: f32) {
  tile.kernel (%b) in (4) threads(32) {
    %t = tile.alloc : memref<32xf32, #tile.fragment>
    tile.parallel (%i) in (32) {
      tile.fill %t, %v : memref<32xf32, #tile.fragment>
    }
  }
  return
}
