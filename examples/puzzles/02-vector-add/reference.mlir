func.func @add_reference(%a: memref<?xf16>, %b: memref<?xf16>, %c: memref<?xf16>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %a, %c0 : memref<?xf16>
  affine.for %i = 0 to %n {
    %x = affine.load %a[%i] : memref<?xf16>
    %y = affine.load %b[%i] : memref<?xf16>
    %xd = arith.extf %x : f16 to f64
    %yd = arith.extf %y : f16 to f64
    %z = arith.addf %xd, %yd : f64
    %r = arith.truncf %z : f64 to f16
    affine.store %r, %c[%i] : memref<?xf16>
  }
  return
}

func.func @mul_relu_reference(%a: memref<?xf16>, %b: memref<?xf16>, %c: memref<?xf16>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %n = memref.dim %a, %c0 : memref<?xf16>
  affine.for %i = 0 to %n {
    %x = affine.load %a[%i] : memref<?xf16>
    %y = affine.load %b[%i] : memref<?xf16>
    %xd = arith.extf %x : f16 to f64
    %yd = arith.extf %y : f16 to f64
    %z = arith.mulf %xd, %yd : f64
    %relu = arith.maximumf %z, %zero : f64
    %r = arith.truncf %relu : f64 to f16
    affine.store %r, %c[%i] : memref<?xf16>
  }
  return
}
