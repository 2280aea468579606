// A tile that fits the shared memory of no chip.
func.func @too_large(%a: memref<256x256xf32>, %b: memref<256x256xf32>) {
  tile.kernel (%i) in (1) {
    %t = tile.alloc : memref<256x256xf32, #tile.shared>
    tile.copy %a, %t
    tile.parallel (%x, %y) in (256, 256) {
      %v = memref.load %t[%y, %x] : memref<256x256xf32, #tile.shared>
      memref.store %v, %b[%x, %y] : memref<256x256xf32>
    }
  }
  return
}
