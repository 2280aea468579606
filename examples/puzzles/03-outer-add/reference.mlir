func.func @outer_add_reference(%a: memref<?xf16>, %b: memref<?xf16>, %c: memref<?x?xf16>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %a, %c0 : memref<?xf16>
  %m = memref.dim %b, %c0 : memref<?xf16>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %x = affine.load %a[%i] : memref<?xf16>
      %y = affine.load %b[%j] : memref<?xf16>
      %xd = arith.extf %x : f16 to f64
      %yd = arith.extf %y : f16 to f64
      %z = arith.addf %xd, %yd : f64
      %r = arith.truncf %z : f64 to f16
      affine.store %r, %c[%i, %j] : memref<?x?xf16>
    }
  }
  return
}
