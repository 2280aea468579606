// Host code that loads an element that a kernel has written, and stores one.
func.func @elements(%x: memref<?x4xi32>, %y: memref<8xf32>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (8) do %y[%i] = f32(%i)
  }
  %n = memref.load %x[%c1, %c2] : memref<?x4xi32>
  %v = memref.load %y[%c2] : memref<8xf32>
  %w = arith.addf %v, %v : f32
  memref.store %w, %y[%c1] : memref<8xf32>
  %blocks = arith.index_cast %n : i32 to index
  tile.kernel (%b) in (%blocks) {
    tile.parallel (%i) in (4) do %x[%b, %i] = %n
  }
  return
}
