func.func @powers(%x: memref<?xf32> {tile.shape="N"}, %y: memref<?xf32> {tile.shape="N"}, %p: memref<?xf32> {tile.shape="N"}, %h: memref<?xf16> {tile.shape="N"}, %a: memref<?xf32> {tile.shape="N"}, %s: memref<?xf32> {tile.shape="N"}) {
  %three = arith.constant 3 : i32
  tile.kernel (%b) in (ceildiv(dim(%x, 0), 64)) {
    tile.parallel (%i) in (64) {
      %q = affine.apply affine_map<(b, i) -> (b * 64 + i)>(%b, %i)
      %v = memref.load %x[%q] : memref<?xf32>
      %w = memref.load %y[%q] : memref<?xf32>
      %1 = math.powf %v, %w : f32
      memref.store %1, %p[%q] : memref<?xf32>
      %2 = arith.truncf %v : f32 to f16
      %3 = math.fpowi %2, %three : f16, i32
      memref.store %3, %h[%q] : memref<?xf16>
      %4 = math.atan2 %v, %w : f32
      memref.store %4, %a[%q] : memref<?xf32>
      %5, %6 = math.sincos %v : f32
      %7 = arith.subf %5, %6 : f32
      memref.store %7, %s[%q] : memref<?xf32>
    }
  }
  return
}
