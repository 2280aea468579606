func.func @gemv_reference(%a: memref<?x?xf16>, %b: memref<?xf16>, %c: memref<?xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %m = memref.dim %a, %c0 : memref<?x?xf16>
  %k = memref.dim %a, %c1 : memref<?x?xf16>
  affine.for %i = 0 to %m {
    %sum = affine.for %l = 0 to %k iter_args(%acc = %zero) -> f64 {
      %x = affine.load %a[%i, %l] : memref<?x?xf16>
      %y = affine.load %b[%l] : memref<?xf16>
      %xd = arith.extf %x : f16 to f64
      %yd = arith.extf %y : f16 to f64
      %p = arith.mulf %xd, %yd : f64
      %next = arith.addf %acc, %p : f64
      affine.yield %next : f64
    }
    %r = arith.truncf %sum : f64 to f16
    affine.store %r, %c[%i] : memref<?xf16>
  }
  return
}

func.func @matmul_reference(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %c: memref<?x?xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %m = memref.dim %a, %c0 : memref<?x?xf16>
  %n = memref.dim %b, %c1 : memref<?x?xf16>
  %k = memref.dim %a, %c1 : memref<?x?xf16>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %sum = affine.for %l = 0 to %k iter_args(%acc = %zero) -> f64 {
        %x = affine.load %a[%i, %l] : memref<?x?xf16>
        %y = affine.load %b[%l, %j] : memref<?x?xf16>
        %xd = arith.extf %x : f16 to f64
        %yd = arith.extf %y : f16 to f64
        %p = arith.mulf %xd, %yd : f64
        %next = arith.addf %acc, %p : f64
        affine.yield %next : f64
      }
      %r = arith.truncf %sum : f64 to f16
      affine.store %r, %c[%i, %j] : memref<?x?xf16>
    }
  }
  return
}
