// Functions that leave their argument as it is.
func.func @f32(%x: memref<?xf32> {tile.shape = "N"}) {
  return
}

func.func @f64(%x: memref<?xf64> {tile.shape = "N"}) {
  return
}

func.func @static(%x: memref<3xf32>) {
  return
}
