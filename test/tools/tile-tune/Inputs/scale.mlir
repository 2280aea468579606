// y = 2 x, by blocks of @size; one of the sizes is excluded, and one does not fit a GPU.
tile.param @size = 64 in [32, 64, 128]
tile.param @threads = 32 in [32, 4096]

func.func @scale(%x: memref<?xf32> {tile.shape = "N"}, %y: memref<?xf32> {tile.shape = "N", tile.result})
    attributes {tile.reference = @scale_reference, tile.cases = ["N=100", "N=1"]} {
  %size = tile.get_param @size
  tile.require %size <= 64, "too large"
  tile.kernel (%b) in (ceildiv(dim(%x, 0), @size)) threads(@threads) {
    %t = tile.alloc(@size) : memref<?xf32, #tile.fragment>
    tile.copy %x[%b * @size], %t
    tile.parallel (%i) in (@size) do %t[%i] = %t[%i] * 2.0
    tile.copy %t, %y[%b * @size]
  }
  return
}

func.func @scale_reference(%x: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %two = arith.constant 2.0 : f32
  %n = memref.dim %x, %c0 : memref<?xf32>
  affine.for %i = 0 to %n {
    %v = affine.load %x[%i] : memref<?xf32>
    %d = arith.mulf %v, %two : f32
    affine.store %d, %y[%i] : memref<?xf32>
  }
  return
}
