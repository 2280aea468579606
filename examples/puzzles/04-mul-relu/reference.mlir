func.func @mul_relu_rows_reference(%a: memref<?x?xf16>, %b: memref<?xf16>, %c: memref<?x?xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %n = memref.dim %a, %c0 : memref<?x?xf16>
  %m = memref.dim %a, %c1 : memref<?x?xf16>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %x = affine.load %a[%i, %j] : memref<?x?xf16>
      %y = affine.load %b[%j] : memref<?xf16>
      %xd = arith.extf %x : f16 to f64
      %yd = arith.extf %y : f16 to f64
      %z = arith.mulf %xd, %yd : f64
      %relu = arith.maximumf %z, %zero : f64
      %r = arith.truncf %relu : f64 to f16
      affine.store %r, %c[%i, %j] : memref<?x?xf16>
    }
  }
  return
}

func.func @mul_relu_backward_reference(
    %a: memref<?x?xf16>, %b: memref<?xf16>, %dc: memref<?x?xf16>, %da: memref<?x?xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %n = memref.dim %a, %c0 : memref<?x?xf16>
  %m = memref.dim %a, %c1 : memref<?x?xf16>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %x = affine.load %a[%i, %j] : memref<?x?xf16>
      %y = affine.load %b[%j] : memref<?xf16>
      %g = affine.load %dc[%i, %j] : memref<?x?xf16>
      %xd = arith.extf %x : f16 to f64
      %yd = arith.extf %y : f16 to f64
      %gd = arith.extf %g : f16 to f64
      %z = arith.mulf %xd, %yd : f64
      %open = arith.cmpf ogt, %z, %zero : f64
      %gy = arith.mulf %gd, %yd : f64
      %gradient = arith.select %open, %gy, %zero : f64
      %r = arith.truncf %gradient : f64 to f16
      affine.store %r, %da[%i, %j] : memref<?x?xf16>
    }
  }
  return
}
