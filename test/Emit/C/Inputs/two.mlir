func.func @one(%x: memref<4xf32>) {
  tile.kernel (%b) in (1) {
  }
  return
}
func.func @two(%x: memref<4xf32>) {
  tile.kernel (%b) in (1) {
  }
  return
}
