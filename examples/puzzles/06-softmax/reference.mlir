func.func @softmax_reference(%a: memref<?x?xf32>, %b: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %lowest = arith.constant 0xFFF0000000000000 : f64
  %n = memref.dim %a, %c0 : memref<?x?xf32>
  %m = memref.dim %a, %c1 : memref<?x?xf32>
  %row = memref.alloc(%m) : memref<?xf64>
  affine.for %i = 0 to %n {
    %max = affine.for %j = 0 to %m iter_args(%acc = %lowest) -> f64 {
      %x = affine.load %a[%i, %j] : memref<?x?xf32>
      %xd = arith.extf %x : f32 to f64
      %next = arith.maximumf %acc, %xd : f64
      affine.yield %next : f64
    }
    %sum = affine.for %j = 0 to %m iter_args(%acc = %zero) -> f64 {
      %x = affine.load %a[%i, %j] : memref<?x?xf32>
      %xd = arith.extf %x : f32 to f64
      %d = arith.subf %xd, %max : f64
      %e = math.exp %d : f64
      affine.store %e, %row[%j] : memref<?xf64>
      %next = arith.addf %acc, %e : f64
      affine.yield %next : f64
    }
    affine.for %j = 0 to %m {
      %e = affine.load %row[%j] : memref<?xf64>
      %q = arith.divf %e, %sum : f64
      %r = arith.truncf %q : f64 to f32
      affine.store %r, %b[%i, %j] : memref<?x?xf32>
    }
  }
  memref.dealloc %row : memref<?xf64>
  return
}
